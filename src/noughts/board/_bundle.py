"""Serves the board's files one by one or joined: a page from a server loads modules, a page in one file cannot.

The modules keep to simple forms: an import is ``import { a, b } from "./x.js";``, an export precedes a function or a
constant, and there is no default export. A constant may be awaited.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from noughts.document import static

MODULES: Final = ("shapes.js", "painting.js", "picker.js", "board.js", "parts.js", "frames.js", "review.js")
"""In dependency order."""
STYLES: Final = ("board.css", "parts.css")

_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([a-z_]+\.js)";\n', re.M)
_AWAIT = re.compile(r"^const \w+ = await ", re.M)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class)\s+(\w+))", re.M)


def source(name: str) -> str:
    """Returns one of the files by its name. Raises KeyError if the board has none of that name."""
    if name not in (*MODULES, *STYLES):
        raise KeyError(name)
    return static("noughts.board", name)


def style() -> str:
    """Returns tokens, board and parts in one style sheet."""
    return "".join(source(name) for name in STYLES)


def script(main: str, modules: Sequence[tuple[str, str]] = ()) -> str:
    """Returns the board's modules and then `main` as one script without imports, each module in its own scope.

    main: the text of a module that imports from them. modules: other modules it needs, (name, text), in dependency
    order. Raises ValueError if an import is not of an earlier module. Give it to a page as ``<script type="module">``;
    a CSP can name it by its hash.
    """
    parts: list[str] = []
    known: set[str] = set()
    for name, text in [*((name, source(name)) for name in MODULES), *modules]:
        body, exported = _without_modules(name, text, known)
        known.add(name)
        function = "await (async () =>" if _AWAIT.search(body) else "(() =>"
        parts.append(f"const {_variable(name)} = {function} {{\n{body}\nreturn {{ {', '.join(exported)} }};\n}})();\n")
    parts.append(_without_modules("main", main, known)[0])
    return "".join(parts)


def _without_modules(name: str, text: str, known: set[str]) -> tuple[str, list[str]]:
    """Returns a module's text with imports as constants and exports as plain declarations, and the names it exports."""

    def constant(found: re.Match[str]) -> str:
        if found[2] not in known:
            raise ValueError(f"{name} imports {found[2]}, which does not come earlier in the bundle")
        return f"const {{{found[1].replace(' as ', ': ')}}} = {_variable(found[2])};\n"

    body = _EXPORT.sub("", _IMPORT.sub(constant, text))
    if re.search(r"^(?:import|export)\b", body, re.M):
        raise ValueError(f"{name} has an import or export of an unsupported form")
    return body, _EXPORT.findall(text)


def _variable(name: str) -> str:
    return f"module_{name.removesuffix('.js')}"
