"""The record of a game as JSON gives it back, where tuples have become lists."""

from __future__ import annotations

from typing import Any

from noughts.rules.spec import Rules


def rules_from(facts: dict[str, Any]) -> Rules:
    """The record; RulesError if the facts are no game, TypeError if there are unknown ones."""
    return Rules(**{name: _tuple(value) for name, value in facts.items()})


def _tuple(value: Any) -> Any:
    return tuple(_tuple(item) for item in value) if isinstance(value, list) else value
