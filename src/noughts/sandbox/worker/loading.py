"""Loads a bot's source and converts its answers.

`load` runs the source and finds the bot in it: a class of the course interface, or a function or class of our own.
`outline` lists what a file defines without running it, for the submission rules. `plain_answer` makes plain data of
what a bot returned; unexpected objects are described, never trusted.
"""

from __future__ import annotations

import ast
import json
import linecache
import operator
import reprlib
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

COURSE = "course"
CHOOSE = "choose"
SHOWN = 120
"""Maximum characters of a name or value in a description."""
OUTLINE_BYTES = 48 << 10
"""Keeps the message within the size that the referee reads."""
IDENTITIES, METHODS = 1000, 200
"""Maximum lines and methods of a class in an outline."""

_WEIGHT = {"class": 0, "function": 1, "statement": 2}

Item = dict[str, Any]


class NoBot(Exception):  # noqa: N818 - it says what is not there
    """The source runs, but contains no bot; the message says what would be one."""


def load(source: str, file: str, wanted: str | None, *, nested: bool) -> tuple[str, str, Callable[..., Any]]:
    """Runs the source and creates the bot; returns (interface, its name, its `move` or `choose`). Raises NoBot if there
    is none."""
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    module = ModuleType("bot")
    module.__file__ = file
    sys.modules["bot"] = module  # lets dataclasses, pickle and typing find the bot's classes
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
            classes = ", ".join(name for name, thing in _own(module) if isinstance(thing, type))
            there = f"its classes are: {classes}" if classes else f"write {forms} of that name"
            raise NoBot(f"the file has no {wanted!r}; {there[:SHOWN]}")
        thing = module.__dict__[wanted]
        found = _interface("choose", thing)
        if found is None:
            raise NoBot(_misspelt([(wanted, thing)], nested) or f"{wanted!r} is not a bot; write {forms}")
        return _allowed(found, wanted, thing, nested)
    candidates = [
        (interface, name, thing) for name, thing in _own(module) if (interface := _interface(name, thing)) is not None
    ]
    if not candidates:
        raise NoBot(_misspelt(_own(module), nested) or f"the file contains no bot; write {forms}")
    if len(candidates) > 1:
        names = ", ".join(name for _, name, _ in candidates)
        raise NoBot(f"the file has {len(candidates)} bots: {names}; choose one with file.py:NAME")
    return _allowed(*candidates[0], nested)


def _own(module: ModuleType) -> list[tuple[str, Any]]:
    """Returns the classes and functions that a file defines."""
    return [(name, thing) for name, thing in module.__dict__.items() if getattr(thing, "__module__", None) == "bot"]


def _misspelt(things: list[tuple[str, Any]], nested: bool) -> str:
    """Returns advice if a method or function has the right name except for case; '' if none has."""
    for wanted in ("move", "choose") if nested else ("choose",):
        for name, thing in things:
            for member in vars(thing) if isinstance(thing, type) else ():
                if member.lower() == wanted:
                    return f"class {name[:SHOWN]} has `{member}`; name the method `{wanted}`"
            if name.lower() == wanted == "choose" and callable(thing):
                return f"the file has `{name}`; name the function `{wanted}`"
    return ""


def _allowed(interface: str, name: str, thing: Any, nested: bool) -> tuple[str, str, Any]:
    if interface == COURSE and not nested:
        raise NoBot(f"{name} has move(board, old_move, flag), which is for nested games; this game needs choose")
    return interface, name, thing


def _interface(name: str, thing: object) -> str | None:
    if isinstance(thing, type):
        if callable(getattr(thing, "choose", None)):
            return CHOOSE
        return COURSE if callable(getattr(thing, "move", None)) else None
    return CHOOSE if name == "choose" and callable(thing) else None


def outline(source: str, file: str) -> dict[str, Any]:
    """Returns the top-level statements as "items", and as "identities" the lines with `is` or `is not` beside a string
    or a number, whose result depends on the interpreter.

    An item has a kind, name and line. kind is "class", "function", "import", "text" (a docstring) or "statement";
    "more" stands for what does not fit into one message, with a "count". Classes come first, then functions. A class
    has its methods by name, each as [line, minimum number of arguments, maximum number or None].
    """
    tree = ast.parse(source, file)
    compared = (node for node in ast.walk(tree) if isinstance(node, ast.Compare))
    identities = sorted({line for node in compared for line in _identity_lines(node)})
    return {"items": _items(tree), "identities": identities[:IDENTITIES]}


