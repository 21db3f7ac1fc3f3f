"""Builds a web page in one file: style, script and data are inside it, and it loads nothing else.

Untrusted text cannot become markup: `escape` escapes it in the body, and the data contains no `<`. If some did, the
content security policy would keep it from running or sending anything: it allows only scripts and styles with listed
hashes, and no addresses.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

Json = dict[str, Any]
"""A JSON object, for the scripts of a page."""
PACKED = 6
"""Compression level of data: a higher one takes longer and saves next to nothing."""


def escape(value: object) -> str:
    """Escapes any text for a page or an attribute; bidirectional controls do not affect the text around it.

    Characters that cannot be shown, such as half a surrogate pair, are replaced.
    """
    text = str(value).encode(errors="replace").decode()
    return html.escape(
        "".join(char if char.isprintable() or char in "\n\t" else "\N{REPLACEMENT CHARACTER}" for char in text)
    )


@cache
def static(package: str, name: str) -> str:
    """Returns a file of a package's pages: a script or a style."""
    return (files(package) / "static" / name).read_text(encoding="utf-8")


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


def document(
    title: str,
    body: str,
    *,
    style: str = "",
    scripts: Sequence[str] = (),
    data: Mapping[str, object] | None = None,
    packed: Mapping[str, object] | None = None,
) -> str:
    """Returns a whole page. body: markup, with untrusted text escaped. scripts: modules, in order.

    data: JSON that scripts read from the elements `data-NAME`. packed: the same, gzipped and in base64.
    """
    hashes = " ".join(map(_hash, scripts)) or "'none'"
    policy = (
        f"default-src 'none'; script-src {hashes}; style-src {_hash(style)}; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )
    inside = [
        f'<script type="application/json" id="data-{name}">{_json(value)}</script>'
        for name, value in (data or {}).items()
    ]
    inside += [
        f'<script type="text/plain" id="packed-{name}">{_packed(value)}</script>'
        for name, value in (packed or {}).items()
    ]
    inside += [f'<script type="module">{script}</script>' for script in scripts]
    head = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n"
    )
    return f"{head}<body>\n{body}\n" + "\n".join(inside) + "\n</body>\n</html>\n"


def html_table(heads: Sequence[str], rows: Iterable[Sequence[object]], classes: Mapping[int, str] | None = None) -> str:
    """Returns a table. Cells are escaped unless they are `Markup`. classes: of columns, by their number."""
    of = {number: f' class="{each}"' for number, each in (classes or {}).items()}

    def line(cells: Sequence[object], start: str) -> str:
        parts = (cell if isinstance(cell, Markup) else escape(cell) for cell in cells)
        return (
            "<tr>" + "".join(f"<{start}{of.get(i, '')}>{part}</{start[:2]}>" for i, part in enumerate(parts)) + "</tr>"
        )

    head = "<thead>" + line(heads, 'th scope="col"') + "</thead>" if heads else ""
    return f"<table>{head}<tbody>{''.join(line(row, 'td') for row in rows)}</tbody></table>"


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _json(value: object) -> str:
    """Returns JSON that can neither end its element nor begin a comment."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True).replace("<", "\\u003c")


def _packed(value: object) -> str:
    data = json.dumps(value, separators=(",", ":"), ensure_ascii=True).encode()
    return base64.b64encode(gzip.compress(data, PACKED, mtime=0)).decode()
