"""Run as an engine for other programs, over the Universal Game Interface (UGI).

The engine reads commands from standard input, as GUIs and match runners such
as cutegames send them: ugi, isready, setoption, uginewgame, position, go,
stop, query, quit. Moves and positions have the notation of noughts: 4,4 and
"9/9/9/9/4X4/9/9/9/9 p1 block=4". docs/engines.md describes the protocol.

examples:
  noughts ugi --game ultimate
  noughts match "ugi:noughts ugi --game classic" random --game classic
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import Event, Lock, Thread

from noughts import __version__, search
from noughts.files import machine_megabytes
from noughts.game import Game, State
from noughts.library import game_from_command_line
from noughts.printable import one_line

LONGEST_LINE = 1 << 16
"""Maximum characters of a line. A position with all moves of the longest game has a few thousand."""
MOST_VARIATIONS = 256
MOVES_AHEAD = 20
"""Number of moves that a clock for the whole game is divided by."""
CLOCK_MARGIN = 0.02
"""Seconds of such a clock that are kept in reserve."""
CENTIPAWNS = 100
"""Factor of the engine's score: `score cp 1000` is a certain win by points, 0 an even position."""
LIMITS = ("nodes", "depth", "movetime", "p1time", "p2time", "p1inc", "p2inc")
COMMANDS = "ugi, isready, setoption, uginewgame, position, go, stop, query, quit"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--game", required=True, help="game of `noughts games`, or FILE.py:RECORD")


def run(args: argparse.Namespace) -> int:
    with suppress(AttributeError):  # a test reads from memory, which is not a file
        sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]
    session = UgiSession(game_from_command_line(args.game), lambda line: print(line, flush=True))
    while line := sys.stdin.readline(LONGEST_LINE):
        if not session.obey(line):
            return 0
    session.finish()
    return 0