def _identity_lines(node: ast.Compare) -> Iterator[int]:
    sides = [node.left, *node.comparators]
    for operator_, *both in zip(node.ops, sides, sides[1:], strict=False):
        if isinstance(operator_, ast.Is | ast.IsNot) and any(map(_is_literal, both)):
            yield both[0].end_lineno or both[0].lineno


def _is_literal(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str | bytes | int | float | complex)
        and not isinstance(node.value, bool)
    )


def _items(tree: ast.Module) -> list[Item]:
    items = [_item(node) for node in tree.body]
    items.sort(key=lambda item: _WEIGHT.get(item["kind"], len(_WEIGHT)))
    room = OUTLINE_BYTES
    for kept, item in enumerate(items):
        room -= len(json.dumps(item))
        if room < 0:
            first = min(rest["line"] for rest in items[kept:])
            items[kept:] = [{"kind": "more", "name": "", "line": first, "count": len(items) - kept}]
            break
    return sorted(items, key=lambda item: item["line"])


def _item(node: ast.stmt) -> Item:
    match node:
        case ast.ClassDef(name=name, body=body):
            methods = [part for part in body if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)][:METHODS]
            known = {method.name[:SHOWN]: _arguments(method) for method in methods}
            return {"kind": "class", "name": name[:SHOWN], "line": node.lineno, "methods": known}
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return {"kind": "function", "name": name[:SHOWN], "line": node.lineno}
        case ast.Import() | ast.ImportFrom():
            return {"kind": "import", "name": "", "line": node.lineno}
        case ast.Expr(value=ast.Constant(value=str())):
            return {"kind": "text", "name": "", "line": node.lineno}
    return {"kind": "statement", "name": ast.unparse(node)[:60], "line": node.lineno}


def _arguments(method: ast.FunctionDef | ast.AsyncFunctionDef) -> list[int | None]:
    """Returns the line of a method, and the minimum and maximum number of its positional arguments."""
    count = len(method.args.posonlyargs) + len(method.args.args)
    return [method.lineno, count - len(method.args.defaults), None if method.args.vararg else count]


def plain_answer(value: object, *, is_tuple: bool) -> dict[str, Any]:
    """Returns a part of the reply: {"answer": ints} if the value is a whole number, or a tuple of them.

    Otherwise {"odd": text}, with "advice" for a common mistake. NumPy integers become plain ones, with "numpy": true.
    """
    items = value if is_tuple else (value,)
    if value is None:
        return {"odd": "None", "advice": ": is a `return` missing?"}
    if is_tuple and type(value) is list and 0 < len(value) <= 3 and all(type(item) is int for item in value):
        return {"odd": "a list", "advice": f"; return a tuple: {str(tuple(value))[:SHOWN]}"}
    if type(items) is not tuple or len(items) > 3:
        return {"odd": describe(value)}
    if set(map(type, items)) <= {int}:
        numbers, converted = list(items), False
    elif all(type(item) is int or _is_numpy_int(item) for item in items):
        numbers, converted = [operator.index(item) for item in items], True
    else:
        return {"odd": describe(value)}
    if max(map(abs, numbers), default=0) > 10**6:
        return {"odd": describe(value)}
    answer: dict[str, Any] = {"answer": numbers if is_tuple else numbers[0]}
    return answer | {"numpy": True} if converted else answer


def _is_numpy_int(value: object) -> bool:
    kind = type(value)
    return kind.__module__ == "numpy" and ("int" in kind.__name__ or kind.__name__ in ("long", "longlong"))


def describe(value: object) -> str:
    """Describes a value: its repr and its type. It may be huge or hostile, so little of it is read."""
    if value is None:
        return "None"
    kind = type(value).__name__
    article = "an" if kind[:1].lower() in "aeiou" else "a"
    if type(value) in (int, float, str, bool, tuple, list, dict, set):
        limited = reprlib.Repr()
        limited.maxstring = limited.maxother = limited.maxlong = 60
        try:
            value_text = f"{limited.repr(value)[:SHOWN]}, "
        except ValueError:  # a number with too many digits to write
            value_text = ""
        return f"{value_text}{article} {kind}{_item_kinds(value)}"
    return f"{article} {kind}"


def _item_kinds(value: object) -> str:
    if type(value) in (tuple, list) and 0 < len(value) <= 3:  # type: ignore[arg-type]
        return " of " + ", ".join(type(item).__name__ for item in value)  # type: ignore[attr-defined]
    return ""
