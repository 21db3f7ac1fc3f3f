"""Openings for matches: random ones that favour neither side, or those of a file.

A file has one opening per line: the moves from the start (`4,4 3,3`), or a position (`9/9/9/9/4X4/9/9/9/9 p1 block=4`).
Empty lines and lines that begin with # are ignored. The data of each nested game have 500 balanced openings,
made by benchmarks/make_openings.py.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from noughts import search
from noughts.game import Game, IllegalMove, State
from noughts.games import LISTED
from noughts.notation import quoted
from noughts.players import make_player
from noughts.players.protocol import PlayerLike
from noughts.sandbox.source import is_bot_file
from noughts.untrusted import FileKind, read_untrusted

OPENING_PLIES, FLAT_PLIES = 6, 2
"""Plies of openings: enough to make most of them different, few enough to leave most of the game to the players."""
OPENING_TRIES = 50
BALANCED = 8_000
"""Maximum absolute score of a balanced opening for the player to move, of 100,000."""
BALANCE_NODES = 20_000
SHIPPED = "balanced"
"""Name of the built-in openings of a game, in place of a file."""
BOOK = FileKind("a file of openings", 16 << 20)
MOST_TRIED = 100_000
"""Maximum moves tried to find a way to a position."""

Opening = tuple[int, ...]
"""The actions from the start of a game."""


def read_openings(game: Game, name: str) -> tuple[Opening, ...]:
    """Returns the openings of a file, or the built-in ones. Raises ValueError, with the line, if one is invalid."""
    path = game.data.openings if name == SHIPPED else Path(name)
    if path is None:
        names = sorted(data.rules.name for data in LISTED if data.openings)
        raise ValueError(f"there are no balanced openings for {game.name}, only for {', '.join(names)}; name a file")
    found: list[Opening] = []
    for number, line in enumerate(read_untrusted(path, BOOK).decode("utf-8-sig", "replace").splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            try:
                found.append(opening_of(game, line))
            except ValueError as error:
                raise ValueError(f"{name}, line {number}: {error}") from None
    if not found:
        raise ValueError(f"{name} has no openings; write one per line, as moves or as a position")
    return tuple(found)


def opening_of(game: Game, line: str) -> Opening:
    """Returns the moves of an opening written as moves or as a position."""
    if "/" in line:
        state = game.from_string(line)
        moves = moves_to(state)
    else:
        state = game.new_initial_state()
        for word in line.split():
            try:
                state.apply_action(state.string_to_action(word))
            except IllegalMove:
                raise ValueError(f"the move {quoted(word)} is not legal there") from None
        moves = tuple(state.history())
    if state.is_terminal():
        raise ValueError("the game is over after this opening")
    return moves


def moves_to(state: State) -> Opening:
    """Returns moves that lead from the start to a position. Raises ValueError if none are found.

    Searches depth first, through positions whose marks are all in the target. Games are records of moves, so a position
    that play cannot reach is not an opening.
    """
    wanted, cells, rules = state.to_string(), state.view().cells, state.game.rules
    seen: set[str] = set()
    at = state.game.new_initial_state()
    ways = [iter(at.legal_actions())]
    while len(seen) < MOST_TRIED:
        if at.to_string() == wanted:
            return tuple(at.history())
        for action in ways[-1]:
            index, mark = divmod(action, rules.choices)
            if rules.choices == 1:
                mark = rules.marks.index(rules.places[at.current_player()])
            if cells[index] == mark:
                at.apply_action(action)
                if (text := at.to_string()) not in seen:
                    seen.add(text)
                    ways.append(iter(at.legal_actions()))
                    break
                at.undo_action()
        else:
            ways.pop()
            if not ways:
                raise ValueError("no moves lead from the start to this position")
            at.undo_action()
    raise ValueError("found no moves from the start to this position; write the moves instead")


def balanced_opening(game: Game, plies: int, seed: int) -> list[int]:
    """Returns random moves that leave both sides about even; the most even of many if none is even enough."""
    choose = random.Random(seed)
    if plies < 1:
        return []
    engine = search.Engine(game, memory=1)
    best: tuple[int, list[int]] | None = None
    for _ in range(OPENING_TRIES):
        state = game.new_initial_state()
        for _ in range(plies):
            if not state.is_terminal():
                state.apply_action(choose.choice(state.legal_actions()))
        if state.is_terminal():
            continue
        engine.new_game()
        off = abs(engine.search(state, search.Limits(nodes=BALANCE_NODES)).best.score)
        if best is None or off < best[0]:
            best = off, state.history()
        if off <= BALANCED:
            break
    if best is None:
        raise ValueError(f"an opening of {plies} moves leaves nothing to play in {game.name}; use fewer")
    return best[1]


def may_repeat(players: Sequence[PlayerLike]) -> bool:
    """Returns whether games may repeat, because no player is known to be random. Nothing is known of bot files."""
    for each in players:
        if not _is_file(each):
            player = make_player(each, seed=0)
            if isinstance(each, str):
                player.close()
            if not player.is_deterministic:
                return False
    return True


def _is_file(player: PlayerLike) -> bool:
    return isinstance(player, str) and is_bot_file(player)


def plays_from_start_only(player: PlayerLike) -> bool:
    """Returns whether a player cannot start from given moves, like programs for CodinGame."""
    return isinstance(player, str) and player.startswith("cg:")


def usual_plies(game: Game) -> int:
    """Returns the usual number of plies of an opening of the game."""
    return OPENING_PLIES if game.rules.nested else FLAT_PLIES


def needed_plies(game: Game, players: Sequence[PlayerLike]) -> int:
    """Returns the plies of openings that keep these players from repeating games; 0 if none are needed.

    A language model may always give the same answer, whatever its sampling settings.
    """
    if any(map(_is_file, players)):
        return 0
    models = any(isinstance(player, str) and player.startswith("llm:") for player in players)
    return usual_plies(game) if models or may_repeat(players) else 0
