"""The main loop of a bot's process: receives the bot's source, then answers the referee's questions one by one.

The referee trusts nothing from this process: the bot shares it and can send anything in our name.
"""

from __future__ import annotations

import difflib
import os
import signal
import sys
import traceback
from collections.abc import Callable
from functools import cache
from typing import Any

from noughts.clock import Clock
from noughts.games import BUILT_IN
from noughts.rules.reference import Shape
from noughts.rules.spec import Rules, rules_from
from noughts.sandbox._wire import CHANNEL_LOST, HEAD, LOAD, MOVE, OUTLINE, Message, body_length, pack, unpack_question
from noughts.sandbox.worker import board as course
from noughts.sandbox.worker import imports
from noughts.sandbox.worker.bot_clock import BotClock
from noughts.sandbox.worker.loading import CHOOSE, NoBot, load, outline, plain_answer
from noughts.sandbox.worker.prints import Prints
from noughts.sandbox.worker.scaled_clock import ScaledClocks

MESSAGE_SHOWN = 300
TRACEBACK_SHOWN = 2000
MOST_FRAMES = 60
FRAMES_SHOWN = 12
QUESTION = 512
"""Bytes of a typical question; few enough to allocate when the bot has used up its memory."""


_clear_timer = getattr(signal, "alarm", None)  # a bot, or a scaled clock, may replace it; Windows has none


class Session:
    """The bot and its game."""

    def __init__(self) -> None:
        self._state: course.BotState | None = None
        self._last: int | None = None
        """The last action of the game."""
        self._board: course.CourseBoard | None = None
        self._board_texts: course.BoardTexts | None = None
        self._interface = ""
        self._call: Callable[..., Any] | None = None
        self._clocks: ScaledClocks | None = None

    def outline(self, question: Message) -> Message:
        return outline(question["source"], question["file"])

    def load(self, question: Message) -> Message:
        """Runs the bot's source and creates the bot, before a game starts."""
        shape, board = _tables(rules_from(question["rules"])) if "rules" in question else _built_in(question["game"])
        self._state, self._last = course.BotState(shape), None
        self._board = board() if board else None
        imports.seed_everything(question["seed"])
        if question.get("scaled_clocks"):
            self._clocks = ScaledClocks()
        self._interface, name, self._call = load(
            question["source"], question["file"], question["wanted"], nested=board is not None
        )
        return {"interface": self._interface, "name": name}

    def move(self, question: Message) -> Message:
        """Asks the bot for a move, after the actions played since its last one."""
        state, call = self._state, self._call
        assert state is not None
        assert call is not None
        for action in question["played"]:
            state.apply_action(action)
            self._last = action
        if self._clocks is not None:
            self._clocks.run_at(question["speed"])
        if self._interface == CHOOSE:
            return plain_answer(call(state.clone(), self._clock(question)), is_tuple=False)
        board = self._board
        assert board is not None
        texts = self._board_texts = board.show(state, question["played"], self._board_texts)
        board.seconds = question["seconds"]  # the course's boards do not have this; bots use getattr
        value = call(board, course.old_move(state.game, self._last), course.FLAGS[state.player])
        changed = course.change(board, texts)
        return plain_answer(value, is_tuple=True) if changed is None else {"changed": changed}

    def _clock(self, question: Message) -> Clock:
        """Returns the bot's clock for a move; it shows the wall time if the referee charges that."""
        if "started" not in question:
            return Clock(question["seconds"])
        if self._clocks is None:
            return BotClock(question["seconds"], question["started"], question["counts"], speed=1.0)
        started = self._clocks.monotonic_at(question["started"])
        return BotClock(question["seconds"], started, question["counts"], question["speed"])


def serve(receive: Callable[[], Message], send: Callable[[bytes], None]) -> None:
    """Answers questions until the referee is gone. receive: waits for the next question."""
    session = Session()
    prints = Prints()
    sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = prints  # type: ignore[misc, assignment]
    operations = {OUTLINE: session.outline, LOAD: session.load, MOVE: session.move}
    file = ""
    while True:
        question = receive()
        number, file = question["id"], question.get("file", file)
        try:
            try:
                reply = operations[question["op"]](question)
            finally:
                # An alarm set by the bot must not fire in our code.
                if _clear_timer and ("clear_timer" in question or signal.getitimer(signal.ITIMER_REAL) != (0.0, 0.0)):
                    _clear_timer(0)  # the argument shows the referee that no timer is set
            reply["id"] = number
            if prints.written:
                reply["prints"] = prints.take()
            message = pack(reply)
        except MemoryError:
            message = _out_of_memory(number)
        except BaseException as error:  # SystemExit and KeyboardInterrupt are crashes of a bot like any other
            message = _crash(error, number, file, prints)
        send(message)


