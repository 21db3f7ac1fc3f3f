"""Decides which Python a source is written in, by weighing the evidence.

A source that Python 3 cannot parse is not Python 3. Otherwise each kind of sign counts once, by its weight, for one of
the two versions; the version that leads by `MARGIN` or more wins, else the source is undecided. `//` is not a sign:
both have it.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from py2bots._kinds import NUMBERS, Kinds, name_of
from py2bots._operators import is_literal
from py2bots._program import bound_name
from py2bots._syntax import TABS, spaces_for_tabs
from py2bots.prelude import BEGIN
from py2bots.reading import tokens, too_deep, with_neighbours

GRAMMAR, NAME, HABIT, HINT = 100, 10, 3, 1
"""Weights: grammar that one version lacks; a name that one version lacks, or a certain crash; a habit; a hint."""
MARGIN = 2

PYTHON_2_NAMES = {
    *"xrange raw_input unicode basestring unichr cmp reduce long apply reload intern coerce buffer execfile".split(),
    *"file StandardError".split(),
}
PYTHON_2_ATTRIBUTES = {
    *"has_key iteritems itervalues iterkeys viewitems viewkeys viewvalues func_name func_code im_self im_func".split()
}
PYTHON_2_METHODS = {*"__nonzero__ __cmp__ __getslice__ __setslice__ __div__ __idiv__ __unicode__".split()}
PYTHON_2_MEMBERS = {
    "sys": {*"maxint exc_clear exc_type".split()},
    "time": {"clock"},
    "itertools": {*"izip imap ifilter izip_longest ifilterfalse".split()},
    "string": {*"letters lowercase uppercase maketrans join split replace atoi atof upper lower strip find".split()},
    "os": {"getcwdu"},
    "types": {*"StringType IntType ListType TupleType DictType FloatType NoneType BooleanType".split()},
}
PYTHON_2_MODULES = {
    *"Queue commands sets md5 sha urllib2 urlparse thread __builtin__ exceptions".split(),
    *"cPickle cStringIO StringIO Tkinter ConfigParser HTMLParser".split(),
}
PYTHON_3_NAMES = {*"TimeoutError FileNotFoundError RecursionError ModuleNotFoundError aiter anext".split()}
PYTHON_3_MEMBERS = {
    "time": {*"perf_counter perf_counter_ns monotonic monotonic_ns process_time thread_time time_ns".split()},
    "functools": {*"lru_cache cache cached_property singledispatch partialmethod".split()},
    "math": {*"inf nan isclose prod comb perm dist tau isqrt lcm".split()},
    "random": {"choices"},
    "itertools": {*"zip_longest accumulate pairwise batched".split()},
    "collections": {"ChainMap"},
}
PYTHON_3_MODULES = {
    *"queue dataclasses typing enum pathlib statistics builtins concurrent asyncio collections.abc".split(),
    *"importlib.metadata urllib.request selectors secrets tracemalloc".split(),
}
LIST_METHODS = {*"sort append remove pop extend insert reverse".split()}

LISTS = "the result of map, zip, keys or range is used as a list"

Sign = tuple[int, int, int, str]
"""(version, weight, line, why)"""


@dataclass(frozen=True)
class Verdict:
    """Which Python a source is written in: 2, 3, or None if the evidence is even. why: the strongest sign.

    error: why Python 3 cannot parse it. tab: if only its tabs are the problem, the columns of a tab that solve it.
    """

    version: int | None
    why: str = ""
    error: str = ""
    tab: int = 0


def which_python(source: str) -> Verdict:
    """Weighs the evidence in a source, which is parsed but never compiled or run."""
    if BEGIN in source:
        return Verdict(3, f"line {source[: source.index(BEGIN)].count(chr(10)) + 1}: written by `noughts convert`")
    try:
        return _weigh([*_layout(source), *_Signs(_parsed(source)).find()])
    except SyntaxError as error:
        problem = f"line {error.lineno}: {error.msg}" if error.lineno else error.msg
        if isinstance(error, TabError):
            for tab in TABS:
                with suppress(SyntaxError):
                    signs = _Signs(_parsed(spaces_for_tabs(source, tab))).find()
                    found = _weigh([*_layout(source), *signs])
                    # Python 2 counts a tab as up to eight columns, which Python 3 does not accept.
                    version = 3 if found.version == 3 or (found.version is None and tab != TABS[0]) else 2
                    return Verdict(version, found.why, problem, tab)
        newer = next(_newer_tokens(source), "")
        return Verdict(3, newer, problem) if newer else Verdict(2, f"Python 3 cannot read it ({problem})", problem)


def _parsed(source: str) -> ast.Module:
    if too_deep(source):
        raise SyntaxError("it is nested too deeply")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (ValueError, RecursionError, MemoryError):
        raise SyntaxError("it is nested too deeply") from None


def _weigh(signs: Sequence[Sign]) -> Verdict:
    """Returns the version that the signs favour. Each kind of sign counts once, at its first occurrence."""
    first: dict[str, Sign] = {}
    for sign in sorted(signs, key=lambda sign: sign[2]):
        first.setdefault(sign[3], sign)
    lead = sum(weight if version == 2 else -weight for version, weight, _, _ in first.values())
    version = 2 if lead >= MARGIN else 3 if lead <= -MARGIN else None
    strongest = sorted(first.values(), key=lambda sign: -sign[1])
    reasons = [f"line {line}: {why}" for speaks_for, _, line, why in strongest if version in (speaks_for, None)]
    if version is not None:
        return Verdict(version, reasons[0])
    return Verdict(None, "; ".join(reasons[:2]) or "nothing in it is specific to one Python")


def _newer_tokens(source: str) -> Iterator[str]:
    found = [token for token in tokens(source) if token.kind != "newline"]
    for _, token, after in with_neighbours(found):
        if token.kind == "string" and "f" in token.text[:2].lower().partition(token.text[-1])[0]:
            yield f"line {token.line}: f-strings are not in Python 2"
        elif token.text in (":=", "->") or (token.text, after.text) == ("async", "def"):
            yield f"line {token.line}: {token.text} is not in Python 2"
        elif token.text == "nonlocal" and after.kind == "name" and after.line == token.line:
            yield f"line {token.line}: nonlocal is not in Python 2"


def _layout(source: str) -> Iterator[Sign]:
    """Yields signs in the text before it is parsed: its first lines, tabs, letters."""
    shebang = re.match(r"#![^\n]*python([23])", source)
    if shebang:
        yield int(shebang[1]), 2 * NAME, 1, f"the first line asks for python{shebang[1]}"
    tab = re.search(r"^ *\t", source, re.MULTILINE)
    if tab:
        yield 2, HINT, source[: tab.start()].count("\n") + 1, "it is indented by tabs"
    if re.match(r"(?:.*\n)?[ \t\f]*#.*?coding[:=]", source):
        yield 2, HINT, 1, "its encoding is declared"
    elif not source.isascii():
        line = next(number for number, text in enumerate(source.split("\n"), 1) if not text.isascii())
        yield 3, NAME, line, "Python 2 reads such letters only with a declared encoding"
    for token in tokens(source):
        if token.kind == "number" and "_" in token.text:
            yield 3, GRAMMAR, token.line, "digits are grouped with _, which Python 2 cannot read"


class _Signs:
    """Collects the signs in a tree."""

    def __init__(self, tree: ast.Module) -> None:
        self._nodes = list(ast.walk(tree))
        self._kinds = Kinds(tree)
        self._own = {*_bound(self._nodes)}
        self._values = self._assignments()
        self._quotients = {key for key, values in self._values.items() if any(map(_holds_quotient, values))}
        self._arguments = {node.arg for node in self._nodes if isinstance(node, ast.arg)}
        imported = [node for node in self._nodes if isinstance(node, ast.ImportFrom)]
        self._print_function = any(alias.name == "print_function" for node in imported for alias in node.names)
        self._tested = {ast.dump(part) for node in self._nodes for part in _tested(node)}

    def find(self) -> Iterator[Sign]:
        trials = [node for node in self._nodes if isinstance(node, ast.Try) and node.handlers]
        tried = {part for trial in trials for statement in trial.body for part in ast.walk(statement)}
        tried |= {part for trial in trials for handler in trial.handlers for part in ast.walk(handler)}
        for node in self._nodes:
            found = [*self._grammar(node), *self._printed(node), *self._divided(node), *self._listed(node)]
            found += [*self._compared(node), *([] if node in tried else self._names_of_one_version(node))]
            yield from ((version, weight, getattr(node, "lineno", 1), why) for version, weight, why in found)

    def _grammar(self, node: ast.AST) -> Iterator[tuple[int, int, str]]:
        """Yields grammar that Python 2 lacks."""
        new = ""
        match node:
            case ast.JoinedStr():
                new = "f-strings"
            case ast.AnnAssign() | ast.arg(annotation=ast.expr()) | ast.FunctionDef(returns=ast.expr()):
                new = "annotations"
            case ast.Nonlocal() | ast.NamedExpr() | ast.Match():
                new = "nonlocal, := and match"
            case ast.arguments(kwonlyargs=[_, *_]) | ast.arguments(posonlyargs=[_, *_]):
                new = "keyword-only and positional-only arguments"
            case ast.YieldFrom() | ast.AsyncFunctionDef() | ast.Await() | ast.Raise(cause=ast.expr()):
                new = "`yield from`, `raise from` and `async`"
            case ast.ClassDef(keywords=[_, *_]):
                new = "keywords of a class"
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
                new = "stars in lists" if any(isinstance(part, ast.Starred) for part in parts) else ""
            case ast.Dict(keys=keys) if None in keys:
                new = "stars in dicts"
        if new:
            yield 3, GRAMMAR, f"{new} are not in Python 2"

    def _names_of_one_version(self, node: ast.AST) -> Iterator[tuple[int, int, str]]:
        """Yields names that one version lacks, except those that the source defines itself."""
        match node:
            case ast.Name(id="__metaclass__"):
                yield 2, NAME, "__metaclass__ is gone from Python 3"
            case ast.Name(id=name) if name in PYTHON_2_NAMES - self._own:
                yield 2, NAME, f"{name} is gone from Python 3"
            case ast.Name(id=name) if name in PYTHON_3_NAMES - self._own:
                yield 3, NAME, f"{name} is not in Python 2"
            case ast.Attribute(attr=name) if name in PYTHON_2_ATTRIBUTES:
                yield 2, NAME, f".{name} is gone from Python 3"
            case ast.Attribute(value=ast.Name(id=module), attr=name):
                yield from _member(module, name)
            case ast.Import() | ast.ImportFrom():
                yield from _imported(node)
            case ast.FunctionDef(name="choose", args=ast.arguments(args=[_, _, *_])):
                yield 3, NAME, "choose(state, clock) is the interface of today's bots"
            case ast.FunctionDef(name=name) if name in PYTHON_2_METHODS:
                yield 2, NAME, f"{name} is gone from Python 3"
            case ast.Raise(exc=ast.Constant(value=str())):
                yield 2, NAME, "Python 3 raises no texts"
            case ast.Call():
                yield from _call(node)

    def _printed(self, node: ast.AST) -> Iterator[tuple[int, int, str]]:
        """Yields print as a function; and as a statement, where Python 3 parses it as something else."""
        match node:
            case ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=args, keywords=keywords)):
                if self._print_function:
                    return
                if keywords:
                    yield 3, GRAMMAR, "print takes no options in Python 2"
                elif len(args) == 1:
                    yield 3, HINT, "print has parentheses"
                else:
                    yield 3, HABIT, "print is called with several arguments, or none"
            case ast.Expr(value=value) if _begins_with_print(value):
                yield 2, GRAMMAR, "print is a statement"

    # Values: quotients that must be integers, iterators that must be lists, values that Python 3 does not order

    def _divided(self, node: ast.AST) -> Iterator[tuple[int, int, str]]:
        match node:
            case ast.Subscript(value=value, slice=index) if self._is_whole(
                index
            ) and "dict" not in self._kinds.kinds_of(value):
                yield 2, NAME, "a quotient by / is an index"
            case ast.Call(func=ast.Name(id="range"), args=args) if any(map(self._is_whole, args)):
                yield 2, NAME, "a quotient by / bounds a range"
            case ast.BinOp(op=ast.Mult(), left=ast.List(), right=times) if self._is_whole(times):
                yield 2, NAME, "a quotient by / repeats a list"
            case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[right]):
                if _is_quotient(left) and _is_quotient(right):
                    yield 2, HABIT, "two quotients by / are compared for equality"
            case ast.Call(func=function, args=[ast.BinOp(op=ast.Div())]) if name_of(function) in ("int", "floor"):
                yield 3, HINT, "a quotient is made an integer"
            case ast.BinOp(op=ast.Div(), left=ast.Call(func=ast.Name(id="float"))):
                yield 2, HINT, "float() is called to divide"

    def _is_whole(self, node: ast.expr | None) -> bool:
        """Returns whether an expression is an integer only if / divides integers as Python 2 did."""
        match node:
            case ast.Name(id=name):
                return (self._kinds.scope_of(node), name) in self._quotients
            case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult() | ast.Mod(), left=left, right=right):
                return self._is_whole(left) or self._is_whole(right)
            case ast.Slice(lower=lower, upper=upper):
                return self._is_whole(lower) or self._is_whole(upper)
        return node is not None and _is_quotient(node)

    def _assignments(self) -> dict[tuple[int, str], list[ast.expr]]:
        """Returns everything that is assigned to each name of each function."""
        found: dict[tuple[int, str], list[ast.expr]] = {}
        for node in self._nodes:
            pairs: list[tuple[ast.expr, ast.expr]] = []
            match node:
                case ast.AugAssign(target=place, op=op, value=value):
                    pairs = [(place, ast.BinOp(left=place, op=op, right=value))]
                case ast.Assign(targets=targets, value=value):
                    pairs = [(target, value) for target in targets]
                    for target in targets:
                        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                            pairs += zip(target.elts, value.elts, strict=False)
            for name, assigned in pairs:
                if isinstance(name, ast.Name):
                    found.setdefault((self._kinds.scope_of(name), name.id), []).append(assigned)
        return found

    def _listed(self, node: ast.AST) -> Iterator[tuple[int, int, str]]:
        match node:
            case ast.Expr(value=ast.Call(func=ast.Name(id="map"))) if "map" not in self._own:
                yield 2, NAME, "map is called for its effect"
            case ast.Subscript(value=value, ctx=use) if self._list_maker(value):
                if self._list_maker(value) != "range" or not isinstance(use, ast.Load):
                    yield 2, NAME, LISTS
            case ast.Attribute(value=value, attr=name) if name in LIST_METHODS and self._list_maker(value):
                yield 2, NAME, LISTS
            case ast.BinOp(op=ast.Add() | ast.Mult(), left=left, right=right):
                if self._list_maker(left) or self._list_maker(right):
                    yield 2, NAME, LISTS
            case ast.Call(func=function, args=[argument]) if maker := self._list_maker(argument):
                name = name_of(function)
                if name == "shuffle" or (name == "choice" and maker != "range"):
                    yield 2, NAME, LISTS
                if name == "len" and maker in ("map", "filter", "zip"):
                    yield 2, NAME, LISTS
                if name == "list" and isinstance(argument, ast.Call):
                    yield 3, HABIT, "list() is called on what is a list in Python 2"

    def _list_maker(self, node: ast.expr) -> str:
        """Returns the function that returned this value, if it returns a list only in Python 2."""
        match node:
            case ast.Call(func=ast.Name(id="map" | "filter" | "zip" | "range" as name)) if name not in self._own:
                return name
            case ast.Call(func=ast.Attribute(attr="keys" | "values" | "items" as name), args=[]):
                return name
            case ast.Name(id=name) if name not in self._arguments:
                values = self._values.get((self._kinds.scope_of(node), name), [])
                if len(values) == 1 and isinstance(values[0], ast.Call):
                    return self._list_maker(values[0])
        return ""

    def _compared(self, node: ast.AST) -> Iterator[tuple[int, int, str]]:
        match node:
            case ast.Call(func=ast.Name(id="max" | "min"), args=[left, right]):
                yield from self._ordered(left, right)
            case ast.Compare(left=first, ops=ops, comparators=others):
                for left, op, right in zip([first, *others], ops, others, strict=False):
                    if isinstance(op, ast.Is | ast.IsNot) and (is_literal(left) or is_literal(right)):
                        yield 2, HABIT, "`is` compares with a literal"
                    elif isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE):
                        yield from self._ordered(left, right)
                    elif isinstance(op, ast.Eq) and self._list_maker(left) and isinstance(right, ast.List):
                        yield 2, NAME, LISTS

    def _ordered(self, left: ast.expr, right: ast.expr) -> Iterator[tuple[int, int, str]]:
        kinds = self._kinds.kinds_of(left), self._kinds.kinds_of(right)
        one, other = ({"number" if name in NUMBERS else name for name in kind} for kind in kinds)
        if any("none" in kind and ast.dump(part) not in self._tested for kind, part in ((one, left), (other, right))):
            yield 2, HABIT, "a value that can be None is ordered"
        elif (
            one
            and other
            and "any" not in one | other
            and (one.isdisjoint(other) or ("number" in one | other and (one | other) & {"tuple", "list", "function"}))
        ):
            yield 2, HABIT, "values of different types are ordered"


def _bound(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """Yields the names that a source defines."""
    for node in nodes:
        if name := bound_name(node):
            yield name
        match node:
            case ast.ImportFrom(names=aliases) | ast.Import(names=aliases):
                yield from (alias.asname or alias.name for alias in aliases)


def _call(node: ast.Call) -> Iterator[tuple[int, int, str]]:
    name, options = name_of(node.func), {key.arg for key in node.keywords}
    if name == "next" and isinstance(node.func, ast.Attribute) and not node.args:
        yield 2, NAME, "the method next() is gone from Python 3"
    if name == "super" and not node.args:
        yield 3, NAME, "super() takes arguments in Python 2"
    if (name in ("max", "min") and "default" in options) or (name == "open" and "encoding" in options):
        yield 3, NAME, f"{name} has fewer options in Python 2"
    by_two = any(isinstance(part, ast.Lambda) and len(part.args.args) == 2 for part in node.args)
    if name in ("sort", "sorted") and ("cmp" in options or by_two):
        yield 2, NAME, "Python 3 does not sort by a comparison"


def _imported(node: ast.AST) -> Iterator[tuple[int, int, str]]:
    match node:
        case ast.ImportFrom(module="__future__", names=aliases):
            newer = any(alias.name == "annotations" for alias in aliases)
            yield (3, GRAMMAR, "annotations are not in Python 2") if newer else (2, NAME, "this is for Python 2")
        case ast.ImportFrom(module=str(module), names=aliases, level=0):
            yield from _module(module)
            for alias in aliases:
                yield from _member(module, alias.name)
                if module == "functools" and alias.name in ("reduce", "cmp_to_key"):
                    yield 3, HABIT, f"Python 2 needs no {alias.name} from functools"
        case ast.Import(names=aliases):
            for alias in aliases:
                yield from _module(alias.name)


def _member(module: str, name: str) -> Iterator[tuple[int, int, str]]:
    if name in PYTHON_2_MEMBERS.get(module, ()):
        yield 2, NAME, f"{module}.{name} is gone from Python 3"
    if name in PYTHON_3_MEMBERS.get(module, ()):
        yield 3, NAME, f"{module}.{name} is not in Python 2"


def _module(name: str) -> Iterator[tuple[int, int, str]]:
    if name in PYTHON_2_MODULES:
        yield 2, NAME, f"the module {name} is gone from Python 3"
    if name in PYTHON_3_MODULES:
        yield 3, NAME, f"the module {name} is not in Python 2"


def _begins_with_print(node: ast.expr) -> bool:
    """Returns whether an expression begins with print, but is not a call of it: `print`, `print >>f, x`, `print ("%d")
    % x`."""
    whole = node
    while isinstance(node, ast.Tuple | ast.BinOp) and (isinstance(node, ast.BinOp) or node.elts):
        node = node.left if isinstance(node, ast.BinOp) else node.elts[0]
    called = isinstance(node, ast.Call) and name_of(node.func) == "print"
    return (called and node is not whole) or (isinstance(node, ast.Name) and node.id == "print")


def _is_quotient(node: ast.expr) -> bool:
    """Returns whether an expression is a / b without a visible float."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)):
        return False
    floats = (part for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, float))
    return not any(floats) and not any(isinstance(part, ast.Name) and part.id == "float" for part in ast.walk(node))


def _holds_quotient(node: ast.expr) -> bool:
    """Returns whether an expression is a quotient, or a sum, product or remainder of one."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.Mod):
        return _holds_quotient(node.left) or _holds_quotient(node.right)
    return _is_quotient(node)


def _tested(node: ast.AST) -> Iterator[ast.expr]:
    """Yields expressions that are compared with None or tested for truth. Where these are ordered, they are probably
    not None.
    """
    match node:
        case ast.Compare(left=left, comparators=[ast.Constant(value=None)]):
            yield left
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.UnaryOp(op=ast.Not(), operand=test):
            yield test
        case ast.BoolOp(values=values):
            yield from values
