"""Builds the functions with Python 2's behaviour that `convert` puts before a bot."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

BEGIN = "# What Python 2 did, put here by `noughts convert`; the bot comes after it."
END = "# Here the bot begins."
FILES = ("order.py", "values.py", "randomness.py")


def prelude(needed: set[str]) -> str:
    """Returns the text of these functions and all that they call; empty if none are needed."""
    parts = _parts()
    wanted, waiting = set[str](), sorted(needed)
    while waiting:
        name = waiting.pop()
        if name not in wanted:
            wanted.add(name)
            waiting += sorted(_names(parts[name]) & parts.keys())
    if not wanted:
        return ""
    chosen = [ast.unparse(node) for name, node in parts.items() if name in wanted]
    return "\n".join([BEGIN, *chosen, END]) + "\n"


def prelude_lines(text: str) -> range:
    """Returns the lines (from 1) of a prelude as `prelude` writes it; empty if there is no prelude, or if it was
    changed.
    """
    if BEGIN not in text or END not in text:
        return range(0)
    first = text.index(BEGIN)
    last = text.index(END, first) + len(END)
    block = text[first:last] + "\n"
    defined = {name for name in _parts() if f"\ndef {name}(" in block or f"\nclass {name}" in block}
    if "\npy2_random = " in block:
        defined.add("py2_random")
    if block != prelude(defined):
        return range(0)
    start = text[:first].count("\n") + 1
    return range(start, start + block.count("\n"))


@cache
def _parts() -> dict[str, ast.stmt]:
    """Returns the statements of `runtime` by the name that each defines, without annotations."""
    parts: dict[str, ast.stmt] = {}
    texts = [Path(__file__).parent.joinpath("runtime", file).read_text(encoding="utf-8") for file in FILES]
    for node in [node for text in texts for node in ast.parse(text).body]:
        match node:
            case ast.Import(names=[ast.alias(asname=str(name))]):
                parts[name] = node
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                parts[name] = _bare(node)
            case ast.Assign(targets=[ast.Name(id=name)]):
                parts[name] = node
    return parts


def _bare(node: ast.stmt) -> ast.stmt:
    for part in ast.walk(node):
        if isinstance(part, ast.FunctionDef):
            part.returns = None
            for arg in [*part.args.args, part.args.vararg, part.args.kwarg]:
                if arg is not None:
                    arg.annotation = None
            part.body = [_unannotated(statement) for statement in part.body]
    return node


def _unannotated(statement: ast.stmt) -> ast.stmt:
    if isinstance(statement, ast.AnnAssign) and statement.value is not None:
        return ast.copy_location(ast.Assign([statement.target], statement.value, lineno=statement.lineno), statement)
    return statement


def _names(node: ast.stmt) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
