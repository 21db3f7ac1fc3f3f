"""What type checkers read in place of the classes of packages that have no types."""

from __future__ import annotations

from typing import Any, ClassVar


class Untyped:
    """A class that takes any arguments and has any attributes."""

    model_validate: ClassVar[Any]  # pydantic's, of the class
    reset: Any

    def __init__(self, *args: Any, **options: Any) -> None: ...

    def __getattr__(self, name: str) -> Any: ...
