"""Converts functions, methods and modules that are gone, renamed, or no longer return a list."""

from __future__ import annotations

import ast
from collections.abc import Callable

from py2bots._kinds import FLOAT, NUMBERS, element_of
from py2bots._names import (
    FLOATING,
    LISTS,
    MODULES,
    RENAMED,
    RENAMED_ATTRIBUTES,
    REPLACED,
    SEEDED,
    TEXT_CODECS,
    VIEWS,
    Name,
)
from py2bots._program import Program

CONSUMERS = {("builtins", name) for name in "list tuple set frozenset sorted sum max min".split()}
"""Functions that consume their argument at once, so it need not be a list."""
SEQUENCES = CONSUMERS | {("builtins", name) for name in "len enumerate reversed iter any all".split()}
"""Functions that accept a range instead of a list."""
DROPPED = {("sys", "setdefaultencoding"), ("sys", "setcheckinterval"), ("sys", "exc_clear")}
"""Statements that no longer do anything."""

SORTED = "functions py2_... sort values of all types here, as Python 2 did"
ROUNDED = "round() rounds halves away from zero, as in Python 2"
DICTIONARIES = (
    "Python 2 iterated over dicts and sets in its own order, Python 3 over dicts in the order of insertion: where "
    "the order decides between equals, the bot may choose differently"
)
RANDOM = "Py2Random gives the random numbers of Python 2 for a seed"


