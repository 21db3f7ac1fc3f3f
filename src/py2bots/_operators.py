"""Converts operators whose meaning changed: /, the order of values of different types, and `is` beside a literal."""

from __future__ import annotations

import ast
from collections.abc import Callable

from py2bots._edits import Span
from py2bots._kinds import FLOAT, NUMBERS, TEXT, WHOLE
from py2bots._program import Program

ORDER: dict[type, tuple[str, str]] = {
    ast.Lt: ("<", "py2_lt"),
    ast.Gt: (">", "py2_gt"),
    ast.LtE: ("<=", "py2_le"),
    ast.GtE: (">=", "py2_ge"),
}
OTHERS: dict[type, str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}
_EQUAL: dict[type, type] = {ast.Is: ast.Eq, ast.IsNot: ast.NotEq}
ATOMS = (ast.Name, ast.Constant, ast.Attribute, ast.Subscript, ast.Call, ast.Tuple, ast.List, ast.Dict)

ORDERED = "functions py2_... compare values of all types here, as Python 2 did"
IDENTICAL = "`is` with a string or a number became == or !=, since its result depends on the interpreter"


class Operators:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._edits = program.edits
        self._kinds = program.kinds
        self._true_division = any(
            isinstance(node, ast.ImportFrom)
            and node.module == "__future__"
            and any(alias.name == "division" for alias in node.names)
            for node in program.nodes
        )

    def visit(self, node: ast.AST) -> None:
        match node:
            case ast.Compare():
                self._compare(node)
            case ast.BinOp(op=ast.Div()) if not self._true_division:
                self._divide(node)
            case ast.AugAssign(op=ast.Div()) if not self._true_division:
                self._divide_in_place(node)

    # Division

    def _divide(self, node: ast.BinOp) -> None:
        left, right = self._kinds.kinds_of(node.left), self._kinds.kinds_of(node.right)
        if FLOAT in (left, right):
            return
        place = self._between("/", node.left, node.right)
        if (left <= WHOLE and right <= WHOLE) or self._is_whole_place(node):
            self._edits.replace(place, "//", node)
            return
        self._call(node, place, self._program.need("py2_div"))

    def _divide_in_place(self, node: ast.AugAssign) -> None:
        left, right = self._kinds.kinds_of(node.target), self._kinds.kinds_of(node.value)
        if FLOAT in (left, right):
            return
        place = self._between("/=", node.target, node.value)
        if left <= WHOLE and right <= WHOLE:
            self._edits.replace(place, "//=", node)
        elif not is_plain(node.target):
            self._program.note(node, "write //= if these are integers")
        else:
            helper, target = self._program.need("py2_idiv"), self._edits.span(node.target)
            self._edits.replace(place, lambda: f"= {helper}({self._edits.text_of(target)},", node)
            self._edits.wrap(node, "")

    def _is_whole_place(self, node: ast.expr) -> bool:
        """Returns whether a place accepts only integers: an index of a list, a bound of a range."""
        inner: ast.AST = node
        for outer in self._program.above(node):
            match outer:
                case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult() | ast.Mod() | ast.FloorDiv()) | ast.Slice():
                    inner = outer
                case ast.Subscript(value=value, slice=index):
                    return index is inner and "dict" not in self._kinds.kinds_of(value)
                case ast.Call(func=function):
                    return self._program.resolve(function) in (("builtins", "range"), ("builtins", "xrange"))
                case _:
                    return False
        return False

    # Comparisons

    def _compare(self, node: ast.Compare) -> None:
        operands = [node.left, *node.comparators]
        changes = [self._change(*pair) for pair in zip(operands, node.ops, operands[1:], strict=False)]
        if not any(changes):
            return
        if any(change in ("==", "!=", "py2_is", "not py2_is") for change in changes):
            self._program.note(node, IDENTICAL)
        if any(change.startswith("py2_") and change != "py2_is" for change in changes):
            self._program.note(node, ORDERED)
        if len(changes) > 1:
            self._chain(node, operands, changes)
            return
        [change] = changes
        place = self._operator(node.ops[0], node.left, node.comparators[0])
        if change in ("==", "!="):
            self._edits.replace(place, change, node)
        else:
            negated, helper = change.startswith("not "), change.removeprefix("not ")
            if negated:
                self._edits.wrap(node, "(not ")
            self._call(node, place, self._program.need(helper))

    def _change(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> str:
        """Returns the change of one comparison: another operator, a function, or nothing."""
        if type(op) in ORDER:
            return "" if self._kinds.are_ordered(left, right) else ORDER[type(op)][1]
        if not isinstance(op, ast.Is | ast.IsNot):
            return ""
        literal, other = (right, left) if is_literal(right) else (left, right)
        if not is_literal(literal):
            # Certainly strings: in Python 2, equal short strings were one object.
            return OTHERS[_EQUAL[type(op)]] if TEXT in (self._kinds.kinds_of(left), self._kinds.kinds_of(right)) else ""
        if self._kinds.kinds_of(literal) <= NUMBERS:
            # 1 == True and 1 == 1.0, but they are different objects.
            same = not self._kinds.kinds_of(other) & ((NUMBERS | {"any"}) - self._kinds.kinds_of(literal))
            if not same:
                return "py2_is" if isinstance(op, ast.Is) else "not py2_is"
        return OTHERS[_EQUAL[type(op)]]

    def _chain(self, node: ast.Compare, operands: list[ast.expr], changes: list[str]) -> None:
        """Converts a < b < c: each comparison separately, joined by `and`; b is evaluated once, or can be repeated."""
        if not all(map(is_plain, operands[1:-1])):
            if len(operands) > 3:
                self._program.note(node, "this chain of comparisons is unchanged: check the types of its values")
                return
            first, second, third = map(self._text, operands)
            texts = [lambda: "py2_a", lambda: "py2_b", third]
            self._edits.rewrite(
                node, lambda: f"(lambda py2_a, py2_b: {self._joined(node, texts, changes)})({first()}, {second()})"
            )
        else:
            self._edits.rewrite(node, lambda: f"({self._joined(node, list(map(self._text, operands)), changes)})")
        self._program.needed.update(change.removeprefix("not ") for change in changes if "py2_" in change)

    def _joined(self, node: ast.Compare, texts: list[Callable[[], str]], changes: list[str]) -> str:
        parts = []
        for op, change, left, right in zip(node.ops, changes, texts, texts[1:], strict=False):
            if "py2_" in change:
                parts.append(f"{change}({left()}, {right()})")
            else:
                sign = change or (ORDER[type(op)][0] if type(op) in ORDER else OTHERS[type(op)])
                parts.append(f"{left()} {sign} {right()}")
        return " and ".join(parts)

    def _text(self, node: ast.expr) -> Callable[[], str]:
        """Returns a function that gives the text of an operand once all edits are known."""
        span = self._edits.span(node)
        plain = isinstance(node, ATOMS)
        return lambda: self._edits.text_of(span) if plain else f"({self._edits.text_of(span)})"

    def _operator(self, op: ast.cmpop, left: ast.expr, right: ast.expr) -> Span:
        if isinstance(op, ast.IsNot):
            start, end = self._between("is", left, right)
            return start, self._edits.find("not", end, self._edits.span(right)[0])[1]
        return self._between(ORDER[type(op)][0] if type(op) in ORDER else OTHERS[type(op)], left, right)

    def _between(self, sign: str, left: ast.expr, right: ast.expr) -> Span:
        return self._edits.find(sign, self._edits.span(left)[1], self._edits.span(right)[0])

    def _call(self, node: ast.expr, place: Span, helper: str) -> None:
        """Turns `a op b` into a call: helper(a, b)."""
        start = place[0]
        while self._edits.original((start - 1, start)) in (" ", "\t"):
            start -= 1
        self._edits.wrap(node, f"{helper}(")
        spaced = self._edits.original((place[1], place[1] + 1)).isspace()
        self._edits.replace((start, place[1]), "," if spaced else ", ", node)


def is_literal(node: ast.expr) -> bool:
    """Returns whether an expression is a string, a number, or a tuple of these."""
    match node:
        case ast.Constant(value=value):
            return isinstance(value, str | int | float) and not isinstance(value, bool)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value)):
            return isinstance(value, int | float)
        case ast.Tuple(elts=elements):
            return all(map(is_literal, elements))
    return False


def is_plain(node: ast.expr) -> bool:
    """Returns whether an expression can be repeated: names, attributes, numbers, items by plain indices."""
    match node:
        case ast.Name() | ast.Constant():
            return True
        case ast.Attribute(value=value):
            return is_plain(value)
        case ast.Subscript(value=value, slice=index):
            return is_plain(value) and is_plain(index)
        case ast.BinOp(left=left, right=right):
            return is_plain(left) and is_plain(right)
        case ast.UnaryOp(operand=operand):
            return is_plain(operand)
        case ast.Tuple(elts=elements):
            return all(map(is_plain, elements))
        case ast.Call(func=ast.Name(id="len" | "abs" | "int" | "ord"), args=[argument], keywords=[]):
            return is_plain(argument)
    return False
