"""One game played by text: the environment behind `noughts.envs.text.make`."""

from __future__ import annotations

from typing import Any

from noughts.game import Game, IllegalMove, State
from noughts.rules.spec import shown
from noughts.text.boards import MOVES
from noughts.text.replies import GAME_OVER, Refusal, explain, harmless
from noughts.text.texts import Position, texts_of

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
    ) -> None:
        if type(error_allowance) is not int or not 0 <= error_allowance <= MOST_ERRORS:
            raise ValueError(
                f"error_allowance is a whole number, 0 or more and at most {MOST_ERRORS}, not {shown(error_allowance)}"
            )
        _require("observation", observation, OBSERVATIONS)
        _require("take", take, TAKES)
        self.game = game
        self.error_allowance = error_allowance
        self.texts = texts_of(game)
        self._exact = self.texts.reader.exact  # a reply that is a move and nothing else
        self._names = self.texts.reader.names
        self._heads = self.texts.heads
        self._short = observation == "board"
        self._only_news = observation == "news"
        self._events = self.texts.events
        self._wordy = game.rules.nested or talk  # what is said of a move depends on more than the move
        self._list_moves = list_moves
        self._last = take == "last"
        self.talk = talk
        self._nested = game.rules.nested
        self._gap = "\n" if self._nested else "\n\n"  # between what is said; nested games say little at a time
        # What is said of a move is known beforehand.
        self._plain = list_moves and not (self._nested or talk or self._short or self._only_news)
        self._position: Position | None = None

    def reset(self, num_players: int = 2, seed: int | None = None, *, start: State | str | None = None) -> None:
        """Start a new game. Nothing here is random: a seed is part of the interface, and changes nothing.

        start: a position to begin from, in which the game is not over; `moves` are those that follow.
        """
        if num_players != 2:
            raise ValueError(f"{self.game.rules.title} is for 2 players, not {num_players!r}")
        self._start = None if start is None else _start_of(self.game, start)
        self._position = self.texts.start if self._start is None else self.texts.position(self._start)
        self.moves: list[int] = []
        self._turns = [0, 0]
        self._state: State | None = None  # the moves on a board, made when somebody asks
        self._errors = 0  # invalid replies in a row
        self._lost_by: Refusal | None = None  # the invalid reply that ended the game, if one did
        self._ending = ""
        self._event = ""  # the last thing that happened, for the short observation
        self._told = self.texts.openings.copy()  # by player, all that was said so far
        if self._start is not None:
            self._event = f"[GAME] The game begins from a given position. Player {self._position.player} is to move."
        if not self._list_moves or self._start is not None:
            self._told = [self._opening(self._position, player) for player in (0, 1)]
        # By player, what happened since their last reply.
        self._news = [[text, self._event] if self._event else [text] for text in self.texts.prompts]

    @property
    def state(self) -> State:
        """The position, with its moves, for those who need not read it from text. A copy: play by `step`."""
        self._now()
        if self._state is None:
            self._state = self.game.new_initial_state() if self._start is None else self._start.clone()
        before = 0 if self._start is None else len(self._start.history())
        for action in self.moves[len(self._state.history()) - before :]:
            self._state.apply_action(action)
        return self._state.clone()

    @property
    def player(self) -> int:
        """Whose turn it is; after the end, who replied last."""
        return self._now().player

    @property
    def position(self) -> Position:
        """The position as it is remembered with its texts: to read, not to change."""
        return self._now()

    @property
    def board(self) -> str:
        """The board as text, with where to play and the available moves."""
        return self._board(self._now())

    @property
    def ending(self) -> str:
        """How the game ended, in a sentence; nothing if it has not."""
        self._now()
        return self._ending

    def get_observation(self) -> tuple[int, str]:
        """Whose turn it is, and what this player is shown; after the end, the last mover and how it ended."""
        player = (self._position or self._now()).player
        return player, self.observation_for(player)

    def observation_for(self, player: int) -> str:
        """What a player is shown, whoever's turn it is."""
        position = self._position or self._now()
        if self._only_news:
            text = position.text if self._list_moves else self._board(position)
            parts = [*self._news[player], text]
            if self._ending:
                parts.append(f"[GAME] {self._ending}")
            return "\n\n".join(parts)
        if self._short:
            parts = [self.texts.prompts[player], self._event, self._board(position)]
        elif self._nested:
            parts = [self._told[player].rstrip(), self._board(position)]
        else:
            return self._told[player]
        if self._ending:
            parts.append(f"[GAME] {self._ending}")
        return "\n\n".join(filter(None, parts))

    def step(self, action: str) -> tuple[bool, Info]:
        """Play the move in a player's reply. Returns whether the game is over, and what became of the reply:

        valid; reason, a word of `replies.REASONS` or None; message, the reason in a sentence; player, who replied;
        action and move, what was played or None; again, whether the same player is asked again after an invalid reply.
        """
        position = self._position or self._now()
        if self._ending:
            return True, _refused(position.player, Refusal(GAME_OVER, "the game is over; reset() starts another."))
        number, shown = self._exact.get(action), None
        if number is None:
            if not isinstance(action, str):
                raise TypeError(f"step takes a player's reply as a string, not {type(action).__name__}")
            number, shown = self.texts.reader.read(action, last=self._last)
        if number is None:
            return self._refuse(position, None, shown)
        after = position.children.get(number) or self.texts.after(position, number)
        if after is None:
            return self._refuse(position, number, self._names[number])
        return self._play(position, number, after, action)

    def play(self, action: int) -> tuple[bool, Info]:
        """Play an action, for a player who does not write; both are told the same as if its text had been the reply.

        Returns what `step` does. IllegalMove, and nothing changed, if the rules do not allow it.
        """
        position = self._position or self._now()
        if self._ending:
            raise IllegalMove(f"action {action} cannot be played: the game is over; reset() starts another")
        number = action
        after = position.children.get(number) if type(number) is int else None
        if after is None:
            position.state.child(action)  # which says what is legal, if this is not
            number = int(action)
            after = self.texts.after(position, number)
            assert after is not None
        return self._play(position, number, after, self._names[number])

    def _play(self, position: Position, number: int, after: Position, reply: str) -> tuple[bool, Info]:
        """Play a legal action that leads from a position to another, and tell both players."""
        player, told = position.player, self._told
        self._position = after
        self.moves.append(number)
        self._turns[player] += 1
        self._errors = 0
        if self._only_news:
            event = self._event_of(player, number, after, reply) if self._wordy else self._events[player][number]
            self._news[player] = [event]
            self._news[1 - player].append(event)
            self._ending = after.ending
            return after.ending != "", _played(player, number, self._names[number])
        block = self._heads[player][number] + after.text if self._plain else self._account(player, number, after, reply)
        if after.ending:
            self._ending = after.ending
            if not self._nested:
                block += f"\n\n[GAME] {after.ending}"
        told[0] += block
        told[1] += block
        return after.ending != "", _played(player, number, self._names[number])

    def close(self) -> tuple[dict[int, float] | None, dict[int, Info]]:
        """The rewards by player (None before the end), and by player how the game went for them.

        role; turn_count, moves made; invalid_move, whether an invalid reply of theirs ended the game; reason, how the
        game ended in a sentence; ended_by, "line", "full", "no_moves" or "invalid"; fault, why a reply was invalid;
        points, what the game itself pays.
        """
        position = self._position or self._now()
        outcome = position.outcome
        ended_by = "invalid" if self._lost_by else outcome.reason if outcome else None
        infos: dict[int, Info] = {}
        for player in (0, 1):
            offender = self._lost_by is not None and player == position.player
            infos[player] = {
                "role": f"Player {player}",
                "turn_count": self._turns[player],
                "invalid_move": offender,
                "reason": self._ending or None,
                "ended_by": ended_by,
                "fault": self._lost_by.reason if self._lost_by and offender else None,
                "points": outcome.points[player] if outcome else None,
            }
        return self._rewards(position), infos

    @property
    def rewards(self) -> dict[int, float] | None:
        """The rewards by player; None before the end."""
        return self._rewards(self._position or self._now())

    def _now(self) -> Position:
        if self._position is None:
            raise ValueError("there is no game yet; call reset() first")
        return self._position

    def _rewards(self, position: Position) -> dict[int, float] | None:
        if self._lost_by:
            return {position.player: -1, 1 - position.player: 0}
        if not self._ending:
            return None
        return {0: position.rewards[0], 1: position.rewards[1]}

    def _board(self, position: Position) -> str:
        """What a player sees of a position."""
        return position.text if self._list_moves else position.text.partition(f"\n\n{MOVES}")[0]

    def _opening(self, position: Position, player: int) -> str:
        """What a player is told before the first move, where it is not the usual."""
        parts = [self.texts.prompts[player], self._event]
        if not self._nested and (self._start is not None or self.texts.opens_with_board):
            parts.append(self._board(position))
        return "\n\n".join(filter(None, parts)) + "\n" * self._nested

    def _event_of(self, player: int, number: int, after: Position, reply: str) -> str:
        """A move as both players are told it, where that is not known beforehand."""
        shown = harmless(reply, self._names[number]) if self.talk else self._names[number]
        return f"[Player {player}] {shown}\n[GAME] {self.texts.announce(after.state, player, number)}"

    def _account(self, player: int, number: int, after: Position, reply: str) -> str:
        """What is added to the history of both players, where that is not known beforehand."""
        self._event = self._event_of(player, number, after, reply)
        return f"{self._gap}{self._event}" if self._nested else f"{self._gap}{self._event}\n{self._board(after)}"

    def _refuse(self, position: Position, number: int | None, shown: str | None) -> tuple[bool, Info]:
        """An invalid reply: the player is told why and asked again, or the game is over."""
        player, refusal = position.player, explain(position.state, number, shown, self._names)
        self._errors += 1
        left = self.error_allowance - self._errors
        if left < 0:
            self._lost_by = refusal
            self._ending = f"Player {player} made an invalid move: {refusal.message} Player {player} loses."
            if not self._nested:
                for seat in (0, 1):
                    self._told[seat] += f"\n\n[GAME] {self._ending}"
            return True, _refused(player, refusal)
        warning = "the next invalid move loses the game" if left == 0 else f"invalid moves still forgiven: {left}"
        self._event = f"[GAME] Invalid move: {refusal.message} Choose again; {warning}."
        self._told[player] += f"{self._gap}{self._event}"
        self._news[player] = [self._event]
        return False, _refused(player, refusal, again=True)


def _start_of(game: Game, start: State | str) -> State:
    """The position that a game begins from."""
    state = game.from_string(start) if isinstance(start, str) else start
    if not isinstance(state, State) or state.game.rules != game.rules:
        raise ValueError(f"start is a position of {game.name}, a State or its text, not {shown(start)}")
    if state.is_terminal():
        raise ValueError(f"the game is over in {shown(state.to_string())}; start from a position in which it is not")
    return state.clone()


def _played(player: int, number: int, move: str) -> Info:
    return {
        "valid": True,
        "reason": None,
        "message": None,
        "player": player,
        "action": number,
        "move": move,
        "again": False,
    }


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
