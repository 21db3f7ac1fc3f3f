"""Infers the possible types of the values in a program, without running it.

A kind is a set of names of types: {"int"}, {"int", "float"}, {"none", "tuple"}; `ANY` if nothing is known, `NOTHING` if
nothing is ever assigned to a name. All assignments to a name in its function, all arguments of calls to a function of
the file and all stores to an attribute are combined, in any order, until nothing changes. Values from other files are
unknown, so they are ANY. Arithmetic is that of Python 2: the quotient of integers is an integer.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

Kind = frozenset[str]
ANY: Kind = frozenset({"any"})
NOTHING: Kind = frozenset()
INT: Kind = frozenset({"int"})
FLOAT: Kind = frozenset({"float"})
NUMBER: Kind = frozenset({"int", "float"})
BOOL: Kind = frozenset({"bool"})
TEXT: Kind = frozenset({"str"})
NONE: Kind = frozenset({"none"})
LIST: Kind = frozenset({"list"})
WHOLE: Kind = INT | BOOL
NUMBERS: Kind = NUMBER | BOOL

CALLS: dict[str, Kind] = {
    **dict.fromkeys("len int long ord id hash index count find randint randrange getrandbits".split(), INT),
    **dict.fromkeys("float sqrt log log10 exp time clock random uniform gauss round floor ceil sin cos".split(), FLOAT),
    **dict.fromkeys("atan atan2 hypot fabs".split(), FLOAT),
    **dict.fromkeys("str repr chr raw_input join upper lower strip hexdigest".split(), TEXT),
    **dict.fromkeys("list range sorted map zip keys values items find_valid_move_cells split".split(), LIST),
    **dict.fromkeys("any all isinstance callable hasattr bool startswith endswith".split(), BOOL),
    "tuple": frozenset({"tuple"}),
    "dict": frozenset({"dict"}),
    "set": frozenset({"set"}),
    "sum": NUMBER,
}
"""Result types of calls, by the last part of the function's name, unless the file defines a function of that name."""

PASSES = 30
"""Maximum number of passes; a program that needs more is a trap, and nothing is known about its values."""
FROM_OUTSIDE = {"move", "choose"}
"""Functions that are called from outside the file."""

Key = tuple[int, str]
_ATTRIBUTE, _RETURN = -1, -2
"""Pseudo-scopes: attributes of all objects, and return values of functions of a name."""

