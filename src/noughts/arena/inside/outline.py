"""What a bot file defines, read without running it: for the submission rules."""

from __future__ import annotations

import ast
from typing import Any

Item = dict[str, Any]


def outline(source: str, file: str) -> list[Item]:
    """The statements at the top of the file: kind, name, line, and for classes the names of their methods.

    kind is "class", "function", "import", "text" (a docstring) or "statement".
    """
    return [_item(node) for node in ast.parse(source, file).body]


def _item(node: ast.stmt) -> Item:
    match node:
        case ast.ClassDef(name=name, body=body):
            methods = [part.name for part in body if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)]
            return {"kind": "class", "name": name, "line": node.lineno, "methods": methods[:200]}
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return {"kind": "function", "name": name, "line": node.lineno}
        case ast.Import() | ast.ImportFrom():
            return {"kind": "import", "name": "", "line": node.lineno}
        case ast.Expr(value=ast.Constant(value=str())):
            return {"kind": "text", "name": "", "line": node.lineno}
    return {"kind": "statement", "name": ast.unparse(node)[:60], "line": node.lineno}
