"""The submission rules of the course: one file, one class, nothing outside it, none of the evaluator's code.

They are checked on an outline of the file, made in the sandbox: see `sandbox.worker.loading.outline`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from noughts.course.naming import NameRule
from noughts.course.python2 import prelude_lines
from noughts.course.reading import parameters

EVALUATOR_METHODS = {
    "find_valid_move_cells",
    "check_valid_move",
    "find_terminal_state",
    "print_board",
}
"""Two or more of these in a class besides the bot's, and it looks like a copy of the board that the bot is given."""
EVALUATOR_NAMES = {"Board", "BigBoard", "SmallBoard", "Random_Player", "Manual_Player", "gameplay"}

Outline = Sequence[dict[str, Any]]


def is_course_bot(outline: Outline) -> bool:
    """Whether the file is for the course's interface, so that its rules apply."""
    classes = [item for item in outline if item["kind"] == "class"]
    own = any(item["kind"] == "function" and item["name"] == "choose" for item in outline)
    own = own or any("choose" in item["methods"] for item in classes)
    return not own and any("move" in item["methods"] for item in classes)


def breaches(outline: Outline, wanted: str | None) -> Iterator[tuple[int | None, str]]:
    """(line, what is wrong) for each breach."""
    classes = [item for item in outline if item["kind"] == "class"]
    bots = [item for item in classes if "move" in item["methods"]]
    if wanted is not None and wanted not in [item["name"] for item in bots]:
        there = f"; there is {', '.join(item['name'] for item in bots)}" if bots else ""
        yield None, f"there is no class {wanted} with a method {MOVE}{there}"
    for item in outline:
        name, line = item["name"], item["line"]
        if item["kind"] == "class" and item not in bots and name in EVALUATOR_NAMES:
            yield line, f"class {name} has the name of a class of the evaluator; use the board that move() is given"
        elif item["kind"] == "class" and item not in bots and _shared(item):
            yield line, f"class {name} has the methods of the evaluator's board: {_shared(item)}; use that board"
        elif item["kind"] == "function" and name in EVALUATOR_NAMES | EVALUATOR_METHODS:
            yield line, f"function {name} has the name of one of the evaluator's; use the board that move() is given"
        elif item["kind"] == "function":
            yield line, f"function {name} is outside the class; make it a method"
        elif item["kind"] == "statement":
            yield line, f"this is outside the class: {name}"
        elif item["kind"] == "more":
            yield line, f"from here on, {item['count']} more statements at the top of the file were not looked at"
    for item in classes:
        if item not in bots and item["name"] not in EVALUATOR_NAMES and not _shared(item):
            yield item["line"], f"class {item['name']} is a second class; a file has one"
    for item in bots[1:]:
        yield item["line"], f"class {item['name']} is a second bot; a file has one"


MOVE = "move(self, board, old_move, flag)"
ARGUMENTS = {"move": (4, MOVE), "__init__": (1, "__init__(self)")}
"""How many arguments the evaluator calls a method with, itself included, and how it is written."""


def signature_breaches(outline: Outline, source: str) -> Iterator[tuple[int | None, str]]:
    """(line, what is wrong) where a bot's methods cannot be called as the evaluator calls them."""
    methods = {name for item in outline if "move" in item.get("methods", ()) for name in item["methods"]}
    for name, (count, form) in ARGUMENTS.items():
        found = parameters(source, name)
        fits = [each.least <= count and (each.most is None or count <= each.most) for each in found]
        if name in methods and found and not any(fits):  # one of several may be of a class inside the bot's
            yield found[0].line, f"{name} is called as {form}, and this one cannot be"


def name_breaches(outline: Outline, file: str, rule: NameRule) -> Iterator[tuple[int | None, str]]:
    """(line, what is wrong) where the file or its class is not called as the task wants."""
    if trouble := rule.trouble(file):
        yield None, trouble
    wanted, classes = rule.wanted(file), [item for item in outline if item["kind"] == "class"]
    if wanted is not None and wanted not in [item["name"] for item in classes]:
        there = f"; there is {', '.join(item['name'] for item in classes)}" if classes else ""
        yield classes[0]["line"] if classes else None, f"the file is {file}, and has to have a class {wanted}{there}"


def remarks(outline: Outline, file: str, *, named: bool = False) -> Iterator[tuple[int | None, str]]:
    """(line, what somebody may ask about) for what is no breach. named: names are checked by a rule."""
    stem = re.sub(r"[\W_]", "", file.removesuffix(".py")).lower()
    for item in outline:
        is_bot = item["kind"] == "class" and "move" in item["methods"]
        if is_bot and not named and re.fullmatch(r"team\d+", stem) and item["name"].lower().replace("_", "") != stem:
            said = f"the file is {file} and its class {item['name']}: a class has the given name of its team"
            yield item["line"], said
        if is_bot and "__init__" not in item["methods"]:
            yield item["line"], f"class {item['name']} has no __init__(self), which the course asks for"
    for item in outline:
        if item["kind"] == "class" and "move" in item["methods"] and _shared(item):
            yield (
                item["line"],
                f"class {item['name']} has methods that the evaluator's board has too: {_shared(item)}; "
                "that is fine if you wrote them",
            )


def without_prelude(outline: Outline, source: str) -> Outline:
    """The statements of a bot without those that `noughts convert` put before it."""
    lines = prelude_lines(source)
    return [item for item in outline if item["line"] not in lines]


def _shared(item: dict[str, Any]) -> str:
    """The names of methods of the evaluator's board in a class, if it has two or more."""
    names = sorted(EVALUATOR_METHODS.intersection(item["methods"]))
    return ", ".join(names) if len(names) >= 2 else ""
