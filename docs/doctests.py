"""Examples in docstrings, lines after `>>>`, as code of the reference: to Markdown alone they are quotations."""

from __future__ import annotations

import re
from typing import Any

import griffe

FENCE = "```pycon"
_EXAMPLE = re.compile(r"(?:^>>> .*\n?(?:.+\n?)*)+", re.MULTILINE)


class Doctests(griffe.Extension):
    def on_object(self, *, obj: griffe.Object, **_kwargs: Any) -> None:
        if obj.docstring and FENCE not in obj.docstring.value:
            fenced = _EXAMPLE.sub(lambda found: f"{FENCE}\n{found[0].rstrip()}\n```\n", obj.docstring.value)
            obj.docstring.value = fenced

    def on_package(self, *, pkg: griffe.Module, **_kwargs: Any) -> None:
        self.on_object(obj=pkg)  # the package at the top is no object of anything
