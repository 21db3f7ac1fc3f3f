"""External engines as players: programs that speak UGI, or CodinGame's protocol for Ultimate Tic-Tac-Toe.

    ugi:PROGRAM ARGS?name=X&Hash=64     the Universal Game Interface of kz04px/cutegames
    cg:PROGRAM ARGS                     the opponent's row and column, the number of legal moves, the moves; a move back

Programs are trusted to run but not to behave: their time and output are limited. An engine that hangs, floods its
output, exits or answers nonsense is killed with all its child processes, and forfeits the game; the next game starts it
again. An engine runs on one core, and is paused while its opponent thinks.
"""

from __future__ import annotations

import os
import re
import selectors
import shlex
import shutil
import signal
import subprocess
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf

from noughts import search
from noughts.clock import Clock
from noughts.game import Game, State
from noughts.interpreter import start_program
from noughts.notation import action_text, quoted
from noughts.players.alphabeta import thinking_seconds
from noughts.players.protocol import Answer, BasePlayer, is_from_start
from noughts.printable import one_line, printable
from noughts.sandbox import faults
from noughts.sandbox.faults import BotFault, Fault

START_SECONDS = 30.0
"""Seconds for an engine to start, to accept its options and to begin a game. No game clock runs meanwhile."""
LATENESS = 0.1
"""Seconds after its limit within which an answer still counts, for pipes and a busy machine."""
FIRST_SECONDS = 1.0
"""CodinGame's limit in seconds for the first answer, when a program may still be loading; used if the limit is
shorter."""
LONGEST_SEARCH = 3600.0
"""Maximum seconds for an answer where neither a clock nor an option limits them."""
QUIT_SECONDS = 0.5
LAST_READS = 4
"""Number of reads that empty the pipes of an engine that is stopped or has ended."""
OPTIONS_SHOWN = 20
MOST_WRITTEN = 4 << 20
"""Maximum bytes that an engine may write for one answer."""
LONGEST_LINE = 64 << 10
CHUNK = 64 << 10
NO_OPENINGS = "plays games only from the start: CodinGame's protocol has no positions or openings"


class EngineProcess:
    """A program with pipes. Any failure raises BotFault, after the program has ended."""

    def __init__(self, command: Sequence[str], folder: str) -> None:
        self._process = start_program(command, folder)
        pipes = (self._process.stdin, self._process.stdout, self._process.stderr)
        self._input, self._output, self._error = [pipe for pipe in pipes if pipe is not None]
        self._selector = selectors.DefaultSelector()
        os.set_blocking(self._input.fileno(), False)
        for pipe in (self._output, self._error):
            self._selector.register(pipe, selectors.EVENT_READ)
        self._lines: deque[bytes] = deque()
        self._line, self._errors = b"", b""
        self._written = 0
        self.is_gone: bool = False

    def send(self, *lines: str) -> None:
        """Sends lines and lets the engine run. Drops its earlier output, which cannot be an answer."""
        for _ in range(LAST_READS):
            self._read(0.0)
        self._lines.clear()
        self._written = 0
        self._signal(signal.SIGCONT)
        text = "".join(f"{line}\n" for line in lines).encode()
        try:
            sent = os.write(self._input.fileno(), text)
        except BlockingIOError:
            sent = 0
        except OSError:
            raise self._ended() from None
        if sent < len(text):
            raise self.fault(faults.CRASH, "does not read its input")

    def answer(self, until: float, late: Fault) -> str:
        """Returns the next line. Raises BotFault with the text `late` if none comes before `until`, by the monotonic
        clock.
        """
        while not self._lines:
            if len(self._line) > LONGEST_LINE or self._written > MOST_WRITTEN:
                raise self.fault(faults.CRASH, f"wrote more than {MOST_WRITTEN >> 20} MB, or an endless line")
            left = until - time.monotonic()
            if left <= 0:
                raise self.fault(late.kind, late.text)
            if not self._read(left):
                raise self._ended()
        return self._lines.popleft()[:LONGEST_LINE].decode(errors="replace").strip()

    def rest(self) -> None:
        """Stops the engine until the next `send`."""
        self._signal(signal.SIGSTOP)

    def take_errors(self) -> str:
        """Returns what the engine has written to standard error since the last call, shortened."""
        taken, self._errors = self._errors, b""
        return printable(taken.decode(errors="replace"), faults.PRINTS_KEPT)

    def fault(self, kind: str, text: str) -> BotFault:
        """Ends the engine; returns the exception to raise."""
        self.close()
        errors = self.take_errors()
        return BotFault(Fault(kind, text, detail=errors[-faults.DETAIL_KEPT :]), errors)

    def close(self, farewell: str = "") -> None:
        """Ends the program and all its child processes. farewell: a line after which it may end by itself."""
        if farewell:
            self._signal(signal.SIGCONT)
            with suppress(OSError, subprocess.TimeoutExpired):
                os.write(self._input.fileno(), f"{farewell}\n".encode())
                self._process.wait(QUIT_SECONDS)
        self._signal(signal.SIGKILL)
        self._process.wait()
        self.is_gone = True
        for _ in range(LAST_READS):
            self._read(0.0)
        self._selector.close()
        for pipe in (self._input, self._output, self._error):
            pipe.close()

    def _read(self, seconds: float) -> bool:
        """Waits for output for at most `seconds`. Returns whether more may come on standard output."""
        for key, _ in self._selector.select(seconds):
            some = os.read(key.fd, CHUNK)
            if key.fileobj is self._output:
                *whole, self._line = (self._line + some).split(b"\n")
                self._lines.extend(whole)
                self._written += len(some)
            elif len(self._errors) < faults.PRINTS_KEPT:
                self._errors += some
            if not some:
                self._selector.unregister(key.fileobj)
        return self._output in self._selector.get_map()

    def _ended(self) -> BotFault:
        """Returns the fault of an engine that closed its pipes."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(QUIT_SECONDS)
        code = self._process.returncode
        if code is None:
            return self.fault(faults.CRASH, "closed its standard input or output")
        how = faults.signal_name(-code) if code < 0 else f"exit status {code}"
        return self.fault(faults.CRASH, f"ended its own process ({how})")

    def _signal(self, number: int) -> None:
        """Sends a signal to the engine and all its child processes."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


