"""Stand-ins for classes of packages without types, for type checkers."""

from __future__ import annotations

from typing import Any, ClassVar


class Untyped:
    """A class that takes any arguments and has any attributes."""

    model_validate: ClassVar[Any]  # of pydantic's model classes
    reset: Any

    def __init__(self, *args: Any, **options: Any) -> None: ...

    def __getattr__(self, name: str) -> Any: ...