_DYNAMIC = {"setattr", "exec", "eval", "__dict__", "globals", "locals", "vars"}
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Kinds:
    """Infers the kind of any expression of the tree: call `of`."""

    def __init__(self, tree: ast.Module) -> None:
        self._known: dict[Key, Kind] = {}
        self._rules: list[tuple[Key, ast.expr | None]] = []
        """For each name, what is assigned to it; None if that is unknown."""
        self._scope: dict[ast.AST, int] = {}
        self._outer: list[int] = [0]
        self._globals: set[Key] = set()
        self._functions: dict[str, list[tuple[ast.FunctionDef, int]]] = {}
        self._calls: dict[str, list[ast.Call]] = {}
        self._called: set[ast.AST] = set()
        self._passed_on: set[str] = set()
        names = {name_of(node) for node in ast.walk(tree)}
        self._dynamic = not _DYNAMIC.isdisjoint(names)
        self._visit(tree, 0, None)
        for name, functions in self._functions.items():
            self._parameters(name, functions)
        self._known |= dict.fromkeys((key for key, _ in self._rules), NOTHING)
        self._solve()

    def kinds_of(self, node: ast.expr) -> Kind:
        match node:
            case ast.Constant(value=value):
                return _CONSTANTS.get(type(value), ANY)
            case ast.Name(id=name):
                return self._variable(self._scope.get(node, 0), name)
            case ast.Attribute(value=ast.Name(), attr=name):
                return ANY if self._dynamic else self._known.get((_ATTRIBUTE, name), ANY)
            case ast.BinOp(left=left, op=op, right=right):
                return arithmetic(self.kinds_of(left), op, self.kinds_of(right))
            case ast.UnaryOp(op=ast.Not()) | ast.Compare():
                return BOOL
            case ast.UnaryOp(operand=operand):
                return arithmetic(INT, ast.Sub(), self.kinds_of(operand))
            case ast.BoolOp(values=values):
                return _union(map(self.kinds_of, values))
            case ast.IfExp(body=body, orelse=orelse):
                return _union(map(self.kinds_of, (body, orelse)))
            case ast.Call():
                return self._call(node)
        return _DISPLAYS.get(type(node), ANY)

    def scope_of(self, name: ast.Name) -> int:
        """Returns the number of the function that contains a name, 0 outside all."""
        return self._scope.get(name, 0)

    def are_ordered(self, one: ast.expr, other: ast.expr) -> bool:
        """Returns whether Python 3 orders any two values of these expressions as Python 2 did."""
        kinds = self.kinds_of(one) | self.kinds_of(other)
        return kinds <= NUMBERS or kinds <= TEXT

    def _variable(self, scope: int, name: str) -> Kind:
        if (scope, name) in self._globals:
            scope = 0
        while (scope, name) not in self._known and scope:
            scope = self._outer[scope]
        return self._known.get((scope, name), ANY)

    def _call(self, node: ast.Call) -> Kind:
        name = name_of(node.func)
        if name in self._functions:
            ours = isinstance(node.func, ast.Name) or name_of(getattr(node.func, "value", None)) == "self"
            return self._known.get((_RETURN, name), ANY) if ours else ANY
        if name in ("abs", "max", "min") and node.args and not _is_open(node):
            if name == "abs":
                return arithmetic(INT, ast.Sub(), self.kinds_of(node.args[0]))
            if len(node.args) > 1:
                return _union(map(self.kinds_of, node.args))
            element = element_of(node.args[0])
            return self.kinds_of(element) if element is not None else ANY
        if name in ("deepcopy", "copy") and node.args:
            return self.kinds_of(node.args[0])
        if name == "sum" and len(node.args) != 1:  # lists can be summed, starting with an empty one
            return ANY
        return CALLS.get(name, ANY)

    def _visit(self, node: ast.AST, scope: int, function: str | None) -> None:
        """Notes the scope of every name below, and a rule for everything that is assigned there."""
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            self._function(node, scope)
            return
        if isinstance(node, ast.Name):
            self._scope[node] = scope
        elif isinstance(node, ast.Global):
            self._globals.update((scope, name) for name in node.names)
        elif isinstance(node, ast.Call):
            self._called.add(node.func)
            self._calls.setdefault(name_of(node.func), []).append(node)
        if isinstance(node, ast.Name | ast.Attribute) and node not in self._called:
            self._passed_on.add(name_of(node))
        for part in ast.iter_child_nodes(node):
            self._visit(part, scope, function)
        self._assigned(node, scope, function)

    def _function(self, node: _Function, scope: int) -> None:
        self._outer.append(scope)
        inner = len(self._outer) - 1
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        others = [extra for extra in (node.args.vararg, node.args.kwarg) if extra is not None]
        self._known |= dict.fromkeys(((inner, arg.arg) for arg in [*arguments, *others]), ANY)
        for part in [*node.args.defaults, *getattr(node, "decorator_list", [])]:
            self._visit(part, scope, None)
        if isinstance(node, ast.Lambda):
            self._visit(node.body, inner, None)
            return
        if isinstance(node, ast.FunctionDef):
            self._functions.setdefault(node.name, []).append((node, inner))
        for statement in node.body:
            self._visit(statement, inner, node.name)
        if any(isinstance(part, ast.Yield | ast.YieldFrom) for part in ast.walk(node)):
            self._rule((_RETURN, node.name), None)
        elif not _always_returns(node.body):
            self._rule((_RETURN, node.name), ast.Constant(value=None))
        self._rule((scope, node.name), None)

    def _parameters(self, name: str, functions: list[tuple[ast.FunctionDef, int]]) -> None:
        """Adds parameters' kinds from the calls in this file, if nothing else can call the function."""
        [(node, scope), *others] = functions
        calls = self._calls.get(name, [])
        args = [*node.args.posonlyargs, *node.args.args]
        outside = name in FROM_OUTSIDE or name.startswith("__") or name in self._passed_on
        if others or outside or not calls or node.decorator_list or any(map(_is_open, calls)):
            return
        first = 1 if args and args[0].arg == "self" else 0
        names = [arg.arg for arg in args[first:]]
        if any(len(call.args) > len(names) for call in calls):
            return
        for parameter in names:
            self._known[(scope, parameter)] = NOTHING
        for parameter, default in zip(reversed(names), reversed(node.args.defaults), strict=False):
            self._rule((scope, parameter), default)
        for call in calls:
            for parameter, value in zip(names, call.args, strict=False):
                self._rule((scope, parameter), value)
            for keyword in call.keywords:
                if keyword.arg in names:
                    self._rule((scope, keyword.arg), keyword.value)

    def _assigned(self, node: ast.AST, scope: int, function: str | None) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._target(target, scope, value)
            case ast.AugAssign(target=target, op=op, value=value):
                self._target(target, scope, ast.BinOp(left=target, op=op, right=value))
            case ast.For(target=target, iter=values) | ast.comprehension(target=target, iter=values):
                self._loop(target, scope, values)
            case ast.withitem(optional_vars=ast.expr() as target):
                self._target(target, scope, None)
            case ast.alias(name=name, asname=alias):
                self._rule((scope, (alias or name).partition(".")[0]), None)
            case ast.ClassDef(name=name, body=body):
                self._rule((scope, name), None)
                self._class_attributes(body)
            case ast.ExceptHandler(name=str(name)):
                self._rule((scope, name), None)
            case ast.Return(value=value) if function is not None:
                self._rule((_RETURN, function), value or ast.Constant(value=None))

    def _class_attributes(self, body: list[ast.stmt]) -> None:
        for statement in body:
            for target in statement.targets if isinstance(statement, ast.Assign) else []:
                for part in ast.walk(target):
                    if isinstance(part, ast.Name):
                        whole = isinstance(statement, ast.Assign) and part is target
                        self._rule((_ATTRIBUTE, part.id), statement.value if whole else None)  # type: ignore[attr-defined]

    def _target(self, target: ast.expr, scope: int, value: ast.expr | None) -> None:
        match target:
            case ast.Name(id=name):
                self._rule((0 if (scope, name) in self._globals else scope, name), value)
            case ast.Attribute(attr=name):
                self._rule((_ATTRIBUTE, name), value)
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                values: list[ast.expr | None] = [None] * len(targets)
                if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(targets):
                    values = [*value.elts]
                for part, element in zip(targets, values, strict=True):
                    self._target(part, scope, element)

    def _loop(self, target: ast.expr, scope: int, values: ast.expr) -> None:
        whole = ast.Constant(value=0)
        name = name_of(values.func) if isinstance(values, ast.Call) else ""
        if name in ("range", "xrange"):
            self._target(target, scope, whole)
        elif name == "enumerate" and isinstance(target, ast.Tuple) and len(target.elts) == 2:
            self._target(target.elts[0], scope, whole)
            self._target(target.elts[1], scope, None)
        elif isinstance(values, ast.List | ast.Tuple) and values.elts:
            for value in values.elts:
                self._target(target, scope, value)
        else:
            self._target(target, scope, None)

    def _rule(self, key: Key, value: ast.expr | None) -> None:
        self._rules.append((key, value))

    def _solve(self) -> None:
        for _ in range(PASSES):
            changed = False
            for key, value in self._rules:
                before = self._known[key]
                after = _union([before, ANY if value is None else self.kinds_of(value)])
                if after != before:
                    self._known[key], changed = after, True
            if not changed:
                return
        self._known.clear()


