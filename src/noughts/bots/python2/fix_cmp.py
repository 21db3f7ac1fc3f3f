"""Comparison functions: Python 3 has no `cmp`, and sorts by a key.

x.sort(f), x.sort(cmp=f)            x.sort(key=functools.cmp_to_key(f))
sorted(x, f), sorted(x, cmp=f)      sorted(x, key=functools.cmp_to_key(f))
cmp(a, b)                           ((a > b) - (a < b)), where a and b can be written twice
"""

from __future__ import annotations

from typing import Any

from fissix import fixer_base
from fissix.fixer_util import Leaf, Node, String, syms, token, touch_import


class FixCmp(fixer_base.BaseFix):  # type: ignore[misc]
    BM_compatible = False
    order = "post"
    run_order = 4
    PATTERN = """
        power< any+ trailer< '.' method='sort' > trailer< '(' args=any ')' > >
        | power< function='sorted' trailer< '(' args=any ')' > any* >
        | power< compare='cmp' trailer< '(' args=any ')' > any* >
    """

    def transform(self, node: Node, results: dict[str, Any]) -> None:
        args = results["args"]
        if "compare" in results:
            self._compare(node, args)
            return
        positional = 1 if "function" in results else 0
        parts = args.children[::2] if args.type == syms.arglist else [args]
        for at, part in enumerate(parts):
            named = part.type == syms.argument and part.children[0].type == token.NAME and len(part.children) == 3
            if named and part.children[0].value == "cmp":
                self._by_key(node, part, part.children[2])
            elif not named and at == positional and not str(part).strip().startswith(("None", "key=")):
                self._by_key(node, part, part)

    def _by_key(self, node: Node, part: Any, function: Any) -> None:
        key = String(f"key=functools.cmp_to_key({str(function).strip()})", prefix=part.prefix)
        part.replace(key)
        touch_import(None, "functools", node)

    def _compare(self, node: Node, args: Any) -> None:
        parts = args.children[::2] if args.type == syms.arglist else []
        if len(parts) != 2 or any(leaf.value == "(" for part in parts for leaf in part.leaves()):
            self.cannot_convert(node, "cmp is gone: write (a > b) - (a < b)")
            return
        first, second = (str(part).strip() for part in parts)
        node.replace(Leaf(token.NAME, f"(({first} > {second}) - ({first} < {second}))", prefix=node.prefix))
