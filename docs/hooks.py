"""What the site does to the files, so that it needs nothing from elsewhere.

Links that lead out of docs/ (to examples, tests, sources) become names of files. A Mermaid diagram, which GitHub draws
by a script of its own, becomes a table of what stands on what.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import pairwise
from typing import Any

_OUTSIDE = re.compile(r"\[`?([^\]`]+)`?\]\((?:\.\./)+(?!games/|guides/|pictures/|reference/|[a-z-]+\.md)([^)]+)\)")
_DIAGRAM = re.compile(r"^```mermaid\n(.*?)^```", re.MULTILINE | re.DOTALL)
_BOX = re.compile(r'(\w+)\["([^<"]+)(?:<br>([^"]+))?"\]')


def on_page_markdown(markdown: str, **_kwargs: Any) -> str:
    return _DIAGRAM.sub(_table, _OUTSIDE.sub(lambda link: f"`{link[2]}`", markdown))


def _table(diagram: re.Match[str]) -> str:
    """The boxes of a diagram in their order, and those that each one's arrows lead to: `a --> b & c --> d`."""
    boxes = {box[1]: (box[2], box[3] or "") for box in _BOX.finditer(diagram[1])}
    below: defaultdict[str, list[str]] = defaultdict(list)
    for line in diagram[1].splitlines():
        groups = [re.findall(r"\w+", group) for group in line.split("-->")]
        for above, under in pairwise(groups):
            for box in above:
                below[box] += under
    rows = [
        f"| `{name}` | {purpose} | {', '.join(f'`{boxes[under][0]}`' for under in below[box])} |"
        for box, (name, purpose) in boxes.items()
    ]
    return "\n".join(["| room | what | stands on |", "|---|---|---|", *rows])
