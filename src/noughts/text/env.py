"""One game played by text: the environment behind `noughts.envs.text.make`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from noughts.game import Game, IllegalMove, State
from noughts.rules.spec import short_repr
from noughts.text.prompts import has_text_of_wild, prompt, system_prompt
from noughts.text.replies import CUT_OFF_REFUSAL, GAME_OVER, Refusal, explain, harmless
from noughts.text.texts import GameTexts, Position, texts_of

Info = dict[str, Any]

MOST_ERRORS = 1000
OBSERVATIONS = ("history", "board", "news")
TAKES = ("first", "last")


class TextEnv:
    """A game for two players who read and write.

    error_allowance: how many invalid replies in a row are allowed; after each, the player reads the reason and is asked
    again. One more ends the game with -1 for the offender and 0 for the other, who has not won by skill. observation:
    "history" (the rules and everything since), "board" (the rules, the last event, the board) or "news" (the events
    since the player's last reply, and the board; the rules at first), for chats that keep the rest. take: which
    bracketed move of a reply counts, the "first" or the "last" (for players that think aloud). list_moves: whether to
    list the available moves below the board. talk: whether players see each other's replies (see `replies.harmless`),
    or only the moves in them. full_rules: whether Wild opens with all its rules and the board, like every other game,
    instead of the four lines that its document fixes.

    moves, path: the actions since `reset`, and the positions before, between and after. All texts are built from these
    two on demand, only for the player who needs them.
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
                f"error_allowance must be a whole number from 0 to {MOST_ERRORS}, not {short_repr(error_allowance)}"
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
        self._names, self._exact = self.texts.reader.names, self.texts.reader.exact
        self._nested = game.rules.nested
        # The message about a move, by player and action, if it depends on nothing else.
        self._events = [] if self._nested or talk else self.texts.events
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
        """Starts a new game. Nothing here is random: the seed is part of the interface and has no effect.

        start: an unfinished position to begin from; `moves` are those that follow. prompts: the opening texts of the
        two players, instead of the game's own prompts.
        """
        if num_players != 2:
            raise ValueError(f"{self.game.rules.title} is for 2 players, not {num_players!r}")
        texts = self.texts
        self._start = None if start is None else _start_of(self.game, start)
        position = texts.start if self._start is None else texts.position(self._start)
        self.moves = []
        self.path = [position]
        self._replies: list[str] = []  # to `moves`, where players see them
        self._state: State | None = None  # the first moves on a board, and their number
        self._state_moves = 0
        self._errors = 0  # invalid replies in a row, after `_notice_at` moves
        self._lost_by: Refusal | None = None  # the invalid reply that ended the game, if one did
        self._forfeit = ""  # the same in a sentence
        self._start_notice = ""
        if self._start is not None:
            self._start_notice = f"[GAME] The game goes on from this position. Player {position.player} is to move."
        self._notice, self._notice_at = self._start_notice, 0  # the last message besides the moves, and its ply
        self._opened = self._prompts if prompts is None else list(prompts)
        # By player: all messages about the first moves, and how many moves these are.
        self._histories, self._history_plies = self._openings.copy(), [0, 0]
        if self._start is not None or prompts is not None:
            self._histories = [self._opening(position, player) for player in (0, 1)]

    @property
    def state(self) -> State:
        """The position with its moves, for programs that do not read text. A copy: play with `step`."""
        return self.current_state().clone()

    def current_state(self) -> State:
        """Returns the position on the environment's own board, which changes with the next move: to read at once."""
        if self._state is None:
            if not self.path:
                raise ValueError("there is no game yet; call reset() first")
            self._state = self.path[0].state.clone()
        while self._state_moves < len(self.moves):
            self._state.apply_action(self.moves[self._state_moves])
            self._state_moves += 1
        return self._state

    @property
    def player(self) -> int:
        """The player to move; after the end, the last to reply."""
        return self.position.player

    @property
    def position(self) -> Position:
        """The position as stored with its texts: read-only."""
        if not self.path:
            raise ValueError("there is no game yet; call reset() first")
        return self.path[-1]

    @property
    def board(self) -> str:
        """The board as text, with where to play and the available moves."""
        return self.position.text if self.list_moves else self.position.board

    def messages(self) -> list[dict[str, str]]:
        """Returns the messages to a model without memory for the player to move, the observation last."""
        system = system_prompt(self.take, self.error_allowance)
        return [{"role": "system", "content": system}, {"role": "user", "content": self.get_observation()[1]}]

    def read(self, reply: str) -> int | None:
        """Returns the legal action that a reply names; None if it names none."""
        action, _ = self.texts.reader.read(reply, last=self.take == "last")
        return action if action in self.position.legal else None

    @property
    def ending(self) -> str:
        """A sentence on how the game ended; empty while it is in play."""
        return self.position.ending or self._forfeit

    @property
    def done(self) -> bool:
        """Whether the game is over."""
        return self.position.end is not None or self._lost_by is not None

    def get_observation(self) -> tuple[int, str]:
        """Returns the player to move and their observation; after the end, the last mover and how the game ended."""
        player = self.position.player
        return player, self.observation_for(player)

    def observation_for(self, player: int) -> str:
        """Returns the observation of a player, whether or not it is their turn."""
        position = self.path[-1] if self.path else self.position
        if self.observation == "history" and not self._nested:
            return self._history_of(player) + self._listing(position)
        if self.observation == "news":
            news = self._news_for(player)
        elif self.observation == "board":
            last = self._notice if self._notice_at == len(self.moves) else self._event(len(self.moves) - 1)
            news = "".join([f"{part}\n\n" for part in (self._opened[player], last) if part])
        else:
            news = f"{self._history_of(player).rstrip()}\n\n"
        text = f"{news}{position.board}{position.listing if self.list_moves else ''}"
        if position.end or self._forfeit:
            return f"{text}\n\n[GAME] {self.ending}"
        return text

    def step(self, action: str, *, cut_off: bool = False) -> tuple[bool, Info]:
        """Plays the move in a player's reply. Returns whether the game is over, and the result of the reply:

        valid; reason, a word of `replies.REASONS` or None; message, the reason in a sentence; player, the author;
        action and move, those played or None; again, whether the same player is asked again after an invalid reply.
        cut_off: whether the reply reached a limit before its end; such a reply is refused, whatever it says.
        """
        position = self.position
        if cut_off:
            return self._refuse(position, CUT_OFF_REFUSAL)
        after = self.accept(action)
        if after is None:
            read = self.texts.reader.read(action, last=self.take == "last")
            return self._refuse(position, None if self.ending else explain(position.state, *read, self._names))
        return self._step_result()

    def play(self, action: int) -> tuple[bool, Info]:
        """Plays an action, for a player who does not write; both players read the same as if its text had been the
        reply.

        Returns the same as `step`. Raises IllegalMove, without a change, if the rules do not allow it.
        """
        if type(action) is not int or self.advance(action) is None:
            if self.ending:
                raise IllegalMove(f"action {action} cannot be played: the game is over; reset() starts another")
            self.position.state.child(action)  # raises IllegalMove if the action is not legal
            self.advance(int(action))
        return self._step_result()

    def accept(self, reply: str) -> Position | None:
        """Plays the move in a reply like `step`, but returns only the position after it.

        Returns None, without a change, if the reply is invalid: `step` then gives the reason.
        """
        action = self._exact.get(reply)
        if action is None:
            if not isinstance(reply, str):
                raise TypeError(f"step takes a player's reply as a string, not {type(reply).__name__}")
            action, _ = self.texts.reader.read(reply, last=self.take == "last")
            if action is None:
                return None
        after = self.advance(action)
        if self.talk and after is not None:
            self._replies[-1] = reply
        return after

    def advance(self, action: int) -> Position | None:
        """Plays an action like `play`, but returns only the position after it; None, without a change, if it cannot be
        played.
        """
        path = self.path
        position = path[-1] if path else self.position
        after = position.children.get(action)
        if after is None or self._forfeit:
            if self._forfeit or action not in position.legal:
                return None
            after = self.texts.after(position, action, self._child)
        path.append(after)
        self.moves.append(action)
        if self.talk:
            self._replies.append(self._names[action])
        return after

    def _child(self, action: int) -> State:
        """Returns the position after a move in the current one, on the environment's own board."""
        state = self.current_state()
        state.apply_action(action)
        self._state_moves += 1
        return state

    def close(self) -> tuple[dict[int, float] | None, dict[int, Info]]:
        """Returns the rewards by player (None before the end), and by player how the game went for them.

        role; turn_count, moves made; invalid_move, whether an invalid reply of theirs ended the game; reason, how the
        game ended in a sentence; ended_by, "line", "full", "no_moves" or "invalid"; fault, why a reply was invalid;
        points, of the game itself.
        """
        position = self.position
        outcome = position.end.outcome if position.end else None
        movers = [each.player for each in self.path]
        movers.pop()
        ended_by = "invalid" if self._lost_by else outcome.reason if outcome else None
        infos: dict[int, Info] = {}
        for player in (0, 1):
            offender = self._lost_by is not None and player == position.player
            infos[player] = {
                "role": f"Player {player}",
                "turn_count": movers.count(player),
                "invalid_move": offender,
                "reason": self.ending or None,
                "ended_by": ended_by,
                "fault": self._lost_by.reason if self._lost_by and offender else None,
                "points": outcome.points[player] if outcome else None,
            }
        return self._rewards(position), infos

    @property
    def forfeited(self) -> int | None:
        """The player whose invalid reply ended the game; None if none did."""
        return self.position.player if self._lost_by else None

    @property
    def rewards(self) -> dict[int, float] | None:
        """The rewards by player; None before the end."""
        return self._rewards(self.position)

    def _rewards(self, position: Position) -> dict[int, float] | None:
        if self._lost_by:
            return {position.player: -1, 1 - position.player: 0}
        return dict(enumerate(position.end.rewards)) if position.end else None

    def _listing(self, position: Position) -> str:
        """Returns the available moves, which follow all messages; Wild's opening, which shows no board, has none."""
        if not self.list_moves or self._forfeit:
            return ""
        is_opening = not self.moves and self._start is None and self._openings is self._prompts
        return "" if is_opening else position.listing

    def _opening(self, position: Position, player: int) -> str:
        """Returns a player's text before the first move, where it is not the usual one."""
        parts = [self._opened[player], self._start_notice, "" if self._nested else position.board]
        return "\n\n".join(filter(None, parts)) + "\n" * self._nested

    def _first_message(self, player: int) -> str:
        return f"{self._opened[player]}\n\n{self._start_notice}" if self._start_notice else self._opened[player]

    def _event(self, at: int) -> str:
        """Returns the message to both players about a move. at: number of earlier moves."""
        player, number = self.path[at].player, self.moves[at]
        if self._events:
            return self._events[player][number]
        move = self._names[number]
        reply = harmless(self._replies[at], move) if self.talk else move
        return f"[Player {player}] {reply}\n[GAME] {self.texts.announce(self.path[at + 1].state, player, number)}"

    def _news_for(self, player: int) -> str:
        """Returns the events since the last reply of a player, with a gap below."""
        path, moves, events, news = self.path, self.moves, self._events, ""
        last = len(moves) - 1
        if self._errors and self._notice_at == len(moves) and path[-1].player == player:
            return f"{self._notice}\n\n"
        if events and last > 0 and path[last - 1].player == player:  # one move of each: nearly always
            return f"{events[player][moves[last - 1]]}\n\n{events[path[last].player][moves[last]]}\n\n"
        for at in range(last, -1, -1):
            news = f"{self._event(at)}\n\n{news}"
            if path[at].player == player:
                return news
        return f"{self._first_message(player)}\n\n{news}"  # no reply yet

    def _history_of(self, player: int) -> str:
        """Returns all messages to a player."""
        moves, path, events, history = self.moves, self.path, self._events, self._histories[player]
        since = self._history_plies[player]
        if since == len(moves):
            return history
        added = ""
        for at in range(since, len(moves)):
            event = events[path[at].player][moves[at]] if events else self._event(at)
            added += f"\n{event}" if self._nested else f"\n\n{event}\n{path[at + 1].board}"
        if path[-1].end and not self._nested:
            added += f"\n\n[GAME] {path[-1].ending}"
        self._histories[player] = history = history + added
        self._history_plies[player] = len(moves)
        return history

    def _step_result(self) -> tuple[bool, Info]:
        """Returns the result of `step` after a move."""
        path, number = self.path, self.moves[-1]
        return path[-1].end is not None, {
            "valid": True,
            "reason": None,
            "message": None,
            "player": path[-2].player,
            "action": number,
            "move": self._names[number],
            "again": False,
        }

    def _refuse(self, position: Position, refusal: Refusal | None) -> tuple[bool, Info]:
        """Handles an invalid reply: the player reads the reason and is asked again, or the game is over."""
        player = position.player
        if self.ending or refusal is None:
            return True, _refused(player, Refusal(GAME_OVER, "the game is over; reset() starts another."))
        # A later move has reset the count of earlier ones.
        errors = self._errors + 1 if self._notice_at == len(self.moves) else 1
        left = self.error_allowance - errors
        if left < 0:
            self._lost_by = refusal
            self._forfeit = f"Player {player} made an invalid move: {refusal.message} Player {player} loses."
            if not self._nested:
                for seat in (0, 1):
                    self._histories[seat] = f"{self._history_of(seat)}\n\n[GAME] {self._forfeit}"
            return True, _refused(player, refusal)
        warning = "the next invalid move loses the game" if left == 0 else f"invalid moves still forgiven: {left}"
        self._notice = f"[GAME] Invalid move: {refusal.message} Choose again; {warning}."
        gap = "\n" if self._nested else "\n\n"  # nested games say little at a time
        self._histories[player] = f"{self._history_of(player)}{gap}{self._notice}"
        self._errors, self._notice_at = errors, len(self.moves)
        return False, _refused(player, refusal, again=True)


def _start_of(game: Game, start: State | str) -> State:
    """Returns the start position. Raises ValueError if it is not an unfinished position of the game."""
    state = game.from_string(start) if isinstance(start, str) else start
    if not isinstance(state, State) or state.game.rules != game.rules:
        raise ValueError(f"start must be a position of {game.name}, a State or its text, not {short_repr(start)}")
    if state.is_terminal():
        raise ValueError(
            f"the game is over in {short_repr(state.to_string())}; start from a position in which it is not"
        )
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
        raise ValueError(f"{name} must be {' or '.join(map(repr, allowed))}, not {value!r}")