class EnginePlayer(BasePlayer):
    """A program as a player: started at its first use, and again after a fault. Close it after use.

    text: its name on the command line. folder: the folder of that command.
    """

    farewell = ""
    """The line that asks the program to end."""

    def __init__(self, text: str, name: str, folder: str) -> None:
        if not hasattr(os, "killpg"):
            raise ValueError("programs can be players only on Linux and macOS")
        self.text: str = text
        self.name: str = name
        self._folder = folder or os.getcwd()
        self._command = _command(text, self._folder)
        self._process: EngineProcess | None = None

    def close(self) -> None:
        if self._running():
            self._engine.close(self.farewell)
        self._process = None

    def ask(self, state: State, clock: Clock) -> Answer:
        """Returns the engine's move, and what it wrote to standard error meanwhile."""
        answer = super().ask(state, clock)
        return replace(answer, prints=self._engine.take_errors() if self._running() else "")

    @property
    def _engine(self) -> EngineProcess:
        assert self._process is not None
        return self._process

    def _running(self) -> bool:
        return self._process is not None and not self._process.is_gone

    def _start(self) -> None:
        self._process = EngineProcess(self._command, self._folder)

    def _invalid(self, reply: str) -> BotFault:
        """Returns the fault of an engine whose answer is not a legal move."""
        return self._engine.fault(faults.INVALID, f"invalid move: it answered {quoted(one_line(reply))}")


