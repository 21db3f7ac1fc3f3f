"""Play in the terminal, against the computer or against a person beside you.

Choose a cell with the arrow keys and press Enter, or type a move. Commands:
hint, moves, rules, board, undo, save, resign, help, quit. The default opponent
is the engine at level 3, which a thoughtful beginner can beat; level 10 is the
strongest.

Games are saved. After a finished game you see your costliest move; `noughts
play` offers to continue an unfinished one.

examples:
  noughts play                              choose from a menu
  noughts play extreme
  noughts play ultimate --level 6
  noughts play wild --second                you move second
  noughts play classic --opponent perfect   never loses
  noughts play extreme --opponent bot.py    a bot file, in the sandbox
  noughts play ultimate --opponent human
  noughts play extreme --web                in the browser
  noughts play saved.json                   continue a saved game
  noughts play classic --from "X../.O./... p0"
"""

from __future__ import annotations

import argparse
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from noughts import sandbox, web
from noughts.commands import serve
from noughts.commands._compiling_player import CompilingPlayer
from noughts.commands._evaluations import turning_point
from noughts.commands._keys import KeyBoard
from noughts.commands._options import UNSAFE_HELP, add_ascii
from noughts.commands._saved_games import PERSON, games_folder, save_game
from noughts.commands._session import COMMANDS, KEYS_HELP, GameSession, LeftGame
from noughts.commands.menu import choose_game, has_keys
from noughts.commands.output import width
from noughts.game import Game, State
from noughts.library import game_from_command_line, is_built_in, register_game
from noughts.matches.record import UNFINISHED, GameRecord
from noughts.matches.replays import load
from noughts.notation import action_form
from noughts.players import BasePlayer, listed_player, make_player
from noughts.players.bot import BotPlayer
from noughts.players.registry import STRENGTHS
from noughts.printable import one_line, paragraph, shell_quote
from noughts.rules.kernels.jit import is_ready
from noughts.sandbox.faults import BotFault

