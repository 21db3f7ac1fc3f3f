"""Players defined by a program, in a form that can be sent to its worker processes."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module

from noughts.interpreter import folders_left_out


@dataclass(frozen=True)
class OwnPlayer:
    """A player of this program that can be sent to a worker process. text: its name, with any options."""

    text: str
    factory: Callable[[int | None], object]

    def __reduce__(self) -> tuple[Callable[[str, bytes, Sequence[str]], OwnPlayer], tuple[str, bytes, Sequence[str]]]:
        return _received, (self.text, _pickled(self.text, self.factory), folders_left_out())


@dataclass(frozen=True)
class SameObject:
    """The factory of a player given as an object, a class or a function: returns that object."""

    player: object

    def __call__(self, seed: int | None) -> object:
        return self.player


def _received(text: str, pickled: bytes, folders: Sequence[str]) -> OwnPlayer:
    # The program's modules come last on the path, so that they shadow no modules of noughts or Python.
    sys.path += [folder for folder in folders if folder not in sys.path]
    return OwnPlayer(text, pickle.loads(pickled))  # also unpickles cloudpickle's output


def _pickled(text: str, factory: object) -> bytes:
    dumps: Callable[[object], bytes] = pickle.dumps
    with suppress(ImportError):
        dumps = import_module("cloudpickle").dumps
    what = factory.player if isinstance(factory, SameObject) else factory
    home = what if isinstance(what, type) or hasattr(what, "__code__") else type(what)
    if dumps is pickle.dumps and getattr(home, "__module__", None) == "__main__":
        raise ValueError(
            f"worker processes cannot import {text}, which is defined in this program itself; "
            "`pip install cloudpickle`, move it into a file that you import, or play with jobs=1"
        )
    try:
        return dumps(factory)
    except Exception as error:
        raise ValueError(
            f"{text} cannot be sent to worker processes ({type(error).__name__}: {error}); "
            "`pip install cloudpickle` may help, or play with jobs=1"
        ) from error
