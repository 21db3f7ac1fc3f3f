"""A program that Python 3 can read: its tree, the meaning of its names, and its pending changes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from py2bots._edits import Edits
from py2bots._kinds import Kinds
from py2bots._names import FLOATING, RENAMED, REPLACED, SEEDED, Name

Scope = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
SCOPES = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
NUMPY_BUILTINS = {"abs", "all", "any", "max", "min", "round", "sum"}
"""Names that `from numpy import *` replaces."""


class Program:
    """A program to convert. needed: functions of `runtime` that the changed text calls. notes: (line, text) for the
    user."""

    def __init__(self, text: str) -> None:
        self.tree = ast.parse(text)
        self.nodes = list(ast.walk(self.tree))
        self.edits = Edits(text)
        self.kinds = Kinds(self.tree)
        self.needed: set[str] = set()
        self.notes: list[tuple[int, str]] = []
        self.parents = {part: node for node in self.nodes for part in ast.iter_child_nodes(node)}
        self.methods = {node.name for node in self.nodes if isinstance(node, ast.FunctionDef)}
        self._bound: dict[ast.AST, set[str]] = {}
        self._imported: dict[str, str | Name] = {}
        self._stars: list[str] = []
        for node in self.nodes:
            self._bind(node)
        self.seeded = any(self._is_seeding(node) for node in self.nodes)

    def note(self, node: ast.AST, text: str) -> None:
        self.notes.append((getattr(node, "lineno", 1), text))

    def need(self, helper: str) -> str:
        """Marks a function of `runtime` as needed; returns its name."""
        self.needed.add(helper)
        return helper

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yields the nodes that contain a node, from the inside out."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def scope(self, node: ast.AST) -> ast.AST:
        """Returns the function, class or module whose names a node sees first, as Python 2 had it for list
        comprehensions."""
        inner = node
        for outer in self.above(node):
            if isinstance(outer, SCOPES) and not _outside(outer, inner):
                return outer
            inner = outer
        return self.tree

    def is_own(self, node: ast.AST, name: str) -> bool:
        """Returns whether the file itself defines a name at this place, other than by an import."""
        scope = self.scope(node)
        if name in self._bound.get(scope, ()):
            return True
        outer = [part for part in self.above(scope) if not isinstance(part, ast.ClassDef)]
        return any(name in self._bound.get(part, ()) for part in outer)

    def resolve(self, node: ast.AST) -> Name | None:
        """Returns what a name or an attribute of a module means; None if the file defines it, or it is unknown."""
        if isinstance(node, ast.Attribute):
            module = self._module(node.value)
            return (module, node.attr) if module else None
        if not isinstance(node, ast.Name) or self.is_own(node, node.id):
            return None
        if node.id in self._imported:
            meant = self._imported[node.id]
            return None if isinstance(meant, str) else meant
        for module in self._stars:
            known = any((module, node.id) in names for names in (RENAMED, REPLACED, SEEDED, FLOATING))
            if known or (module == "numpy" and node.id in NUMPY_BUILTINS):
                return module, node.id
        return "builtins", node.id

    def is_star(self, node: ast.AST) -> bool:
        """Returns whether a name comes from an `import *`."""
        return isinstance(node, ast.Name) and node.id not in self._imported

    def called_by(self, node: ast.AST) -> Name | None:
        """Returns the function whose first argument a node is; None if there is none."""
        parent = self.parents.get(node)
        if isinstance(parent, ast.Call) and parent.args and parent.args[0] is node:
            return self.resolve(parent.func)
        return None

    def is_iterated(self, node: ast.AST) -> bool:
        parent = self.parents.get(node)
        return isinstance(parent, ast.For | ast.comprehension) and parent.iter is node

    def is_searched(self, node: ast.AST) -> bool:
        """Returns whether a node is to the right of `in`."""
        parent = self.parents.get(node)
        return (
            isinstance(parent, ast.Compare)
            and len(parent.ops) == 1
            and isinstance(parent.ops[0], ast.In | ast.NotIn)
            and parent.comparators[0] is node
        )

    def _module(self, node: ast.AST) -> str | None:
        if isinstance(node, ast.Name):
            meant = self._imported.get(node.id)
            if isinstance(meant, tuple):
                return "numpy.random" if meant == ("numpy", "random") else None
            return None if meant is None or self.is_own(node, node.id) else meant
        if isinstance(node, ast.Attribute) and node.attr == "random" and self._module(node.value) == "numpy":
            return "numpy.random"
        return None

    def _is_seeding(self, node: ast.AST) -> bool:
        if not isinstance(node, ast.Call) or not node.args:
            return False
        return self.resolve(node.func) in (("random", "seed"), ("random", "Random"))

    def _bind(self, node: ast.AST) -> None:
        match node:
            case ast.Import(names=aliases):
                for alias in aliases:
                    if alias.asname or "." not in alias.name:
                        self._imported[alias.asname or alias.name] = alias.name
            case ast.ImportFrom(module=str(module), names=aliases, level=0):
                for alias in aliases:
                    if alias.name == "*":
                        self._stars.append(module)
                    else:
                        self._imported[alias.asname or alias.name] = (module, alias.name)
            case ast.Global(names=names):
                self._bound.setdefault(self.tree, set()).update(names)
            case _ if name := bound_name(node):
                self._bound.setdefault(self.scope(node), set()).add(name)


def bound_name(node: ast.AST) -> str | None:
    """Returns the name that a node defines, other than by an import."""
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
            return name
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.ExceptHandler(name=str(name)):
            return name
    return None


def _outside(scope: ast.AST, inner: ast.AST) -> bool:
    """Returns whether a part of a function or class is evaluated outside of it: decorators, defaults, bases."""
    if isinstance(scope, ast.ClassDef):
        return inner not in scope.body
    return isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef) and inner in scope.decorator_list
