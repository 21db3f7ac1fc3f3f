"""One game played by text: the environment behind `noughts.envs.text.make`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from noughts.game import Game, IllegalMove, State
from noughts.rules.spec import shown
from noughts.text.prompts import has_text_of_wild, prompt, system_prompt
from noughts.text.replies import CUT_OFF_REFUSAL, GAME_OVER, Refusal, explain, harmless
from noughts.text.texts import GameTexts, Position, texts_of

Info = dict[str, Any]

MOST_ERRORS = 1000
OBSERVATIONS = ("history", "board", "news")
TAKES = ("first", "last")


class TextEnv:
    """A game for two players who read and write.

    error_allowance: how many invalid replies in a row a player is forgiven: told why, and asked again. One more ends
    the game with -1 for the offender and 0 for the other, who has not won by skill.
    observation: "history" (the rules and everything since), "board" (the rules, the last event, the board) or "news"
    (what happened since the player's last reply, and the board; the rules at first), for chats that keep the rest.
    take: which bracketed move of a reply counts, the "first" or the "last" (for players who think aloud).
    list_moves: whether the available moves are listed below the board.
    talk: whether players see each other's replies (see `replies.harmless`), or only the moves in them.
    full_rules: whether Wild opens with all its rules and the board, as every other game does, instead of the four lines
    that its document fixes.

    moves, path: what was played since `reset`, and the positions before, between and after. All texts are made of these
    two, when they are asked for and only for the player who asks.
    """

    def __init__(
        self,
        game: Game,
        *,
        error_allowance: int = 0,
        observation: str = "history",
        take: str = "first",
        talk: bool = False,
        list_moves: bool = True,
        full_rules: bool = False,
    ) -> None:
        if type(error_allowance) is not int or not 0 <= error_allowance <= MOST_ERRORS:
            raise ValueError(
                f"error_allowance is a whole number, 0 or more and at most {MOST_ERRORS}, not {shown(error_allowance)}"
            )
        _require("observation", observation, OBSERVATIONS)
        _require("take", take, TAKES)
        self.game = game
        self.error_allowance = error_allowance
        self.texts: GameTexts = texts_of(game)
        self.talk = talk
        self.take = take
        self.observation = observation
        self.list_moves = list_moves
        self._prompts, self._openings = self.texts.prompts, self.texts.openings
        if full_rules and has_text_of_wild(game.rules):
            self._prompts = [prompt(game.rules, player, full=True) for player in (0, 1)]
            self._openings = [f"{text}\n\n{self.texts.start.board}" for text in self._prompts]
        self._names = self.texts.reader.names
        self._nested = game.rules.nested
        self._gap = "\n" if self._nested else "\n\n"  # between what is said; nested games say little at a time
        self.moves: list[int] = []
        self.path: list[Position] = []

    def reset(
        self,
        num_players: int = 2,
        seed: int | None = None,
        *,
        start: State | str | None = None,
        prompts: Sequence[str] | None = None,
    ) -> None:
        """Starts a new game. Nothing here is random: a seed is part of the interface, and changes nothing.

        start: a position to begin from, in which the game is not over; `moves` are those that follow. prompts: what the
        two players are told at first, instead of the game's own prompts.
        """
        if num_players != 2:
            raise ValueError(f"{self.game.rules.title} is for 2 players, not {num_players!r}")
        texts = self.texts
        self._start = None if start is None else _start_of(self.game, start)
        position = texts.start if self._start is None else texts.position(self._start)
        self.moves = []
        self.path = [position]
        self._replies: list[str] = []  # to `moves`, where players see them
        self._state: State | None = None  # the moves on a board, made when somebody asks
        self._errors, self._errors_at = 0, 0  # invalid replies in a row, and after how many moves
        self._lost_by: Refusal | None = None  # the invalid reply that ended the game, if one did
        self._forfeit = ""  # the same in a sentence
        # The last thing that was said besides the moves, and after how many moves, for the short observation.
        self._notice, self._notice_at = "", 0
        # By player: all that was said, and the news besides the moves, each with how many moves were played then.
        self._opened = self._prompts if prompts is None else list(prompts)
        self._told, self._told_at = list(self._openings), [0, 0]
        self._news, self._news_at = list(self._opened), [0, 0]
        if self._start is not None:
            self._notice = f"[GAME] The game goes on from this position. Player {position.player} is to move."
            self._news = [f"{text}\n\n{self._notice}" for text in self._opened]
        if self._start is not None or prompts is not None:
            self._told = [self._opening(position, player) for player in (0, 1)]

    @property
    def state(self) -> State:
        """The position, with its moves, for those who need not read it from text. A copy: play by `step`."""
        if not self.path:
            raise ValueError("there is no game yet; call reset() first")
        if self._state is None:
            self._state = self.game.new_initial_state() if self._start is None else self._start.clone()
        before = 0 if self._start is None else len(self._start.history())
        for action in self.moves[len(self._state.history()) - before :]:
            self._state.apply_action(action)
        return self._state.clone()

    @property
    def player(self) -> int:
        """Whose turn it is; after the end, who replied last."""
        return self.position.player

    @property
    def position(self) -> Position:
        """The position as it is remembered with its texts: to read, not to change."""
        if not self.path:
            raise ValueError("there is no game yet; call reset() first")
        return self.path[-1]

    @property
    def board(self) -> str:
        """The board as text, with where to play and the available moves."""
        return self._board(self.position)

    def messages(self) -> list[dict[str, str]]:
        """Returns what a model that keeps nothing is sent for the player whose turn it is, the observation last."""
        system = system_prompt(self.take, self.error_allowance)
        return [{"role": "system", "content": system}, {"role": "user", "content": self.get_observation()[1]}]

    def read(self, reply: str) -> int | None:
        """Returns the legal action that a reply names; None if it names none."""
        action, _ = self.texts.reader.read(reply, last=self.take == "last")
        return action if action in self.position.legal else None

    @property
    def ending(self) -> str:
        """How the game ended, in a sentence; nothing if it has not."""
        return self.position.ending or self._forfeit

    def get_observation(self) -> tuple[int, str]:
        """Returns whose turn it is, and what this player is shown; after the end, the last mover and how it ended."""
        player = self.position.player
        return player, self.observation_for(player)

    def observation_for(self, player: int) -> str:
        """Returns what a player is shown, whoever's turn it is."""
        position = self.position
        if self.observation == "history" and not self._nested:
            return self._history_of(player) + self._listing(position)
        if self.observation == "news":
            said = self._news_for(player)
        elif self.observation == "board":
            last = [self._notice] if self._notice_at == len(self.moves) else self._events(len(self.moves) - 1)
            said = "\n\n".join([self._opened[player], *filter(None, last)])
        else:
            said = self._history_of(player).rstrip()
        text = f"{said}\n\n{self._board(position)}"
        ending = self._forfeit or position.ending
        return f"{text}\n\n[GAME] {ending}" if ending else text

    def step(self, action: str, *, cut_off: bool = False) -> tuple[bool, Info]:
        """Plays the move in a player's reply. Returns whether the game is over, and what became of the reply:

        valid; reason, a word of `replies.REASONS` or None; message, the reason in a sentence; player, who replied;
        action and move, what was played or None; again, whether the same player is asked again after an invalid reply.
        cut_off: whether the reply reached a limit before its end; then it is refused, whatever it says.
        """
        position = self.position
        if cut_off:
            return self._refuse(position, CUT_OFF_REFUSAL)
        after = self.accept(action)
        if after is None:
            read = self.texts.reader.read(action, last=self.take == "last")
            return self._refuse(position, None if self.ending else explain(position.state, *read, self._names))
        return self._played()

    def play(self, action: int) -> tuple[bool, Info]:
        """Play an action, for a player who does not write; both are told the same as if its text had been the reply.

        Returns what `step` does. IllegalMove, and nothing changed, if the rules do not allow it.
        """
        self.advance(action)
        return self._played()

    def accept(self, reply: str) -> Position | None:
        """`step` for those who need no account of it: the position after the move in a reply.

        None, and nothing has changed, if the reply is not valid: then `step` says why.
        """
        position = self.position
        if not isinstance(reply, str):
            raise TypeError(f"step takes a player's reply as a string, not {type(reply).__name__}")
        number, _ = self.texts.reader.read(reply, last=self.take == "last")
        after = None if number is None or self._forfeit else self.texts.after(position, number)
        if number is None or after is None:
            return None
        self._add(number, after, reply)
        return after

    def advance(self, action: int) -> Position:
        """`play` for those who need no account of it: the position after an action."""
        position = self.position
        after = None if self._forfeit or type(action) is not int else self.texts.after(position, action)
        if after is None:
            if self.ending:
                raise IllegalMove(f"action {action} cannot be played: the game is over; reset() starts another")
            position.state.child(action)  # which says what is legal, if this is not
            action = int(action)
            after = self.texts.after(position, action)
            assert after is not None
        self._add(action, after, self._names[action])
        return after

    def _add(self, action: int, after: Position, reply: str) -> None:
        """A move that was played."""
        self.path.append(after)
        self.moves.append(action)
        if self.talk:
            self._replies.append(reply)

    def close(self) -> tuple[dict[int, float] | None, dict[int, Info]]:
        """The rewards by player (None before the end), and by player how the game went for them.

        role; turn_count, moves made; invalid_move, whether an invalid reply of theirs ended the game; reason, how the
        game ended in a sentence; ended_by, "line", "full", "no_moves" or "invalid"; fault, why a reply was invalid;
        points, what the game itself pays.
        """
        position = self.position
        outcome = position.outcome
        movers = [each.player for each in self.path]
        movers.pop()
        ending = position.ending or self._forfeit
        ended_by = "invalid" if self._lost_by else outcome.reason if outcome else None
        infos: dict[int, Info] = {}
        for player in (0, 1):
            offender = self._lost_by is not None and player == position.player
            infos[player] = {
                "role": f"Player {player}",
                "turn_count": movers.count(player),
                "invalid_move": offender,
                "reason": ending or None,
                "ended_by": ended_by,
                "fault": self._lost_by.reason if self._lost_by and offender else None,
                "points": outcome.points[player] if outcome else None,
            }
        return self._rewards(position), infos

    @property
    def forfeited(self) -> int | None:
        """The player whose invalid reply ended the game, if one did."""
        return self.position.player if self._lost_by else None

    @property
    def rewards(self) -> dict[int, float] | None:
        """The rewards by player; None before the end."""
        return self._rewards(self.position)

    def _rewards(self, position: Position) -> dict[int, float] | None:
        if self._lost_by:
            return {position.player: -1, 1 - position.player: 0}
        if not position.ending:
            return None
        return {0: position.rewards[0], 1: position.rewards[1]}

    def _board(self, position: Position) -> str:
        """What a player sees of a position."""
        return position.board + position.listing if self.list_moves else position.board

    def _listing(self, position: Position) -> str:
        """The available moves below all that was said; Wild's opening, which shows no board, has none."""
        opening = not self.moves and self._start is None and self._openings is self._prompts
        return "" if not self.list_moves or self._forfeit or opening else position.listing

    def _opening(self, position: Position, player: int) -> str:
        """What a player is told before the first move, where it is not the usual."""
        parts = [self._opened[player], self._notice]
        if not self._nested:
            parts.append(position.board)
        return "\n\n".join(filter(None, parts)) + "\n" * self._nested

    def _events(self, since: int) -> list[str]:
        """The moves as both players are told them. since: after how many others."""
        places = range(since, len(self.moves))
        if not self._nested and not self.talk:
            path, moves, events = self.path, self.moves, self.texts.events
            return [events[path[at].player][moves[at]] for at in places]
        return [self._event(at) for at in places]

    def _event(self, at: int) -> str:
        """A move of a game in which what is said of it depends on the position, or on the reply."""
        player, number = self.path[at].player, self.moves[at]
        move = self._names[number]
        shown = harmless(self._replies[at], move) if self.talk else move
        return f"[Player {player}] {shown}\n[GAME] {self.texts.announce(self.path[at + 1].state, player, number)}"

    def _news_for(self, player: int) -> str:
        """What happened since the last reply of a player."""
        path, least, last = self.path, self._news_at[player], len(self.moves)
        since = last - 1
        while since >= least and path[since].player != player:
            since -= 1
        if since < least:  # no reply yet, or none since a refusal
            return "\n\n".join([self._news[player], *self._events(least)])
        return "\n\n".join(self._events(since))

    def _history_of(self, player: int) -> str:
        """All that a player was told."""
        moves, path, told = self.moves, self.path, self._told[player]
        if self._told_at[player] == len(moves):
            return told
        since = self._told_at[player]
        for at, event in enumerate(self._events(since), since):
            told += f"{self._gap}{event}" if self._nested else f"{self._gap}{event}\n{path[at + 1].board}"
        if path[-1].ending and not self._nested:
            told += f"\n\n[GAME] {path[-1].ending}"
        self._told[player] = told
        self._told_at[player] = len(moves)
        return told

    def _played(self) -> tuple[bool, Info]:
        """What `step` returns after a move."""
        path, number = self.path, self.moves[-1]
        return path[-1].ending != "", {
            "valid": True,
            "reason": None,
            "message": None,
            "player": path[-2].player,
            "action": number,
            "move": self._names[number],
            "again": False,
        }

    def _refuse(self, position: Position, refusal: Refusal | None) -> tuple[bool, Info]:
        """An invalid reply: the player is told why and asked again, or the game is over."""
        player = position.player
        if self.ending or refusal is None:
            return True, _refused(player, Refusal(GAME_OVER, "the game is over; reset() starts another."))
        # A move that was played since has made good for those before.
        self._errors = self._errors + 1 if self._errors_at == len(self.moves) else 1
        self._errors_at = len(self.moves)
        left = self.error_allowance - self._errors
        if left < 0:
            self._lost_by = refusal
            self._forfeit = f"Player {player} made an invalid move: {refusal.message} Player {player} loses."
            if not self._nested:
                for seat in (0, 1):
                    self._told[seat] = f"{self._history_of(seat)}\n\n[GAME] {self._forfeit}"
            return True, _refused(player, refusal)
        warning = "the next invalid move loses the game" if left == 0 else f"invalid moves still forgiven: {left}"
        self._notice = f"[GAME] Invalid move: {refusal.message} Choose again; {warning}."
        self._told[player] = f"{self._history_of(player)}{self._gap}{self._notice}"
        self._news[player] = self._notice
        self._notice_at = self._news_at[player] = len(self.moves)
        return False, _refused(player, refusal, again=True)


def _start_of(game: Game, start: State | str) -> State:
    """The position that a game begins from."""
    state = game.from_string(start) if isinstance(start, str) else start
    if not isinstance(state, State) or state.game.rules != game.rules:
        raise ValueError(f"start is a position of {game.name}, a State or its text, not {shown(start)}")
    if state.is_terminal():
        raise ValueError(f"the game is over in {shown(state.to_string())}; start from a position in which it is not")
    return state.clone()


def _refused(player: int, refusal: Refusal, *, again: bool = False) -> Info:
    return {
        "valid": False,
        "reason": refusal.reason,
        "message": refusal.message,
        "player": player,
        "action": None,
        "move": None,
        "again": again,
    }


def _require(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{name} is {' or '.join(map(repr, allowed))}, not {value!r}")