class UgiPlayer(EnginePlayer):
    """An engine that speaks UGI.

    options: the engine's own, for `setoption`. limits: sent to the engine besides the clock. letters: whether it writes
    moves as a1, a column's letter and a row's number, instead of our notation.
    """

    farewell = "quit"
    is_deterministic = True
    """Most engines are deterministic without declaring it; openings make games differ."""

    def __init__(
        self, text: str, name: str, folder: str, options: Mapping[str, str], limits: search.Limits, *, letters: bool
    ) -> None:
        super().__init__(text, name, folder)
        self._options, self._limits, self._letters = options, limits, letters

    def prepare(self, game: Game) -> None:
        """Starts the engine if needed, and begins a game. Raises BotFault if it does not answer as UGI requires."""
        if self._letters and not _one_board(game):
            raise ValueError(f"notation=a1 is for games of one nested board, not for {game.name}")
        if not self._running():
            self._start()
            self._set_options(self._ask("ugi", "ugiok"))
        self._ask("isready", "readyok")
        self._engine.send("uginewgame")
        self._ask("isready", "readyok")
        self._engine.rest()

    def choose(self, state: State, clock: Clock) -> int:
        position = self._position(state)
        if not self._running():
            self.prepare(state.game)
        limits = self._limits
        seconds = thinking_seconds(clock, limits.seconds, limits.nodes is not None or limits.depth is not None)
        limit = clock.remaining() if clock.remaining() < inf else (seconds or LONGEST_SEARCH) + START_SECONDS
        until, late = time.monotonic() + limit + LATENESS, faults.no_answer(limit)
        self._ask("isready", "readyok", until, late)  # earlier output does not answer what follows
        if limits.nodes is not None:
            go = f"go nodes {limits.nodes}"
        elif limits.depth is not None:
            go = f"go depth {limits.depth}"
        else:
            go = f"go movetime {max(1, int(1000 * (seconds or 0.0)))}"
        self._engine.send(position, go)
        words = [""]
        while words[0] != "bestmove":
            words = self._engine.answer(until, late).split() or [""]
        self._engine.rest()
        named = words[1] if len(words) > 1 else ""
        action = next((each for each in state.legal_actions() if self._move(state, each) == named), None)
        if action is None:
            raise self._invalid(" ".join(words))
        return action

    def _ask(self, question: str, answer: str, until: float | None = None, late: Fault | None = None) -> list[str]:
        """Returns the engine's lines up to the answer; it has START_SECONDS unless `until` is given."""
        self._engine.send(question)
        until = time.monotonic() + START_SECONDS if until is None else until
        late = late or Fault(faults.TIME, f"out of time: no {answer} within {START_SECONDS:g} s", loading=True)
        lines: list[str] = []
        while not lines or lines[-1] != answer:
            lines.append(self._engine.answer(until, late))
        return lines

    def _set_options(self, lines: Sequence[str]) -> None:
        found = [re.match(r"option name (.+?)(?: type .*)?$", line) for line in lines]
        names = [option[1] for option in found if option]
        for name, value in self._options.items():
            if name not in names:
                self.close()
                known = ", ".join(map(one_line, names[:OPTIONS_SHOWN])) or "none"
                raise ValueError(f"{one_line(self.name)} has no option {quoted(name)}; its own options are {known}")
            self._engine.send(f"setoption name {name} value {value}")

    def _position(self, state: State) -> str:
        """Returns the position by its moves; as text if they are not known."""
        if not is_from_start(state):
            if self._letters:
                raise ValueError(f"{self.name} plays games only from the start: notation=a1 has no positions")
            return f"position fen {state.to_string()}"
        moves = [self._move(state, action) for action in state.history()]
        return " ".join(["position startpos", *(["moves", *moves] if moves else [])])

    def _move(self, state: State, action: int) -> str:
        text = action_text(state.game.rules, action)
        if not self._letters:
            return text
        row, col = map(int, text.split(","))
        return f"{chr(ord('a') + col)}{row + 1}"


class CodinGamePlayer(EnginePlayer):
    """A program written for CodinGame's "Ultimate Tic-Tac-Toe". The program tracks the game itself, so it plays only
    from the start, in a new process for each game.
    """

    def __init__(self, text: str, name: str, folder: str) -> None:
        super().__init__(text, name, folder)
        self._known: list[int] = []
        self._is_new = True

    def prepare(self, game: Game) -> None:
        if not _one_board(game) or game.rules.bonus:
            raise ValueError(
                f"{self.name} speaks CodinGame's protocol, which is for ultimate and its variants, not for {game.name}"
            )
        self.close()
        self._start()
        self._known, self._is_new = [], True

    def choose(self, state: State, clock: Clock) -> int:
        if not self._running():
            self.prepare(state.game)
        history, rules = state.history(), state.game.rules
        if not is_from_start(state) or history[:-1] != self._known:
            raise ValueError(f"{self.name} {NO_OPENINGS}")
        cells = [action_text(rules, action).replace(",", " ") for action in state.legal_actions()]
        last = action_text(rules, history[-1]).replace(",", " ") if history else "-1 -1"
        limit = max(min(clock.remaining(), LONGEST_SEARCH), FIRST_SECONDS if self._is_new else 0.0)
        self._engine.send(last, str(len(cells)), *cells)
        reply = self._engine.answer(time.monotonic() + limit + LATENESS, faults.no_answer(limit))
        self._engine.rest()
        cell = " ".join(reply.split()[:2])
        if cell not in cells:
            raise self._invalid(reply)
        action = state.legal_actions()[cells.index(cell)]
        self._known, self._is_new = [*history, action], False
        return action


def _one_board(game: Game) -> bool:
    return game.rules.nested and game.rules.boards == 1


def _command(text: str, folder: str) -> list[str]:
    """Returns the program of a name with its arguments. Raises ValueError if the program does not exist."""
    protocol, _, rest = text.partition(":")
    try:
        command = shlex.split(rest.partition("?")[0])
    except ValueError as error:
        raise ValueError(f"{quoted(text)} cannot be split into words: {error}") from None
    if not command:
        raise ValueError(f"{quoted(text)} does not name a program; write {protocol}:PROGRAM ARGS")
    program = command[0]
    found = shutil.which(os.path.join(folder, program) if os.sep in program else program)
    if found is None:
        raise ValueError(
            f"there is no program {quoted(program)}; write ./PROGRAM for one in this folder, and make it executable"
        )
    return [found, *command[1:]]
