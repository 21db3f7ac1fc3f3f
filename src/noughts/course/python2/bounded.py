"""Conversion in a process of its own, with limits: whatever is in a file, an answer comes, and soon."""

from __future__ import annotations

import select
import subprocess
import time
from types import TracebackType

from noughts.course.python2._syntax import NotPython2
from noughts.course.python2._worker import receive, send
from noughts.course.python2.translate import Translation
from noughts.interpreter import start_interpreter

SECONDS = 30.0
"""For one file. The longest bots take about one."""


class Converter:
    """Converts one source after another, in a process that is started when there is something to do."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None

    def translate(self, source: str, name: str, *, as_python2: bool = False) -> Translation:
        """As `translate.translate`; NotPython2 also if it takes too long or too much memory."""
        process = self._process = self._process or self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            send(process.stdin, {"source": source, "name": name, "as_python2": as_python2})
            reply = receive(process.stdout) if self._answers(process.stdout.fileno()) else None
        except BrokenPipeError:
            reply = None
        if reply is None:
            late = process.poll() is None
            self.close()
            why = f"that takes more than {self._seconds:g} s" if late else "reading it needs too much memory"
            raise NotPython2(f"{name} cannot be converted: {why}")
        if "error" in reply:
            raise NotPython2(reply["error"])
        return Translation(reply["text"], tuple(reply["notes"]), reply["python3"])

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def __enter__(self) -> Converter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _started(self) -> subprocess.Popen[bytes]:
        return start_interpreter(
            "noughts.course.python2._worker", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def _answers(self, descriptor: int) -> bool:
        """Whether an answer begins in time. It is written in one go, so what begins also ends."""
        deadline = time.monotonic() + self._seconds
        while (left := deadline - time.monotonic()) > 0:
            if select.select([descriptor], [], [], left)[0]:
                return True
        return False
