"""One game played by text: the environment behind `noughts.envs.text.make`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from noughts.game import Game, IllegalMove, State
from noughts.rules.spec import checked_number, short_repr
from noughts.text.boards import board_and_moves
from noughts.text.prompts import has_text_of_wild, prompt, system_prompt
from noughts.text.replies import CUT_OFF_REFUSAL, GAME_OVER, MoveReader, Refusal, explain, harmless, reader_of
from noughts.text.texts import announce, ending

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

    moves: the actions since `reset`.
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
        _require("observation", observation, OBSERVATIONS)
        _require("take", take, TAKES)
        self.game = game
        self.error_allowance: int = checked_number("error_allowance", error_allowance, 0, MOST_ERRORS)
        self.talk = talk
        self.take = take
        self.observation = observation
        self.list_moves = list_moves
        self.reader: MoveReader = reader_of(game.rules)
        self.prompts: list[str] = [prompt(game.rules, player, full=full_rules) for player in (0, 1)]
        self.moves: list[int] = []
        # Wild's document fixes an opening that shows neither the board nor the moves.
        self._opens_bare = has_text_of_wild(game.rules) and not full_rules
        self._gap = "\n" if game.rules.nested else "\n\n"  # nested games say little at a time
        self._state: State | None = None

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
        state = self._state = self.game.new_initial_state() if start is None else _start_of(self.game, start)
        self.player: int = state.current_player()
        """The player to move; after the end, the last to reply."""
        self.moves = []
        self._movers: list[int] = []  # the players of `moves`
        self._events: list[str] = []  # the announcements of `moves`
        self._texts: tuple[str, str] | None = None  # the board and the list of moves, once they are made
        self._errors = 0  # invalid replies in a row, after `_notice_at` moves
        self._lost_by: Refusal | None = None  # the invalid reply that ended the game, if one did
        self.ending: str = ""
        """A sentence on how the game ended; empty while it is in play."""
        opening = ""
        if start is not None:
            opening = f"[GAME] The game goes on from this position. Player {self.player} is to move."
        self._notice, self._notice_at = opening, 0  # the last message besides the moves, and its ply
        self._prompts = self.prompts if prompts is None else list(prompts)
        self._openings = [f"{text}\n\n{opening}" if opening else text for text in self._prompts]
        self._is_bare = self._opens_bare and start is None and prompts is None
        # By player, if they read the history: everything since the opening.
        first = "\n" if self.game.rules.nested else "" if self._is_bare else f"\n\n{self._drawn()[0]}"
        self._histories = [f"{text}{first}" for text in self._openings]

    @property
    def started(self) -> bool:
        """Whether there is a game: `reset` has been called."""
        return self._state is not None

    def current_state(self) -> State:
        """Returns the environment's own position, which changes with the next move: to read at once."""
        if self._state is None:
            raise ValueError("there is no game yet; call reset() first")
        return self._state

    @property
    def state(self) -> State:
        """The position with its moves, for programs that do not read text. A copy: play with `step`."""
        return self.current_state().clone()

    @property
    def board(self) -> str:
        """The board as text, with where to play and the available moves."""
        return "".join(self._drawn())

    def messages(self) -> list[dict[str, str]]:
        """Returns the messages to a model without memory for the player to move, the observation last."""
        system = system_prompt(self.take, self.error_allowance)
        return [{"role": "system", "content": system}, {"role": "user", "content": self.get_observation()[1]}]

    def read(self, reply: str) -> int | None:
        """Returns the legal action that a reply names; None if it names none."""
        action, _ = self.reader.read(reply, last=self.take == "last")
        return action if action in self.current_state().legal_actions() else None

    @property
    def done(self) -> bool:
        """Whether the game is over."""
        self.current_state()
        return bool(self.ending)

    def get_observation(self) -> tuple[int, str]:
        """Returns the player to move and their observation; after the end, the last mover and how the game ended."""
        self.current_state()  # raises ValueError before the first game
        return self.player, self.observation_for(self.player)

    def observation_for(self, player: int) -> str:
        """Returns the observation of a player, whether or not it is their turn."""
        if self.observation == "history" and not self.game.rules.nested:
            bare = self._is_bare and not self.moves
            history = self._histories[player]
            return history if bare or self.ending else history + self._drawn()[1]
        if self.observation == "history":
            news = f"{self._histories[player].rstrip()}\n\n"
        elif self.observation == "news":
            news = self._news_for(player)
        else:
            last = self._notice if self._notice_at == len(self.moves) else self._events[-1]
            news = "".join([f"{part}\n\n" for part in (self._prompts[player], last) if part])
        text = f"{news}{self.board}"
        return f"{text}\n\n[GAME] {self.ending}" if self.ending else text

    def step(self, action: str, *, cut_off: bool = False) -> tuple[bool, Info]:
        """Plays the move in a player's reply. Returns whether the game is over, and the result of the reply:

        valid; reason, a word of `replies.REASONS` or None; message, the reason in a sentence; player, the author;
        action and move, those played or None; again, whether the same player is asked again after an invalid reply.
        cut_off: whether the reply reached a limit before its end; such a reply is refused, whatever it says.
        """
        if not isinstance(action, str):
            raise TypeError(f"step takes a player's reply as a string, not {type(action).__name__}")
        state = self.current_state()
        if cut_off:
            return self._refuse(CUT_OFF_REFUSAL)
        number, written = self.reader.read(action, last=self.take == "last")
        if number is not None:
            try:
                return self._play(number, action)
            except IllegalMove:
                pass
        return self._refuse(None if self.ending else explain(state, number, written, self.reader.names))

    def play(self, action: int) -> tuple[bool, Info]:
        """Plays an action, for a player who does not write; both players read the same as if its text had been the
        reply.

        Returns the same as `step`. Raises IllegalMove, without a change, if the rules do not allow it.
        """
        return self._play(action, "")

    def _play(self, action: int, reply: str) -> tuple[bool, Info]:
        """Plays an action. reply: the words of its author, shown to the other player if `talk` is set."""
        state, player = self.current_state(), self.player
        if self.ending:
            raise IllegalMove(f"action {action} cannot be played: the game is over; reset() starts another")
        state.apply_action(action)
        action = int(action)
        move = self.reader.names[action]
        words = harmless(reply, move) if self.talk and reply else move
        event = f"[Player {player}] {words}\n[GAME] {announce(state, player, action)}"
        self.moves.append(action)
        self._movers.append(player)
        self._events.append(event)
        self._texts = None
        if state.is_terminal():
            self.ending = ending(state)
        else:
            self.player = state.current_player()
        if self.observation == "history":
            if not self.game.rules.nested:
                event += f"\n{self._drawn()[0]}"
                if self.ending:
                    event += f"\n\n[GAME] {self.ending}"
            self._tell(event)
        return bool(self.ending), {
            "valid": True,
            "reason": None,
            "message": None,
            "player": player,
            "action": action,
            "move": move,
            "again": False,
        }

    def close(self) -> tuple[dict[int, float] | None, dict[int, Info]]:
        """Returns the rewards by player (None before the end), and by player how the game went for them.

        role; turn_count, moves made; invalid_move, whether an invalid reply of theirs ended the game; reason, how the
        game ended in a sentence; ended_by, "line", "full", "no_moves" or "invalid"; fault, why a reply was invalid;
        points, of the game itself.
        """
        outcome = self.current_state().outcome()
        ended_by = "invalid" if self._lost_by else outcome.reason if outcome else None
        infos: dict[int, Info] = {}
        for player in (0, 1):
            offender = player == self.forfeited
            infos[player] = {
                "role": f"Player {player}",
                "turn_count": self._movers.count(player),
                "invalid_move": offender,
                "reason": self.ending or None,
                "ended_by": ended_by,
                "fault": self._lost_by.reason if self._lost_by and offender else None,
                "points": outcome.points[player] if outcome else None,
            }
        return self.rewards, infos

    @property
    def forfeited(self) -> int | None:
        """The player whose invalid reply ended the game; None if none did."""
        return self.player if self._lost_by else None

    @property
    def rewards(self) -> dict[int, float] | None:
        """The rewards by player; None before the end."""
        if self._lost_by:
            return {self.player: -1, 1 - self.player: 0}
        if not self.done:
            return None
        returns = self.current_state().returns()
        return {player: int(value) if value == int(value) else value for player, value in enumerate(returns)}

    def _drawn(self) -> tuple[str, str]:
        """Returns the board with where to play and the list of moves, made once for each position."""
        if self._texts is None:
            self._texts = board_and_moves(self.current_state(), list_moves=self.list_moves)
        return self._texts

    def _tell(self, text: str, *players: int) -> None:
        """Adds a message to the history of these players (default: of both)."""
        if self.observation == "history":
            for player in players or (0, 1):
                self._histories[player] += self._gap + text

    def _news_for(self, player: int) -> str:
        """Returns the events since the last reply of a player, with a gap below."""
        if self._errors and self._notice_at == len(self.moves) and self.player == player:
            return f"{self._notice}\n\n"
        news = []
        for mover, event in zip(reversed(self._movers), reversed(self._events), strict=True):
            news.append(event)
            if mover == player:
                break
        else:
            news.append(self._openings[player])  # no reply yet
        return "".join([f"{text}\n\n" for text in reversed(news)])

    def _refuse(self, refusal: Refusal | None) -> tuple[bool, Info]:
        """Handles an invalid reply: the player reads the reason and is asked again, or the game is over."""
        player = self.player
        if self.ending or refusal is None:
            return True, _refused(player, Refusal(GAME_OVER, "the game is over; reset() starts another."))
        # A later move has reset the count of earlier ones.
        errors = self._errors + 1 if self._notice_at == len(self.moves) else 1
        left = self.error_allowance - errors
        if left < 0:
            self._lost_by = refusal
            self.ending = f"Player {player} made an invalid move: {refusal.message} Player {player} loses."
            if not self.game.rules.nested:
                self._tell(f"[GAME] {self.ending}")
            return True, _refused(player, refusal)
        warning = "the next invalid move loses the game" if left == 0 else f"invalid moves still forgiven: {left}"
        self._notice = f"[GAME] Invalid move: {refusal.message} Choose again; {warning}."
        self._tell(self._notice, player)
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
