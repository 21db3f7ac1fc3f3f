"""Play in the terminal: you against the computer, or two people at one keyboard.

Type a move, or one of: moves (what is legal), undo, resign, help, quit. When
you quit, the command that goes on from the same position is printed.

examples:
  noughts play extreme
  noughts play wild --second                you move second
  noughts play classic --opponent perfect   never loses
  noughts play ultimate --opponent human
  noughts play classic --from "X../.O./... p0"
"""

from __future__ import annotations

import argparse
import shlex
import textwrap
from contextlib import suppress
from typing import TYPE_CHECKING

from noughts.printable import one_line

if TYPE_CHECKING:
    from noughts.game import State
    from noughts.players import Player

MOVES_LISTED = 60
LONGEST_COMMAND = 8192


class Left(Exception):  # noqa: N818 - not an error
    """The person at the keyboard has had enough."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", help="a game of `noughts games`, or FILE.py:RECORD")
    parser.add_argument(
        "--opponent", default="random", metavar="PLAYER", help="random (the default), alphabeta?level=3, perfect, human"
    )
    parser.add_argument("--second", action="store_true", help="let the opponent move first")
    parser.add_argument("--from", dest="position", metavar="POSITION", help="start from this position")
    parser.add_argument("--seed", type=int, help="the same seed gives the same opponent")
    parser.add_argument("--ascii", action="store_true", help="draw with plain characters")


def run(args: argparse.Namespace) -> int:
    from noughts.library import game_from_command_line
    from noughts.players import make_player
    from noughts.sandbox.faults import BotFault

    game = game_from_command_line(args.game)
    state = game.from_string(args.position) if args.position is not None else game.new_initial_state()
    with suppress(ImportError):  # line editing, where the platform has it
        import readline  # noqa: F401
    opponent = None if args.opponent == "human" else make_player(args.opponent, seed=args.seed)
    if opponent is not None:
        opponent.prepare(game)
    learnt = (0, 1) if opponent is None else opponent.seats
    if int(not args.second) not in learnt:
        args.second = not args.second
        print(
            f"{one_line(args.opponent)} learnt to move {'second' if 1 in learnt else 'first'}, "
            "so you have the other seat."
        )
    try:
        Session(state, 1 if args.second else 0, opponent, args.ascii).play()
    except (Left, EOFError, KeyboardInterrupt):
        _say_how_to_go_on(args, state)
    except ValueError:  # the opponent cannot play on
        _say_how_to_go_on(args, state)
        raise
    except BotFault as error:
        print(f"{one_line(args.opponent)}: {error.fault.text}. You win.")
    finally:
        if opponent is not None:
            opponent.close()
    return 0


def _say_how_to_go_on(args: argparse.Namespace, state: State) -> None:
    # A name may begin with a hyphen, as an option does.
    named = ["--opponent", args.opponent] if not args.opponent.startswith("-") else [f"--opponent={args.opponent}"]
    again = ["noughts", "play", args.game, *named, *["--second"] * args.second]
    print("\nTo go on from here:")
    print(f"  {one_line(shlex.join(again), LONGEST_COMMAND)} --from '{state.to_string()}'")


class Session:
    """One game at the keyboard. `seat` is the person's; without an opponent they play both."""

    def __init__(self, state: State, seat: int, opponent: Player | None, ascii_only: bool) -> None:
        self.state = state
        self.seat = seat
        self.opponent = opponent
        self.ascii_only = ascii_only
        self.resigned: int | None = None

    def play(self) -> None:
        """Until the game ends or the person leaves."""
        from noughts.notation import action_form
        from noughts.players import Clock

        rules = self.state.game.rules
        self._say(f"{rules.title}. {rules.summary}")
        self._say(f"A move is {action_form(rules)}. Also: moves, undo, resign, help, quit.")
        while not self.state.is_terminal() and self.resigned is None:
            if self._is_person():
                self._draw()
                self._turn()
            else:
                assert self.opponent is not None
                action = self.opponent.choose(self.state, Clock())
                print(f"{one_line(self.opponent.name)} plays {self.state.action_to_string(action)}")
                self.state.apply_action(action)
        if self.resigned is None:
            self._draw()
        print(self._result())

    def _say(self, text: str) -> None:
        from noughts.commands.output import width

        print(textwrap.fill(text, width(), break_on_hyphens=False))

    def _is_person(self) -> bool:
        return self.opponent is None or self.state.current_player() == self.seat

    def _draw(self) -> None:
        from noughts.commands.output import board

        print(f"\n{board(self.state, ascii_only=self.ascii_only)}\n")

    def _turn(self) -> None:
        """Ask until the position changes."""
        while True:
            text = input(f"{self._who(self.state.current_player())}> ").strip()
            command = text.lower()
            if command in ("quit", "exit", "q"):
                raise Left
            if command == "resign":
                self.resigned = self.state.current_player()
                return
            if command == "undo":
                if self._undo():
                    return
            elif command in ("moves", "hint", "?"):
                self._say(self._legal())
            elif command in ("help", ""):
                print(self._help())
            elif self._move(text):
                return

    def _move(self, text: str) -> bool:
        try:
            action = self.state.string_to_action(text)
        except ValueError as error:
            self._say(f"{error}. Or type moves, undo, resign, help or quit.")
            return False
        if action not in self.state.legal_actions():
            print(f"{self.state.action_to_string(action)} cannot be played now.")
            self._say(self._legal())
            return False
        self.state.apply_action(action)
        return True

    def _undo(self) -> bool:
        """Take back to the person's previous choice; False, with a word, if there is none."""
        taken: list[int] = []
        while self.state.history():
            taken.append(self.state.history()[-1])
            self.state.undo_action()
            if self._is_person():
                print(f"Took back {', '.join(self.state.action_to_string(action) for action in reversed(taken))}.")
                return True
        for action in reversed(taken):
            self.state.apply_action(action)
        print("There is no move of yours to take back.")
        return False

    def _legal(self) -> str:
        legal = self.state.legal_actions()
        some = "  ".join(map(self.state.action_to_string, legal[:MOVES_LISTED]))
        more = f"  and {len(legal) - MOVES_LISTED} more" if len(legal) > MOVES_LISTED else ""
        return f"Legal moves ({len(legal)}): {some}{more}"

    def _help(self) -> str:
        from noughts.notation import action_form

        return (
            f"A move is {action_form(self.state.game.rules)}.\n"
            "moves   list the legal moves\n"
            "undo    take back your last move and the answer\n"
            "resign  give the game up\n"
            "quit    leave, and be told how to go on later"
        )

    def _who(self, player: int) -> str:
        rules = self.state.game.rules
        mark = f" ({rules.places[player]})" if rules.own_marks else ""
        if self.opponent is not None and not mark:
            mark = f" (player {player})"
        if self.opponent is None:
            return f"player {player}{mark}"
        return f"you{mark}" if player == self.seat else f"{one_line(self.opponent.name)}{mark}"

    def _result(self) -> str:
        if self.resigned is not None:
            return _sentence(f"{self._who(self.resigned)} resigned; {self._who(1 - self.resigned)} won.")
        end = self.state.outcome()
        assert end is not None
        points = f"points {end.points[0]} : {end.points[1]}"
        if end.winner is None:
            return f"The game is over without a line; {points}."
        verb = "win" if self.opponent and end.winner == self.seat else "wins"
        return _sentence(f"{self._who(end.winner)} {verb}; {points}.")


def _sentence(text: str) -> str:
    """With a capital at its beginning, the rest as it is."""
    return text[:1].upper() + text[1:]
