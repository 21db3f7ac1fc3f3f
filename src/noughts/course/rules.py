"""Checks the submission rules of the course: one file, one class, nothing outside it, no code of the evaluator.

The checks use an outline of the file, made in the sandbox: see `sandbox.worker.loading.outline`. `NameRule` is the
assignment's rule for the names of files and classes, such as "team{number}.py:Team{number}".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from noughts.bots.gate import Finding, Gate, Outline
from noughts.game import Game
from noughts.printable import one_line
from noughts.sandbox import Fault
from noughts.sandbox.faults import CRASH
from noughts.sandbox.source import BotSource
from noughts.tournaments.settings import Settings
from noughts.tournaments.store import TournamentStore

EVALUATOR_METHODS = {
    "find_valid_move_cells",
    "check_valid_move",
    "find_terminal_state",
    "print_board",
}
"""A second class with two or more of these methods is probably a copy of the evaluator's board."""
EVALUATOR_NAMES = {"Board", "BigBoard", "SmallBoard", "Random_Player", "Manual_Player", "gameplay"}
IDENTITY = "`is` compares identity; for strings and numbers the result depends on the interpreter; use == or !="
Items = Sequence[dict[str, Any]]
"""The statements at the top of a file."""
FIELDS = {"number": "[0-9]+", "name": "[A-Za-z0-9]+"}
"""Allowed placeholders in braces, with their patterns."""


@dataclass(frozen=True)
class NameRule:
    """A rule for names. text: FILE.py or FILE.py:CLASS with {number} or {name} in both. Raises ValueError if it is
    invalid."""

    text: str

    def __post_init__(self) -> None:
        file, _, kind = self.text.partition(":")
        fields = set(re.findall(r"\{(.*?)\}", self.text))
        plain = re.sub(r"\{\w+\}", "x", self.text)
        if not fields <= set(FIELDS) or not re.fullmatch(r"[\w.-]+\.py(:[A-Za-z_]\w*)?", plain):
            raise ValueError(
                f"{one_line(self.text, 80)!r} is not a name rule; write FILE.py or FILE.py:CLASS, with {{number}} or "
                '{name} in both, as in "team{number}.py:Team{number}"'
            )
        if not set(re.findall(r"\{(.*?)\}", kind)) <= set(re.findall(r"\{(.*?)\}", file)):
            raise ValueError(f"{self.text!r}: a placeholder in the class must also be in the file's name")

    def refusal(self, file: str) -> str:
        """Returns why a file may not have this name; '' if it may."""
        return (
            "" if self._match(file) else f"the file is called {one_line(file, 80)}; the assignment requires {self.text}"
        )

    def class_name(self, file: str) -> str | None:
        """Returns the class that a file must have; None if the rule names no class or the file's name does not
        match.
        """
        kind, match = self.text.partition(":")[2], self._match(file)
        return re.sub(r"\{(\w+)\}", lambda field: match[field[1]], kind) if kind and match else None

    def _match(self, file: str) -> re.Match[str] | None:
        parts = re.split(r"\{(\w+)\}", self.text.partition(":")[0])  # every second part is a placeholder
        seen: set[str] = set()
        pattern = ""
        for number, part in enumerate(parts):
            if number % 2 == 0:
                pattern += re.escape(part)
            else:
                pattern += f"(?P={part})" if part in seen else f"(?P<{part}>{FIELDS[part]})"
                seen.add(part)
        return re.fullmatch(pattern, file)


@dataclass(frozen=True)
class CourseRules:
    """The rules in the form that the gate uses. names: rule for files and classes, None for no rule."""

    names: NameRule | None = None
    not_applicable: str = "do not apply: not the course's interface"

    def findings(self, outline: Outline, source: BotSource) -> tuple[list[Finding] | None, list[Finding]]:
        """Returns the breaches (None if no rule applies to this file) and remarks."""
        items, file = _without_prelude(outline["items"], source.text), Path(source.path).name
        found: list[Finding] | None = None
        remarks: list[Finding] = [Finding(IDENTITY, line) for line in outline["identities"]]
        if _is_course_bot(items):
            found = [*_breaches(items, source.wanted), *_signature_breaches(items)]
            remarks += _remarks(items, file, named=self.names is not None)
        if self.names is not None:
            found = [*_name_breaches(items, file, self.names), *(found or [])]
        return found, remarks

    def with_hint(self, fault: Fault, source: BotSource) -> Fault:
        """Returns the fault with a hint if the source may be Python 2, where it would not happen."""
        hint = _hint(source.text, f"{fault.text} {fault.detail}") if fault.kind == CRASH else ""
        return replace(fault, text=f"{fault.text}; {hint}") if hint else fault


@lru_cache
def _hint(source: str, crash: str) -> str:
    """Returns advice on a crash, see `python2_hint`; examines each only once."""
    from noughts.course.conversion import python2_hint  # most servers and tournaments never need Python 2

    return python2_hint(source, crash)


def submission_rules(name_rule: str | None = None) -> CourseRules:
    """Returns the rules with a rule for names, if given. Raises ValueError if that is invalid."""
    return CourseRules(NameRule(name_rule) if name_rule else None)


