"""Finding the bot in its source: a class of the course interface, or a function or class of our own."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

COURSE = "course"
CHOOSE = "choose"


class NoBot(Exception):  # noqa: N818 - it says what is not there
    """The source runs, but there is no bot in it; the message says what would be one."""


def load(source: str, file: str, wanted: str | None, *, nested: bool) -> tuple[str, str, Callable[..., Any]]:
    """Run the source and make the bot: (interface, its name, its `move` or `choose`)."""
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    module = ModuleType("bot")
    module.__file__ = file
    sys.modules["bot"] = module  # so that dataclasses, pickle and typing find the bot's classes
    exec(compile(source, file, "exec", dont_inherit=True), module.__dict__)
    interface, name, thing = _find(module, wanted, nested)
    if not isinstance(thing, type):
        return interface, name, thing
    bot = thing()
    return interface, name, getattr(bot, "choose" if interface == CHOOSE else "move")


def _find(module: ModuleType, wanted: str | None, nested: bool) -> tuple[str, str, Any]:
    forms = "a class with move(self, board, old_move, flag), or choose(state, clock)"
    if not nested:
        forms = "a function choose(state, clock), or a class with such a method"
    if wanted is not None:
        if wanted not in module.__dict__:
            raise NoBot(f"the file has no {wanted!r}; write {forms} of that name")
        thing = module.__dict__[wanted]
        found = _interface("choose", thing)
        if found is None:
            raise NoBot(f"{wanted!r} is no bot; write {forms}")
        return _allowed(found, wanted, thing, nested)
    candidates = [
        (interface, name, thing)
        for name, thing in module.__dict__.items()
        if getattr(thing, "__module__", None) == "bot" and (interface := _interface(name, thing)) is not None
    ]
    if not candidates:
        raise NoBot(f"the file has no bot in it; write {forms}")
    if len(candidates) > 1:
        names = ", ".join(name for _, name, _ in candidates)
        raise NoBot(f"the file has {len(candidates)} bots: {names}; say which one by file.py:NAME")
    return _allowed(*candidates[0], nested)


def _allowed(interface: str, name: str, thing: Any, nested: bool) -> tuple[str, str, Any]:
    if interface == COURSE and not nested:
        raise NoBot(f"{name} has move(board, old_move, flag), which is for nested games; this one wants choose")
    return interface, name, thing


def _interface(name: str, thing: object) -> str | None:
    if isinstance(thing, type):
        if callable(getattr(thing, "choose", None)):
            return CHOOSE
        return COURSE if callable(getattr(thing, "move", None)) else None
    return CHOOSE if name == "choose" and callable(thing) else None
