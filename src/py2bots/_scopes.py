"""Converts names that lived longer in Python 2, and classes that need more methods now."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from py2bots._program import COMPREHENSIONS, Program

RICH = {"eq": "== 0", "ne": "!= 0", "lt": "< 0", "le": "<= 0", "gt": "> 0", "ge": ">= 0"}
DIVISIONS = {"__div__": "__truediv__", "__rdiv__": "__rtruediv__", "__idiv__": "__itruediv__"}

LEAKED = "the variable of a list comprehension keeps its value after it, as in Python 2"
KEPT = "the variable of this `except` keeps its value after it, as in Python 2"


class Scopes:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._edits = program.edits

    def visit(self, node: ast.AST) -> None:
        match node:
            case ast.ListComp():
                if isinstance(self._program.scope(node), ast.ClassDef):
                    self._in_class(node)
                else:
                    self._leak(node)
            case ast.ExceptHandler(name=str()):
                self._handler(node)
            case ast.Raise(
                exc=ast.Call(
                    func=ast.Attribute(value=ast.Call(func=kind, args=[value]), attr="with_traceback"), args=[trace]
                )
            ):
                self._raise(node, [kind, value, trace])
            case ast.Raise():
                self._stop(node)
            case ast.ClassDef():
                self._class(node)
            case ast.Attribute(attr="message", value=ast.Name(id=name), ctx=ast.Load()) if self._is_error(node, name):
                helper = self._program.need("py2_message")
                self._edits.rewrite(node, f"{helper}({name})")
            case ast.Subscript(value=ast.Name(id=name) as value) if self._is_error(node, name):
                self._edits.replace((self._edits.span(value)[1],) * 2, ".args", node)
            case ast.Call(func=ast.Name(id="exec")):
                self._program.note(
                    node, "exec in a function no longer changes its variables, and its text is not converted"
                )

    # List comprehensions

    def _leak(self, node: ast.ListComp) -> None:
        """Converts [f(i) for i in x], if i is read elsewhere, to [f(i) for py2_i in x if [i := py2_i]]."""
        for number, generator in enumerate(node.generators):
            names = [part.id for part in ast.walk(generator.target) if isinstance(part, ast.Name)]
            if not any(self._is_read_outside(node, name) for name in names):
                continue
            if not self._may_assign(node, names):
                self._program.note(
                    node, "the variable of this list comprehension kept its value in Python 2; give it another name"
                )
                continue
            self._program.note(node, LEAKED)
            for part in ast.walk(generator.target):
                if isinstance(part, ast.Name):
                    self._edits.replace(self._edits.span(part), f"py2_{part.id}")
            text = f" if [{', '.join(f'{name} := py2_{name}' for name in names)}]"
            place = self._after(node, number)
            self._edits.replace((place, place), text, node)

    def _after(self, node: ast.ListComp, number: int) -> int:
        """Returns the place of a generator's next condition."""
        generator = node.generators[number]
        end = self._edits.span(generator.iter)[1]
        if generator.ifs:
            place = self._edits.find("if", end, self._edits.span(generator.ifs[0])[0])[0]
        elif number + 1 < len(node.generators):
            place = self._edits.find("for", end, self._edits.span(node.generators[number + 1].target)[0])[0]
        else:
            place = self._edits.span(node)[1] - 1
        while self._edits.original((place - 1, place)).isspace():
            place -= 1
        return place

    def _may_assign(self, node: ast.ListComp, names: list[str]) -> bool:
        """Returns whether `:=` is allowed: Python 3 forbids it in another comprehension's iterable, and for its
        variable.
        """
        inner: ast.AST = node
        for outer in self._program.above(node):
            if isinstance(outer, ast.comprehension) and outer.iter is inner:
                return False
            if isinstance(outer, COMPREHENSIONS) and set(names) & set(_targets(outer)):
                return False
            if outer is self._program.scope(node):
                break
            inner = outer
        return not isinstance(self._program.scope(node), ast.Lambda)

    def _is_read_outside(self, node: ast.ListComp, name: str) -> bool:
        """Returns whether the function reads a name after the comprehension may have set it."""
        scope = self._program.scope(node)
        around = set(self._program.above(node))
        for other in self._program.nodes:
            if not (isinstance(other, ast.Name) and other.id == name and isinstance(other.ctx, ast.Load)):
                continue
            above = list(self._program.above(other))
            if node in above or scope not in above:
                continue
            if any(isinstance(part, COMPREHENSIONS) and name in _targets(part) for part in above):
                continue
            loops = [part for part in above if isinstance(part, ast.For | ast.While) and part in around]
            fresh = [part for part in above if isinstance(part, ast.For) and part not in around]
            if any(name in _names(part.target) for part in fresh):
                continue
            if loops or (other.lineno, other.col_offset) > (node.lineno, node.col_offset):
                return True
        return False

    def _in_class(self, node: ast.ListComp) -> None:
        """Passes the names of a class to a list comprehension in it, which saw them in Python 2."""
        scope = self._program.scope(node)
        assert isinstance(scope, ast.ClassDef)
        if any(isinstance(part, COMPREHENSIONS) for part in self._program.above(node)):
            return
        first = node.generators[0].iter
        assigned = set(_stored(scope))
        seen = {part for part in ast.walk(node) if isinstance(part, ast.Name)} - set(ast.walk(first))
        needed = sorted({part.id for part in seen} & assigned - set(_targets(node)))
        if needed:
            names = ", ".join(needed)
            self._edits.wrap(node, f"(lambda {names}: ", f")({names})")

    # Exceptions

    def _handler(self, node: ast.ExceptHandler) -> None:
        """Keeps the error of an `except` in a second variable: its own is deleted at the end."""
        name, scope = str(node.name), self._program.scope(node)
        inside = set(ast.walk(node))
        later = any(
            isinstance(other, ast.Name)
            and other.id == name
            and other not in inside
            and isinstance(other.ctx, ast.Load)
            and self._program.scope(other) is scope
            for other in self._program.nodes
        )
        if not later or node.type is None:
            return
        self._program.note(node, KEPT)
        start = self._edits.span(node.body[0])[0]
        word = self._edits.find("as", self._edits.span(node.type)[1], start)
        self._edits.replace(self._edits.find(name, word[1], start), f"py2_{name}", node.body[0])
        first = node.body[0]
        own_line = first.lineno > node.type.lineno
        separator = "\n" + " " * first.col_offset if own_line else "; "
        self._edits.wrap(first, f"{name} = py2_{name}{separator}", "")

    def _raise(self, node: ast.Raise, parts: list[ast.expr]) -> None:
        """Converts raise kind, value, trace. The value may be the error itself."""
        helper, spans = self._program.need("py2_raise"), [self._edits.span(part) for part in parts]
        self._edits.rewrite(node, lambda: f"{helper}({', '.join(map(self._edits.text_of, spans))})")

    def _stop(self, node: ast.Raise) -> None:
        """Ends a generator by `return`: raising StopIteration in a generator is now an error."""
        error = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        scope = self._program.scope(node)
        if not (isinstance(error, ast.Name) and error.id == "StopIteration"):
            return
        if any(isinstance(part, ast.Yield) and self._program.scope(part) is scope for part in ast.walk(scope)):
            self._edits.rewrite(node, "return")

    def _is_error(self, node: ast.AST, name: str) -> bool:
        """Returns whether a name is the variable of an enclosing `except`."""
        return any(isinstance(part, ast.ExceptHandler) and part.name == name for part in self._program.above(node))

    # Classes

    def _class(self, node: ast.ClassDef) -> None:
        lines = list(self._additions(node))
        last = node.body[-1]
        if not lines or node.body[0].lineno == node.lineno:
            return
        assert last.end_lineno is not None
        end = self._edits.place(last.end_lineno + 1, 0) - 1
        indent = "\n" + " " * node.body[0].col_offset
        self._edits.replace((end, end), "".join(indent + line for line in lines), node)

    def _additions(self, node: ast.ClassDef) -> Iterator[str]:
        """Yields lines for the end of a class."""
        defined = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
        defined.update(_stored(node))
        base = ast.unparse(node.bases[0]) if node.bases else "object"
        if "__cmp__" in defined:
            for name, how in RICH.items():
                if f"__{name}__" not in defined:
                    yield f"def __{name}__(self, other): return self.__cmp__(other) {how}"
        elif "__eq__" in defined and "__ne__" not in defined:
            yield "def __ne__(self, other): return self is not other  # Python 2 did not ask __eq__"
        if defined & {"__cmp__", "__eq__"} and "__hash__" not in defined:
            yield f"__hash__ = {base}.__hash__"
        if {"__iter__", "next"} <= defined:
            yield "__next__ = next"
        for old, new in DIVISIONS.items():
            if old in defined and new not in defined:
                yield f"{new} = {old}"
        for gone in sorted(defined & {"__getslice__", "__setslice__", "__delslice__", "__coerce__"}):
            self._program.note(node, f"{gone} is never called in Python 3")


def _targets(node: ast.AST) -> list[str]:
    return [name for generator in getattr(node, "generators", []) for name in _names(generator.target)]


def _names(node: ast.AST) -> list[str]:
    return [part.id for part in ast.walk(node) if isinstance(part, ast.Name)]


def _stored(node: ast.ClassDef) -> list[str]:
    """Returns the names that the statements of a class assign."""
    targets = [target for part in node.body if isinstance(part, ast.Assign) for target in part.targets]
    return [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]