def gate_of(tournament: TournamentStore, *, unsafe: bool = False) -> Gate:
    """Returns the gate of a tournament, for its game and with its limits."""
    return gate_for(tournament.game, tournament.settings, unsafe=unsafe)


def gate_for(game: Game, settings: Settings, *, unsafe: bool = False) -> Gate:
    """Returns the gate of a tournament with these settings."""
    return settings.gate(game, submission_rules(settings.name_rule), unsafe=unsafe)


def _is_course_bot(items: Items) -> bool:
    """Returns whether the file is for the course's interface, so that its rules apply."""
    classes = [item for item in items if item["kind"] == "class"]
    own = any(item["kind"] == "function" and item["name"] == "choose" for item in items)
    own = own or any("choose" in item["methods"] for item in classes)
    return not own and any("move" in item["methods"] for item in classes)


def _breaches(items: Items, class_name: str | None) -> Iterator[Finding]:
    """Yields the breaches in the file."""
    classes = [item for item in items if item["kind"] == "class"]
    bots = [item for item in classes if "move" in item["methods"]]
    if class_name is not None and class_name not in [item["name"] for item in bots]:
        there = f"; the file has {', '.join(item['name'] for item in bots)}" if bots else ""
        yield Finding(f"there is no class {class_name} with a method {MOVE}{there}")
    for item in items:
        name, line = item["name"], item["line"]
        if item["kind"] == "class" and item not in bots and name in EVALUATOR_NAMES:
            yield Finding(f"class {name} has the name of an evaluator's class; use the board passed to move()", line)
        elif item["kind"] == "class" and item not in bots and _shared(item):
            yield Finding(
                f"class {name} has the methods of the evaluator's board: {_shared(item)}; use that board", line
            )
        elif item["kind"] == "function" and name in EVALUATOR_NAMES | EVALUATOR_METHODS:
            yield Finding(
                f"function {name} has the name of an evaluator's function; use the board passed to move()", line
            )
        elif item["kind"] == "function":
            yield Finding(f"function {name} is outside the class; make it a method", line)
        elif item["kind"] == "statement":
            yield Finding(f"{name} is outside the class", line)
        elif item["kind"] == "more":
            yield Finding(f"from here on, {item['count']} more top-level statements were not checked", line)
    for item in classes:
        if item not in bots and item["name"] not in EVALUATOR_NAMES and not _shared(item):
            yield Finding(f"class {item['name']} is a second class; a file must have one", item["line"])
    for item in bots[1:]:
        yield Finding(f"class {item['name']} is a second bot; a file must have one", item["line"])


MOVE = "move(self, board, old_move, flag)"
ARGUMENTS = {"move": (4, MOVE), "__init__": (1, "__init__(self)")}
"""Number of arguments of the evaluator's calls, self included, and the signature."""


def _signature_breaches(items: Items) -> Iterator[Finding]:
    """Yields breaches of methods that the evaluator cannot call."""
    for item in items:
        methods = item.get("methods", {})
        for name, (count, form) in ARGUMENTS.items():
            if "move" not in methods or name not in methods:
                continue
            line, least, most = methods[name]
            if count < least or (most is not None and count > most):
                yield Finding(f"{name} is called as {form}; this signature does not fit", line)


def _name_breaches(items: Items, file: str, rule: NameRule) -> Iterator[Finding]:
    """Yields breaches of the name rule by the file or its class."""
    if refusal := rule.refusal(file):
        yield Finding(refusal)
    class_name, classes = rule.class_name(file), [item for item in items if item["kind"] == "class"]
    if class_name is not None and class_name not in [item["name"] for item in classes]:
        there = f"; it has {', '.join(item['name'] for item in classes)}" if classes else ""
        text = f"the file is {file}; it must have a class {class_name}{there}"
        yield Finding(text, classes[0]["line"] if classes else None)


def _remarks(items: Items, file: str, *, named: bool = False) -> Iterator[Finding]:
    """Yields remarks that are not breaches. named: whether a rule checks the names."""
    stem = re.sub(r"[\W_]", "", file.removesuffix(".py")).lower()
    for item in items:
        is_bot = item["kind"] == "class" and "move" in item["methods"]
        if is_bot and not named and re.fullmatch(r"team\d+", stem) and item["name"].lower().replace("_", "") != stem:
            text = f"the file is {file} and its class {item['name']}: the course names the class after its team"
            yield Finding(text, item["line"])
        if is_bot and "__init__" not in item["methods"]:
            yield Finding(f"class {item['name']} has no __init__(self), which the course requires", item["line"])
    for item in items:
        if item["kind"] == "class" and "move" in item["methods"] and _shared(item):
            text = f"class {item['name']} has methods that the evaluator's board has too: {_shared(item)}"
            yield Finding(f"{text}; that is fine if you wrote them", item["line"])


def _without_prelude(items: Items, source: str) -> Items:
    """Returns the statements of a bot without those that `noughts convert` added."""
    if "`noughts convert`" not in source:
        return items
    from py2bots import prelude_lines

    lines = prelude_lines(source)
    return [item for item in items if item["line"] not in lines]


def _shared(item: dict[str, Any]) -> str:
    """Returns the names of the evaluator's board methods in a class, if it has two or more; else ''."""
    names = sorted(EVALUATOR_METHODS.intersection(item["methods"]))
    return ", ".join(names) if len(names) >= 2 else ""