def prepare_games() -> None:
    """Builds the tables of the built-in games once, for all processes that are forked later."""
    for name in BUILT_IN:
        _built_in(name)


@cache
def _built_in(name: str) -> tuple[Shape, type[course.CourseBoard] | None]:
    return _tables(BUILT_IN[name])


def _tables(rules: Rules) -> tuple[Shape, type[course.CourseBoard] | None]:
    """Returns what all states of a game share, and the class of its boards if it is nested."""
    return Shape(rules), course.board_class(rules) if rules.nested else None


def _out_of_memory(number: int) -> bytes:
    return pack({"id": number, "memory": True})


def _crash(error: BaseException, number: int, file: str, prints: Prints) -> bytes:
    try:
        return pack({"id": number, "crash": crash_report(error, file), "prints": prints.take()})
    except MemoryError:
        return _out_of_memory(number)
    except BaseException:  # the exception's own __str__ raises, or the bot broke `traceback`
        return pack({"id": number, "crash": {"error": "an exception that cannot be shown", "line": None, "trace": ""}})


def crash_report(error: BaseException, file: str) -> Message:
    """Returns the error, its line in the bot's file, and the traceback without our own frames."""
    if isinstance(error, NoBot):
        return {"error": str(error), "line": None, "trace": "", "no_bot": True}
    frames = traceback.extract_tb(error.__traceback__, limit=-MOST_FRAMES)
    in_file = [i for i, frame in enumerate(frames) if frame.filename == file]
    text, line, old_python = f"{error}{_did_you_mean(error)}", None, False
    if isinstance(error, SyntaxError):
        line, text = error.lineno, str(error.msg)
        old_python = isinstance(error, TabError) or any(hint in text for hint in ("print", "except", "octal"))
    elif in_file:
        line = frames[in_file[-1]].lineno
    own_frames = (
        [frame for frame in frames[in_file[0] :] if frame.filename == file or not _is_ours(frame)] if in_file else []
    )
    last = traceback.TracebackException.from_exception(error, limit=0).format_exception_only()
    return {
        "error": (f"{type(error).__name__}: {text}" if text else type(error).__name__)[:MESSAGE_SHOWN],
        "syntax": text[:MESSAGE_SHOWN] if isinstance(error, SyntaxError) else None,
        "line": line,
        "trace": "".join([*traceback.format_list(own_frames[-FRAMES_SHOWN:]), *last])[-TRACEBACK_SHOWN:],
        "old_python": old_python,
    }


def _is_ours(frame: traceback.FrameSummary) -> bool:
    """Returns whether a frame is of this package, whose code the bot's author cannot change."""
    here = _is_ours.__code__.co_filename  # as the bot sees it: `host` has hidden the operator's folders
    return frame.filename.startswith(here.removesuffix(os.path.join("sandbox", "worker", "main.py")))


def _did_you_mean(error: BaseException) -> str:
    """Returns a suggestion for an attribute that does not exist; '' if there is none."""
    if not isinstance(error, AttributeError) or not isinstance(error.name, str):
        return ""
    try:
        names = [name for name in dir(error.obj) if not name.startswith("_")]
        close = difflib.get_close_matches(error.name, names, 1)
    except Exception:  # the object is the bot's, and so are its attributes
        return ""
    return f"; did you mean {close[0]!r}?" if close else ""


def receive(channel: int) -> Message:
    """Returns the next question. It arrives in one read, unless it is long; no other ever follows it."""
    data = _read(channel, QUESTION)
    while len(data) < HEAD:
        data += _read(channel, HEAD - len(data))
    size = HEAD + body_length(data)
    while len(data) < size:
        data += _read(channel, size - len(data))
    question: Message = unpack_question(data[HEAD:])
    return question


def _read(channel: int, most: int) -> bytes:
    try:
        part = os.read(channel, most)
    except OSError:
        part = b""
    if not part:
        os._exit(CHANNEL_LOST)
    return part


def send(channel: int, message: bytes) -> None:
    while message:
        try:
            message = message[os.write(channel, message) :]
        except OSError:
            os._exit(CHANNEL_LOST)