class Calls:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._edits = program.edits
        self._special: dict[Name, Callable[[ast.Call], object]] = {
            ("builtins", "range"): self._range,
            ("builtins", "zip"): self._zip,
            ("builtins", "map"): self._map,
            ("builtins", "filter"): self._filter,
            ("builtins", "sorted"): self._sorted,
            ("builtins", "max"): self._largest,
            ("builtins", "min"): self._largest,
            ("builtins", "str"): self._str,
            ("builtins", "input"): lambda node: self._edits.wrap(node, "eval("),
            ("builtins", "reload"): self._reload,
            ("random", "shuffle"): self._shuffle,
            ("random", "sample"): self._sample,
            ("numpy", "asscalar"): self._asscalar,
            ("numpy.random", "random_integers"): self._random_integers,
            **dict.fromkeys(FLOATING, self._floating),
            **dict.fromkeys(DROPPED, self._dropped),
        }

    def visit(self, node: ast.AST) -> None:
        match node:
            case ast.Call(func=function):
                name = self._program.resolve(function)
                if name is None:
                    self._method(node)
                elif name in self._special and not (self._program.seeded and name in SEEDED):
                    self._special[name](node)
                else:
                    self._value(function, name)
            case ast.Name(ctx=ast.Load()) | ast.Attribute(ctx=ast.Load()):
                parent = self._program.parents[node]
                if not (isinstance(parent, ast.Call) and parent.func is node):
                    name = self._program.resolve(node)
                    if name is not None:
                        self._value(node, name, handed_on=True)
            case ast.Import():
                self._import(node)
            case ast.ImportFrom(level=0, module=str()):
                self._import_from(node)
            case ast.For(iter=values) | ast.comprehension(iter=values):
                self._order(values)

    # Names

    def _replacement(self, name: Name) -> str | None:
        if self._program.seeded and name in SEEDED:
            return SEEDED[name]
        return REPLACED.get(name)

    def _value(self, node: ast.expr, name: Name, *, handed_on: bool = False) -> None:
        """Converts a name that is gone or renamed, wherever it is."""
        new = self._replacement(name) or (LISTS.get(name) if handed_on else None)
        if new is not None:
            self._use(new)
            self._edits.replace(self._edits.span(node), new)
            if name == ("builtins", "round"):
                self._program.note(node, ROUNDED)
            elif name in SEEDED:
                self._program.note(node, RANDOM)
        elif name in RENAMED:
            self._rename(node, name)

    def _rename(self, node: ast.expr, name: Name) -> None:
        module, new = RENAMED[name]
        if isinstance(node, ast.Attribute):
            self._attribute(node, f"abc.{new}" if module == "collections.abc" else new)
        elif self._program.is_star(node):
            self._edits.replace(self._edits.span(node), new)

    def _use(self, text: str) -> None:
        """Notes the functions of `runtime` in a text."""
        helper = text.partition("(")[0].partition(".")[0]
        if helper.startswith(("py2_", "Py2")):
            self._program.need(helper)

    def _rename_call(self, node: ast.Call, new: str) -> None:
        self._use(new)
        self._edits.replace(self._edits.span(node.func), new)

    # Modules

    def _import(self, node: ast.Import) -> None:
        if not any(alias.name in MODULES for alias in node.names):
            return
        parts = []
        for alias in node.names:
            new = MODULES.get(alias.name, alias.name)
            asname = alias.asname or (alias.name if new != alias.name else None)
            parts.append(f"{new} as {asname}" if asname else new)
        self._edits.rewrite(node, f"import {', '.join(parts)}")

    def _import_from(self, node: ast.ImportFrom) -> None:
        old = str(node.module)
        module = MODULES.get(old, old)
        groups: dict[str, list[str]] = {}
        changed = module != old
        for alias in node.names:
            name = (old, alias.name)
            if self._replacement(name) is not None:
                changed = True
                continue
            where, new = RENAMED.get(name, (module, alias.name))
            changed = changed or name in RENAMED
            asname = alias.asname or (alias.name if new != alias.name else None)
            groups.setdefault(where, []).append(f"{new} as {asname}" if asname else new)
        if changed:
            lines = [f"from {where} import {', '.join(names)}" for where, names in groups.items()]
            self._edits.rewrite(node, "; ".join(lines) or f"import {module}")

    # Functions that returned lists

    def _range(self, node: ast.Call) -> None:
        used = self._program.is_iterated(node) or self._program.is_searched(node)
        if not used and self._program.called_by(node) not in SEQUENCES:
            self._edits.wrap(node, "list(")

    def _zip(self, node: ast.Call) -> None:
        if self._program.called_by(node) not in CONSUMERS | {("builtins", "dict")}:
            self._edits.wrap(node, "list(")

    def _map(self, node: ast.Call) -> None:
        simple = len(node.args) == 2 and not any(isinstance(arg, ast.Starred) for arg in node.args)
        if not simple or (isinstance(node.args[0], ast.Constant) and node.args[0].value is None):
            self._rename_call(node, "py2_map")
        elif not self._is_consumed(node):
            self._edits.wrap(node, "list(")

    def _filter(self, node: ast.Call) -> None:
        if not self._is_consumed(node):
            self._rename_call(node, "py2_filter")

    def _is_consumed(self, node: ast.Call) -> bool:
        parent = self._program.parents.get(node)
        joined = isinstance(parent, ast.Call) and isinstance(parent.func, ast.Attribute) and parent.func.attr == "join"
        return joined or self._program.called_by(node) in CONSUMERS

    # Order

    def _sorted(self, node: ast.Call) -> None:
        if not self._is_ordered(node):
            self._program.note(node, SORTED)
            self._rename_call(node, "py2_sorted")

    def _largest(self, node: ast.Call) -> None:
        kinds = self._program.kinds
        numbers = len(node.args) > 1 and all(kinds.kinds_of(arg) <= NUMBERS for arg in node.args) and not node.keywords
        if not numbers and not self._is_ordered(node):
            self._program.note(node, SORTED)
            self._rename_call(node, LISTS[self._program.resolve(node.func) or ("", "")])
        if len(node.args) == 1:
            self._order(node.args[0])

    def _is_ordered(self, node: ast.Call) -> bool:
        """Returns whether the sorted values are clearly numbers."""
        kinds = self._program.kinds
        keys = {key.arg: key.value for key in node.keywords}
        if len(node.args) != 1 or not keys.keys() <= {"key", "reverse"}:
            return False
        if "key" in keys:
            return isinstance(keys["key"], ast.Lambda) and kinds.kinds_of(keys["key"].body) <= NUMBERS
        element = element_of(node.args[0])
        return element is not None and kinds.kinds_of(element) <= NUMBERS

    def _order(self, values: ast.expr) -> None:
        """Notes that dicts and sets had another order."""
        views = {*RENAMED_ATTRIBUTES, *VIEWS, *VIEWS.values()}
        match values:
            case ast.Call(func=ast.Attribute(attr=name), args=[]) if (
                name in views and name not in self._program.methods
            ):
                self._program.note(values, DICTIONARIES)
            case ast.expr() if self._program.kinds.kinds_of(values) & {"dict", "set"}:
                self._program.note(values, DICTIONARIES)

    # Others

    def _str(self, node: ast.Call) -> None:
        if len(node.args) == 1 and self._program.kinds.kinds_of(node.args[0]) == FLOAT:
            self._rename_call(node, "py2_str")

    def _reload(self, node: ast.Call) -> None:
        if node.args and isinstance(node.args[0], ast.Name) and node.args[0].id == "sys":
            self._dropped(node)
        else:
            self._edits.replace(self._edits.span(node.func), "__import__('importlib').reload")

    def _dropped(self, node: ast.Call) -> None:
        if isinstance(self._program.parents[node], ast.Expr):
            self._edits.rewrite(node, "pass")

    def _floating(self, node: ast.Call) -> None:
        if self._program.called_by(node) not in (("builtins", "int"), ("builtins", "float"), ("builtins", "long")):
            self._edits.wrap(node, "float(")

    def _shuffle(self, node: ast.Call) -> None:
        if len(node.args) > 1:
            self._rename_call(node, "py2_random.shuffle")

    def _sample(self, node: ast.Call) -> None:
        if not (node.args and self._program.kinds.kinds_of(node.args[0]) <= {"list", "tuple"}):
            self._rename_call(node, "py2_sample")

    def _asscalar(self, node: ast.Call) -> None:
        if len(node.args) == 1 and isinstance(node.func, ast.Attribute):
            self._attribute(node.func, "asarray")
            self._edits.wrap(node, "", ".item()")

    def _random_integers(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute) and node.args:
            self._attribute(node.func, "randint")
            self._edits.wrap(node.args[:2][-1], "1, " if len(node.args) == 1 else "", " + 1")

    # Methods

    def _method(self, node: ast.Call) -> None:
        function = node.func
        if not isinstance(function, ast.Attribute):
            return
        name, own = function.attr, function.attr in self._program.methods
        if name == "sort":
            self._sort(node, function)
        elif own:
            return
        elif name in RENAMED_ATTRIBUTES or name in VIEWS:
            self._attribute(function, (RENAMED_ATTRIBUTES | VIEWS)[name])
            lazy = name in RENAMED_ATTRIBUTES
            if lazy and not self._program.is_iterated(node) and self._program.called_by(node) not in CONSUMERS:
                self._edits.wrap(node, "iter(")
        elif name in VIEWS.values() and not node.args and not node.keywords:
            used = self._program.is_searched(node) or self._program.called_by(node) in CONSUMERS | {("builtins", "len")}
            if not used:
                self._edits.wrap(node, "list(")
        elif name == "next" and not node.args and not self._is_stored("next"):
            self._as_argument(node, function, "next")
        elif name == "translate" and len(node.args) == 2:
            self._as_argument(node, function, self._program.need("py2_translate"))
        elif name == "tostring" and not node.args:
            self._attribute(function, "tobytes")
        elif name in ("encode", "decode") and node.args and getattr(node.args[0], "value", None) in TEXT_CODECS:
            self._program.note(node, f"strings have no .{name}() of this kind in Python 3; use the module `codecs`")

    def _sort(self, node: ast.Call, function: ast.Attribute) -> None:
        keys = {key.arg: key.value for key in node.keywords}
        key = keys.get("key")
        by_number = isinstance(key, ast.Lambda) and self._program.kinds.kinds_of(key.body) <= NUMBERS
        if not (by_number and not node.args and "cmp" not in keys):
            self._program.note(node, SORTED)
            self._as_argument(node, function, self._program.need("py2_sort"))

    def _as_argument(self, node: ast.Call, function: ast.Attribute, new: str) -> None:
        """Turns x.method(...) into a call new(x, ...)."""
        dot = self._edits.find(".", self._edits.span(function.value)[1], self._edits.span(function)[1])
        bracket = self._edits.find("(", self._edits.span(function)[1], self._edits.span(node)[1])
        self._edits.wrap(node, f"{new}(", "")
        self._edits.replace((dot[0], bracket[1]), ", " if node.args or node.keywords else "", node)

    def _attribute(self, node: ast.Attribute, new: str) -> None:
        end = self._edits.span(node)[1]
        self._edits.replace((end - len(node.attr), end), new, node)

    def _is_stored(self, name: str) -> bool:
        """Returns whether the file gives objects an attribute of this name."""
        return any(
            isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Store)
            for node in self._program.nodes
        )
