"""How the task wants files and classes to be called, such as "team{number}.py:Team{number}"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from noughts.printable import one_line

FIELDS = {"number": "[0-9]+", "name": "[A-Za-z0-9]+"}
"""What may stand in braces, and what it stands for."""


@dataclass(frozen=True)
class NameRule:
    """text: the rule, FILE.py or FILE.py:CLASS with {number} or {name} in both. ValueError if it is none."""

    text: str

    def __post_init__(self) -> None:
        file, _, kind = self.text.partition(":")
        fields = set(re.findall(r"\{(.*?)\}", self.text))
        plain = re.sub(r"\{\w+\}", "x", self.text)
        if not fields <= set(FIELDS) or not re.fullmatch(r"[\w.-]+\.py(:[A-Za-z_]\w*)?", plain):
            raise ValueError(
                f"{one_line(self.text, 80)!r} is no name rule; write FILE.py or FILE.py:CLASS, with {{number}} or "
                '{name} in both, as in "team{number}.py:Team{number}"'
            )
        if not set(re.findall(r"\{(.*?)\}", kind)) <= set(re.findall(r"\{(.*?)\}", file)):
            raise ValueError(f"{self.text!r}: what stands in braces in the class has to stand in the file's name, too")

    def trouble(self, file: str) -> str:
        """Returns why a file may not be called so; '' if it may."""
        return "" if self._match(file) else f"the file is called {one_line(file, 80)}, and the task wants {self.text}"

    def wanted(self, file: str) -> str | None:
        """Returns the class that a file has to have; None if the rule names none, or the file is called otherwise."""
        kind, match = self.text.partition(":")[2], self._match(file)
        return re.sub(r"\{(\w+)\}", lambda field: match[field[1]], kind) if kind and match else None

    def _match(self, file: str) -> re.Match[str] | None:
        parts = re.split(r"\{(\w+)\}", self.text.partition(":")[0])  # every second one is a field
        seen: set[str] = set()
        pattern = ""
        for number, part in enumerate(parts):
            if number % 2 == 0:
                pattern += re.escape(part)
            else:
                pattern += f"(?P={part})" if part in seen else f"(?P<{part}>{FIELDS[part]})"
                seen.add(part)
        return re.fullmatch(pattern, file)
