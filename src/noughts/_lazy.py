"""Public names of a package that are loaded at their first use, so that importing the package costs next to nothing."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any


def lazy_names(package: str, homes: Mapping[str, str], *, rooms: str = "") -> None:
    """Gives a package its public names: `__all__`, `__getattr__` and `__dir__`.

    homes: for each module its public names, in one text. rooms: packages below this one that are loaded at their first
    use too, and not listed by `dir`.
    """
    home_of = {name: home for home, names in homes.items() for name in names.split()}

    def get(name: str) -> Any:
        if name in rooms.split():
            return import_module(f"{package}.{name}")
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{home_of[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted(home_of)

    vars(sys.modules[package]).update(__all__=names(), __getattr__=get, __dir__=names)
