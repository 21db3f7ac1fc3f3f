"""What the site does to the files: links that lead out of docs/ (to examples, tests, sources) become names of files."""

from __future__ import annotations

import re
from typing import Any

_OUTSIDE = re.compile(r"\[`?([^\]`]+)`?\]\((?:\.\./)+(?!games/|guides/|pictures/|reference/|[a-z-]+\.md)([^)]+)\)")


def on_page_markdown(markdown: str, **_kwargs: Any) -> str:
    return _OUTSIDE.sub(lambda link: f"`{link[2]}`", markdown)
