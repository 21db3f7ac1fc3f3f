"""The submission rules of the course: one file, one class, nothing outside it, none of the evaluator's code.

They are checked on an outline of the file, made in the sandbox: see `sandbox.worker.loading.outline`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

EVALUATOR_METHODS = {
    "find_valid_move_cells",
    "check_valid_move",
    "find_terminal_state",
    "print_board",
}
"""Two or more of these in one class, and the class is a copy of the board that the bot is given anyway."""
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
        yield None, f"there is no class {wanted} with a method move(self, board, old_move, flag)"
    for item in outline:
        name, line = item["name"], item["line"]
        if item["kind"] == "class" and (name in EVALUATOR_NAMES or _copied(item)):
            yield line, f"class {name} is code of the evaluator; use the board that move() is given"
        elif item["kind"] == "function" and name in EVALUATOR_NAMES | EVALUATOR_METHODS:
            yield line, f"function {name} is code of the evaluator; use the board that move() is given"
        elif item["kind"] == "function":
            yield line, f"function {name} is outside the class; make it a method"
        elif item["kind"] == "statement":
            yield line, f"this is outside the class: {name}"
        elif item["kind"] == "more":
            yield line, f"from here on, {item['count']} more statements at the top of the file were not looked at"
    for item in classes:
        if item not in bots and item["name"] not in EVALUATOR_NAMES and not _copied(item):
            yield item["line"], f"class {item['name']} is a second class; a file has one"
    for item in bots[1:]:
        yield item["line"], f"class {item['name']} is a second bot; a file has one"


def _copied(item: dict[str, Any]) -> bool:
    return len(EVALUATOR_METHODS.intersection(item["methods"])) >= 2