LONGEST_COMMAND = 8192
DEFAULT_LEVEL = 3
"""Default level: looks one reply ahead and errs; a thoughtful beginner can beat it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "game", nargs="?", help="game of `noughts games`, FILE.py:RECORD, or saved game (default: a menu)"
    )
    parser.add_argument(
        "--opponent",
        metavar="PLAYER",
        help="easy, medium, hard, perfect, random, human, a bot file, or one of `noughts players`",
    )
    parser.add_argument(
        "--level", type=int, metavar="N", help=f"level of the engine, 1 to 10 (default: {DEFAULT_LEVEL})"
    )
    parser.add_argument("--unsafe", action="store_true", help=UNSAFE_HELP)
    parser.add_argument("--second", action="store_true", help="let the opponent move first")
    parser.add_argument("--from", dest="position", metavar="POSITION", help="position to start from")
    parser.add_argument("--seed", type=int, help="seed of the opponent (default: random)")
    add_ascii(parser)
    parser.add_argument("--typed", action="store_true", help="typed moves only: no cursor, nothing redrawn in place")
    parser.add_argument("--web", action="store_true", help="play in the browser")
    parser.add_argument(
        "--no-browser", action="store_true", help="with --web: print the address without opening a browser"
    )


@dataclass
class Setup:
    """The state that lasts from one game to the next. text: the opponent as given. name: the opponent's displayed
    name.
    """

    args: argparse.Namespace
    game: Game
    text: str
    name: str
    opponent: BasePlayer | None


def run(args: argparse.Namespace) -> int:
    with suppress(ImportError):  # line editing, if the platform has it
        import readline  # noqa: F401, PLC0415
    if args.no_browser and not args.web:
        raise ValueError("--no-browser changes --web; pass both")
    if args.game is None:
        args.game = choose_game(args)
    if args.web:
        return _in_browser(args)
    record = _saved(args)
    try:
        setup, state = _set_up(args, record)
    except BotFault as error:
        more = "; run `noughts check` for details" if sandbox.is_bot_file(args.opponent) else ""
        raise ValueError(f"{one_line(args.opponent)}: {error.fault.text}{more}") from None
    try:
        while _one_game(setup, state):
            args.second = not args.second if _may_swap(setup) else args.second
            args.position = None
            state = setup.game.new_initial_state()
    except BotFault as error:
        print(paragraph(f"{setup.name}: {error.fault.text}. You win.", width()))
    finally:
        if setup.opponent is not None:
            setup.opponent.close()
    return 0


def _in_browser(args: argparse.Namespace) -> int:
    """Opens the page with this game selected. Only listed games and players are available, from the usual start."""
    game = game_from_command_line(args.game)
    if not is_built_in(game):
        register_game(game.rules)
    if args.position is not None or args.seed is not None:
        raise ValueError("--from and --seed do not work with --web; to start from a position, use Analyse on the page")
    level = DEFAULT_LEVEL if args.level is None else args.level
    opponent = f"alphabeta:level={level}" if args.opponent is None else args.opponent
    if opponent in STRENGTHS:
        opponent = f"alphabeta:level={STRENGTHS[opponent]}"
    opponent = "screen" if opponent == "human" else opponent
    known = [*web.listed_opponents({}), "screen", "link"]
    if opponent not in known:
        raise ValueError(f"--web offers these opponents: {', '.join(known)}; `noughts serve --player` adds others")
    wanted = f"/?game={game.name}&opponent={opponent}&seat={int(args.second)}"
    serve.serve_page(web.Settings(port=0, games=web.games_file(), spare=True), wanted, open_browser=not args.no_browser)
    return 0


def _saved(args: argparse.Namespace) -> GameRecord | None:
    """Returns the saved game that the arguments name, or None."""
    if not args.game.lower().endswith(".json"):
        return None
    if not Path(args.game).is_file():
        raise ValueError(f"there is no saved game {args.game!r}; run `noughts play` to list yours")
    record = load(args.game)
    if record.reason != UNFINISHED:
        raise ValueError(f"the game in {args.game} is over; look at it with `noughts replay {shell_quote(args.game)}`")
    if args.position is not None:
        raise ValueError("--from is for new games; leave it out to continue a saved one")
    return record


def _set_up(args: argparse.Namespace, record: GameRecord | None) -> tuple[Setup, State]:
    if record is None:
        game = game_from_command_line(args.game)
        state = game.from_string(args.position) if args.position is not None else game.new_initial_state()
    else:
        game, state = record.game, record.states()[-1][0]
    chosen = None
    if record is not None and PERSON in record.players:
        args.second = record.players[1] == PERSON
        chosen = record.players[0 if args.second else 1]
    elif record is not None:
        chosen = "human"
    setup = _opponent(args, game, chosen)
    learnt = (0, 1) if setup.opponent is None else setup.opponent.seats
    if int(not args.second) not in learnt:
        args.second = not args.second
        print(
            f"{setup.name} only learned to move {'second' if 1 in learnt else 'first'}, so you move "
            f"{'first' if 1 in learnt else 'second'}."
        )
    return setup, state


def _opponent(args: argparse.Namespace, game: Game, chosen: str | None) -> Setup:
    """Returns the opponent. chosen: its name in a saved game, which must be a listed player's."""
    if args.level is not None and args.opponent is not None:
        raise ValueError("--level is for the engine; pass either --level or --opponent")
    if args.level is not None and not 1 <= args.level <= 10:
        raise ValueError(f"--level must be 1 to 10, not {args.level}")
    text = f"alphabeta:level={args.level}" if args.level is not None else args.opponent
    if text is None and chosen is not None and chosen != "human":
        with suppress(ValueError):
            return _setup_with(args, game, chosen, listed_player(chosen, seed=args.seed))
    if text is None:
        text = chosen if chosen == "human" else f"alphabeta:level={DEFAULT_LEVEL}"
    if text.lower() == "human":
        return Setup(args, game, "human", "human", None)
    return _setup_with(args, game, text, _player(args, text))