class UgiSession:
    """A conversation in UGI: `obey` takes lines in; `write` gives lines out, also from another thread."""

    def __init__(self, game: Game, write: Callable[[str], None]) -> None:
        self._game, self._state = game, game.new_initial_state()
        self._write, self._writing = write, Lock()
        self._engine: search.Engine | None = None
        self._options = {"Hash": 64, "MultiPV": 1, "Contempt": 1}
        self._search: Thread | None = None
        self._stop = Event()
        self._is_searching = self._is_infinite = False

    def obey(self, line: str) -> bool:
        """Runs a line. Returns False after `quit`. Answers errors with an `info string`."""
        words = line.split()
        if not words:
            return True
        if words[0] == "quit":
            self._stop_search()
            return False
        try:
            if len(line) >= LONGEST_LINE:
                raise ValueError(f"lines must be shorter than {LONGEST_LINE:,} characters")
            self._obey(words[0], words[1:])
        except ValueError as error:
            self._say(f"info string {one_line(error, LONGEST_LINE)}")
        return True

    def finish(self) -> None:
        """Waits for the search to reach its limits; stops a search without limits."""
        if self._is_infinite:
            self._stop_search()
        elif self._search is not None:
            self._search.join()

    def _obey(self, command: str, words: list[str]) -> None:
        if command == "ugi":
            self._introduce()
        elif command == "isready":
            self._ready_engine()
            self._say("readyok")
        elif command == "stop":
            self._stop_search()
        elif command == "query":
            self._say(f"response {self._answer(' '.join(words))}")
        elif command not in ("setoption", "uginewgame", "position", "go"):
            raise ValueError(f"unknown command {one_line(command)!r}; the commands are {COMMANDS}")
        elif self._is_searching:
            raise ValueError(f"a search is running; send stop before {command}")
        elif command == "setoption":
            self._set_option(words)
        elif command == "uginewgame":
            self._state = self._game.new_initial_state()
            if self._engine is not None:
                self._engine.new_game()
        elif command == "position":
            self._state = self._position(words)
        else:
            self._go(words)

    def _introduce(self) -> None:
        self._say(
            f"id name noughts {__version__}",
            "id author the authors of noughts",
            f"option name Hash type spin default 64 min 1 max {machine_megabytes()}",
            f"option name MultiPV type spin default 1 min 1 max {MOST_VARIATIONS}",
            "option name Contempt type check default true",
            "ugiok",
        )

    def _set_option(self, words: list[str]) -> None:
        name, _, value = " ".join(words).removeprefix("name ").partition(" value ")
        known = next((option for option in self._options if option.lower() == name.lower()), None)
        if known is None:
            raise ValueError(f"no option {one_line(name)!r}; the options are {', '.join(self._options)}")
        if known == "Contempt":
            if value not in ("true", "false"):
                raise ValueError(f"Contempt must be true or false, not {one_line(value)!r}")
            number = int(value == "true")
        else:
            most = machine_megabytes() if known == "Hash" else MOST_VARIATIONS
            number = _number(known, value, least=1, most=most)
        self._options[known] = number
        if known != "MultiPV":
            self._engine = None  # created again when needed

    def _position(self, words: list[str]) -> State:
        """Returns the position of `startpos` or `fen TEXT`, where TEXT ends at `moves` or at the end of the line."""
        at = words.index("moves") if "moves" in words else len(words)
        if words[:at] == ["startpos"]:
            state = self._game.new_initial_state()
        elif words[:1] == ["fen"]:
            state = self._game.from_string(" ".join(words[1:at]))
        else:
            raise ValueError("position must be followed by startpos or by fen and a position, then optionally by moves")
        for move in words[at + 1 :]:
            state.apply_action(state.string_to_action(move))
        return state

    def _answer(self, question: str) -> str:
        state = self._state
        if question == "p1turn":
            return str(state.current_player() == 0).lower()
        if question == "gameover":
            return str(state.is_terminal()).lower()
        if question == "result":
            if not state.is_terminal():
                return "none"
            value = state.returns()[0]
            return "draw" if value == 0 else "p1win" if value > 0 else "p2win"
        raise ValueError(f"unknown query {one_line(question)!r}; the queries are p1turn, gameover, result")

    def _go(self, words: list[str]) -> None:
        limits = self._limits(words)
        if self._state.is_terminal():
            self._say("info string the game is over", "bestmove (none)")
            return
        self._ready_engine()
        self._stop.clear()
        self._is_infinite = limits.seconds is None and limits.nodes is None and limits.depth is None
        self._is_searching = True
        self._search = Thread(target=self._think, args=(self._state.clone(), limits, self._is_infinite), daemon=True)
        self._search.start()

    def _limits(self, words: list[str]) -> search.Limits:
        """Returns the limits after `go`: any combination, or infinite."""
        limits: dict[str, int] = {}
        rest = iter(words)
        for word in rest:
            if word == "infinite":
                continue
            if word not in LIMITS:
                raise ValueError(f"unknown limit {one_line(word)!r}; the limits are {', '.join(LIMITS)} and infinite")
            limits[word] = _number(word, next(rest, ""), least=1 if word in ("nodes", "depth") else 0)
        seconds = limits["movetime"] / 1000 if "movetime" in limits else None
        own = f"p{self._state.current_player() + 1}" if not self._state.is_terminal() else "p1"
        if seconds is None and f"{own}time" in limits:
            left = limits[f"{own}time"] / 1000
            seconds = max(0.0, min(left - CLOCK_MARGIN, left / MOVES_AHEAD + limits.get(f"{own}inc", 0) / 1000))
        return search.Limits(seconds, limits.get("nodes"), limits.get("depth"))

    def _ready_engine(self) -> search.Engine:
        if self._engine is None:
            self._engine = search.Engine(
                self._game, memory=self._options["Hash"], contempt=bool(self._options["Contempt"])
            )
        return self._engine

    def _think(self, state: State, limits: search.Limits, is_infinite: bool) -> None:
        """Searches in its own thread. An infinite search answers with its best move when it is stopped."""

        def report(info: search.SearchInfo) -> None:
            self._say(*_infos(state, info))

        engine = self._ready_engine()
        found = engine.search(state, limits, multi_pv=self._options["MultiPV"], on_info=report)
        if is_infinite:
            self._stop.wait()
        self._is_searching = False  # before the answer, since the next line may follow at once
        self._say(f"bestmove {state.action_to_string(found.best.action)}")

    def _stop_search(self) -> None:
        if self._search is None:
            return
        self._stop.set()
        while self._search.is_alive():
            self._ready_engine().stop()
            self._search.join(0.01)  # repeat in case the search had not begun
        self._search = None

    def _say(self, *lines: str) -> None:
        with self._writing:
            for line in lines:
                self._write(line)


def _number(name: str, text: str, *, least: int, most: int = (1 << 63) - 1) -> int:
    """Returns the whole number after a word of a line."""
    if not text.isascii() or not text.isdigit() or len(text) > 19 or not least <= int(text) <= most:
        raise ValueError(f"{name} must be a whole number from {least} to {most}, not {one_line(text)!r}")
    return int(text)


def _infos(state: State, info: search.SearchInfo) -> Iterator[str]:
    """Returns an iteration as UCI's `info` lines, the best variation first."""
    milliseconds = int(1000 * info.seconds)
    speed = int(info.nodes / info.seconds) if info.seconds else 0
    for rank, one in enumerate(info.variations, 1):
        score = (
            f"mate {one.proven * ((one.distance + 1) // 2)}" if one.proven else f"cp {round(one.score / CENTIPAWNS)}"
        )
        moves, at = [], state.clone()
        for action in one.moves:
            moves.append(at.action_to_string(action))
            at.apply_action(action)
        yield (
            f"info depth {info.depth} seldepth {info.seldepth} multipv {rank} score {score} nodes {info.nodes} "
            f"time {milliseconds} nps {speed} pv {' '.join(moves)}"
        )
