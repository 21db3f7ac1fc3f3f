"""The submission rules of the course: one file, one class, nothing outside it, none of the evaluator's code.

They are checked on an outline of the file, made in the sandbox: see `sandbox.worker.loading.outline`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from noughts.bots.python2.prelude import prelude_lines

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
        yield None, f"there is no class {wanted} with a method move(self, board, old_move, flag)"
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


def remarks(outline: Outline) -> Iterator[tuple[int | None, str]]:
    """(line, what somebody may ask about) for what is no breach."""
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