def _player(args: argparse.Namespace, text: str) -> BasePlayer:
    """Returns the player of this name. If the person moves first, compilation can wait until the board is on the
    screen.
    """
    if (
        text in [f"alphabeta:level={level}" for level in range(1, 11)]
        and not args.second
        and not is_ready("alpha_beta")
    ):
        return CompilingPlayer(text, lambda: make_player(text, seed=args.seed))
    if args.unsafe and sandbox.is_bot_file(text):
        return BotPlayer(sandbox.read_bot(text), seed=args.seed, unsafe=True)
    return make_player(text, seed=args.seed)


def _setup_with(args: argparse.Namespace, game: Game, text: str, player: BasePlayer) -> Setup:
    player.prepare(game)
    kind, _, options = text.partition(":")
    level = options.removeprefix("level=")
    name = f"level {level}" if kind == "alphabeta" and level.isdecimal() else player.name
    return Setup(args, game, text, name, player)


def _may_swap(setup: Setup) -> bool:
    return setup.opponent is None or setup.opponent.seats == (0, 1)


def _one_game(setup: Setup, state: State) -> bool:
    """Plays one game to its end. Returns whether another one is wanted."""
    args, rules = setup.args, setup.game.rules
    keys = KeyBoard() if has_keys() and not args.typed else None
    session = GameSession(
        state,
        int(args.second),
        setup.opponent,
        setup.name,
        setup.text,
        args.ascii,
        start=None if args.position is None else state.clone(),
        keys=keys,
    )
    session.say(f"{rules.title}. {rules.summary} Your opponent is {setup.name}." if setup.opponent else rules.title)
    how = KEYS_HELP if keys else f"A move is {action_form(rules)}."
    session.say(f"{how} Also: {', '.join([*COMMANDS, 'help'])}.")
    try:
        session.play()
    except (LeftGame, EOFError, KeyboardInterrupt):
        _leave(setup, session)
        return False
    except BotFault:  # the opponent has forfeited
        raise
    except Exception:
        _leave(setup, session)
        raise
    _save_finished(setup, session)
    try:
        return input("Play again with seats swapped? (y/n) > ").strip().lower() in ("y", "yes")
    except (EOFError, KeyboardInterrupt):
        print()
        return False


def _save_finished(setup: Setup, session: GameSession) -> None:
    """Saves the game and prints the person's costliest move."""
    if not session.state.history():
        return
    try:
        record = session.record()
    except ValueError as error:
        print(f"The game is not saved: {error}.")
        return
    if setup.opponent is not None and record.score(session.seat) < 1:
        with suppress(KeyboardInterrupt):
            session.say(turning_point(record, session.seat))
    try:
        path = save_game(record, _own_file(setup.args))
    except (ValueError, OSError) as error:
        session.say(str(error))
        return
    setup.args.game = setup.game.name  # the next game gets its own file
    file = shell_quote(path)
    print(f"The game is saved:\n  noughts replay {file}\n  noughts analyze {file}")


def _own_file(args: argparse.Namespace) -> Path | None:
    """Returns the file to continue in, if the game came from the folder of saved games."""
    path = Path(args.game)
    return path if path.suffix == ".json" and path.resolve().parent == games_folder().resolve() else None


def _leave(setup: Setup, session: GameSession) -> None:
    """Saves the game and prints how to continue it."""
    print()
    moves = len(session.state.history())
    if moves > (session.seat if session.start is None else 0):  # the person has moved
        try:
            path, known = session.saved or (None, 0)
            path = path if path and known == moves else save_game(session.record(), _own_file(setup.args))
        except (ValueError, OSError) as error:
            print(error)
        else:
            print(f"The game is saved. To continue:\n  noughts play {shell_quote(path)}")
            return
    args = setup.args
    # a name may begin with a hyphen, like an option
    named = ["--opponent", setup.text] if not setup.text.startswith("-") else [f"--opponent={setup.text}"]
    again = ["noughts", "play", setup.game.name, *named, *["--second"] * args.second]
    if args.game.rpartition(":")[0].endswith(".py"):
        again[2] = args.game
    print("To continue from here:")
    again += ["--from", session.state.to_string()]
    print(f"  {' '.join(shell_quote(word, LONGEST_COMMAND) for word in again)}")