def arithmetic(left: Kind, op: ast.operator, right: Kind) -> Kind:
    """Returns the kind of `left op right` in Python 2. A value that is not a number hardly ever becomes one."""
    if NOTHING in (left, right):
        return NOTHING
    if isinstance(op, ast.Mod) and left <= TEXT:
        return TEXT
    if isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor):
        return left | right if left <= WHOLE and right <= WHOLE else ANY
    if isinstance(op, ast.LShift | ast.RShift):
        return INT
    if left <= WHOLE and right <= WHOLE:
        return NUMBER if isinstance(op, ast.Pow) else INT
    if left <= NUMBERS and right <= NUMBERS:
        return FLOAT if FLOAT in (left, right) else NUMBER
    if left <= TEXT and right <= TEXT:
        return TEXT
    if isinstance(op, ast.Add):  # a number plus an operand: the operand is a number too, or the sum fails
        return (FLOAT if FLOAT in (left, right) else NUMBER) if left <= NUMBERS or right <= NUMBERS else ANY
    sequences = (left | right) & {"str", "list", "tuple", "set"}
    if sequences or (isinstance(op, ast.Mod) and not right <= NUMBERS):
        return ANY
    return FLOAT if FLOAT in (left, right) else NUMBER


_CONSTANTS: dict[type, Kind] = {bool: BOOL, int: INT, float: FLOAT, str: TEXT, type(None): NONE}
_DISPLAYS: dict[type, Kind] = {
    ast.List: LIST,
    ast.ListComp: LIST,
    ast.Tuple: frozenset({"tuple"}),
    ast.Dict: frozenset({"dict"}),
    ast.DictComp: frozenset({"dict"}),
    ast.Set: frozenset({"set"}),
    ast.SetComp: frozenset({"set"}),
    ast.Lambda: frozenset({"function"}),
}


def name_of(node: ast.AST | None) -> str:
    """Returns the last part of a name: `c` of a.b.c."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def element_of(node: ast.expr) -> ast.expr | None:
    """Returns the expression that all elements of a list come from, if it is explicit."""
    return node.elt if isinstance(node, ast.ListComp | ast.GeneratorExp) else None


def _is_open(call: ast.Call) -> bool:
    """Returns whether a call passes on arguments that are not explicit."""
    return any(isinstance(arg, ast.Starred) for arg in call.args) or any(key.arg is None for key in call.keywords)


def _union(kinds: Iterable[Kind]) -> Kind:
    joined = NOTHING.union(*kinds)
    return ANY if "any" in joined else joined


def _always_returns(body: list[ast.stmt]) -> bool:
    """Returns whether the end of a function's body cannot be reached."""
    match body[-1]:
        case ast.Return() | ast.Raise():
            return True
        case ast.If(body=one, orelse=other):
            return bool(other) and _always_returns(one) and _always_returns(other)
        case ast.While(test=ast.Constant(value=value), orelse=[]) if value:
            return not any(isinstance(node, ast.Break) for node in ast.walk(body[-1]))
    return False
