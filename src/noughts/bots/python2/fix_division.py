"""Division: in Python 2, `/` between integers rounds down; in Python 3 it never does.

What is certainly an integer division becomes `//`, what certainly has a float stays. Between, where both
operands are names or the like, the choice is made when the bot runs, as Python 2 made it. What is left is reported.
"""

from __future__ import annotations

from typing import Any

from fissix import fixer_base
from fissix.fixer_util import Leaf, Node, syms, token

INT, FLOAT, UNKNOWN = "int", "float", "unknown"

INT_CALLS = {"int", "len", "ord", "long", "id", "hash", "randint", "randrange", "index", "count"}
FLOAT_CALLS = {"float", "sqrt", "log", "exp", "time", "random", "uniform", "pow", "clock"}
PURE_CALLS = {"abs", "int", "len", "max", "min", "ord", "sum"}
"""Calls that can be made twice."""
INT_PLACES = {"range", "xrange", "int", "randint", "randrange"}
"""Calls whose arguments are integers."""


class FixDivision(fixer_base.BaseFix):  # type: ignore[misc]
    BM_compatible = False
    PATTERN = "term< any+ > | expr_stmt< any '/=' any >"
    order = "post"
    run_order = 8  # after the fixers that rename calls

    skip = False

    def start_tree(self, tree: Node, filename: str) -> None:
        super().start_tree(tree, filename)
        self.skip = "division" in getattr(tree, "future_features", ())
        self.kinds = _names(tree)

    def transform(self, node: Node, results: dict[str, Any]) -> None:
        if self.skip:
            return
        if node.type == syms.expr_stmt:
            self._in_place(node)
            return
        for at, operator in enumerate(node.children):
            if operator.type == token.SLASH:
                self._operator(node, at, operator)

    def _in_place(self, node: Node) -> None:
        target, operator, value = node.children
        kinds = {self._kind(target), self._kind(value)}
        if kinds == {INT}:
            operator.value = "//="
            operator.changed()
        elif FLOAT not in kinds:
            if not _is_plain(target) or not _is_plain(value):
                self.warning(node, f"'{str(node).strip()}': write //= if these are integers")
                return
            name = str(target).strip()
            choice = self._choice([target], value)
            node.replace(Leaf(token.NAME, f"{name} = {choice}", prefix=node.prefix))

    def _operator(self, node: Node, at: int, operator: Leaf) -> None:
        before, after = node.children[:at], node.children[at + 1]
        left, right = self._product(before), self._kind(after)
        if FLOAT in (left, right):
            return
        is_last = at == len(node.children) - 2 and all(part.type != token.SLASH for part in before)
        if left == right == INT or _is_integer_place(node):
            operator.value = "//"
            operator.changed()
        elif is_last and all(map(_is_plain, [*before, after])):
            node.replace(Leaf(token.NAME, f"({self._choice(before, after)})", prefix=node.prefix))
        else:
            self.warning(node, f"'{str(node).strip()}': write // if these are integers")

    def _choice(self, before: list[Any], after: Any) -> str:
        """a // b if isinstance(a, int) and isinstance(b, int) else a / b"""
        left, right = "".join(map(str, before)).strip(), str(after).strip()
        kinds = {left: self._product(before), right: self._kind(after)}
        whole = " and ".join(f"isinstance({text}, int)" for text, kind in kinds.items() if kind != INT)
        return f"{left} // {right} if {whole} else {left} / {right}"

    def _product(self, parts: list[Any]) -> str:
        """The kind of a product from its factors and operators."""
        kinds = {self._kind(part) for part in parts[::2]}
        if FLOAT in kinds:
            return FLOAT
        return INT if kinds == {INT} else UNKNOWN

    def _kind(self, node: Any) -> str:
        """Whether an expression is an integer, as far as one can see."""
        if node.type == token.NUMBER:
            return FLOAT if any(c in node.value.lower() for c in ".ej") and "x" not in node.value.lower() else INT
        if node.type == token.NAME:
            return self.kinds.get(node.value, UNKNOWN)
        if node.type in (syms.term, syms.arith_expr):
            return self._product(node.children)
        if node.type == syms.factor:
            return self._kind(node.children[1])
        if node.type == syms.atom and len(node.children) == 3 and node.children[0].value == "(":
            return self._kind(node.children[1])
        if node.type == syms.power:
            name = _called(node)
            if name in FLOAT_CALLS:
                return FLOAT
            if name in INT_CALLS:
                return INT
        return UNKNOWN


def _called(node: Node) -> str | None:
    """The name of the function that an expression calls last: `len` of len(x), `sqrt` of math.sqrt(x)."""
    last = node.children[-1]
    if last.type != syms.trailer or last.children[0].value != "(":
        return None
    before = node.children[-2]
    name = before if before.type == token.NAME else before.children[-1] if before.type == syms.trailer else None
    return name.value if name is not None and name.type == token.NAME else None


def _names(tree: Node) -> dict[str, str]:
    """Names that are only ever loop variables over ranges: those are integers."""
    found: dict[str, str] = {}
    for node in tree.pre_order():
        if node.type in (syms.for_stmt, syms.comp_for) and len(node.children) >= 4:
            names = [n for n in node.children if n.type == token.NAME and n.value not in ("for", "in", "async")]
            over = node.children[3] if node.children[0].type == token.NAME else node.children[4]
            is_range = over.type == syms.power and _called(over) in ("range", "xrange")
            for name in names[:1]:
                if name is node.children[1]:
                    found[name.value] = INT if is_range and found.get(name.value, INT) == INT else UNKNOWN
        elif node.type == syms.expr_stmt and node.children[0].type == token.NAME:
            found[node.children[0].value] = UNKNOWN
        elif node.type == syms.parameters:
            for leaf in node.leaves():
                if leaf.type == token.NAME:
                    found[leaf.value] = UNKNOWN
    return found


def _is_integer_place(node: Node) -> bool:
    """Whether the value is an index, or the argument of a call that takes integers."""
    inner, outer = node, node.parent
    while outer is not None:
        if outer.type == syms.trailer:
            if outer.children[0].value == "[":
                return True
            before = outer.prev_sibling
            return before is not None and before.type == token.NAME and before.value in INT_PLACES
        if outer.type not in (syms.arith_expr, syms.term, syms.arglist, syms.subscript, syms.atom, syms.factor):
            return False
        inner, outer = outer, outer.parent
    return inner is None


def _is_plain(node: Any) -> bool:
    """Whether an operand can be written twice: names, attributes, numbers, items of lists, calls without effect."""
    for part in node.pre_order():
        if part.type == token.NAME and part.value in ("lambda", "yield"):
            return False
        if part.type == syms.trailer and part.children[0].value == "(":
            before = part.prev_sibling
            if before is None or before.type != token.NAME or before.value not in PURE_CALLS:
                return False
    return True
