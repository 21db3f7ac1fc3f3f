"""Loads names at their first use: the public names of a package, and what the modules of a package import."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Mapping
from importlib import import_module
from types import SimpleNamespace
from typing import Any


def lazy_names(package: str, homes: Mapping[str, str], *, rooms: str = "") -> None:
    """Gives a package its public names: `__all__`, `__getattr__` and `__dir__`.

    homes: the public names of each module, separated by spaces. rooms: subpackages, also loaded at their first use and
    not listed by `dir`.
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


class _Deferred:
    """A placeholder for an imported name, which imports the module when it is used."""

    def __init__(self, module: str, name: str) -> None:
        self._module = module
        self.__name__ = name

    def _load(self) -> Any:
        module = import_module(self._module)
        if hasattr(module, self.__name__):
            return getattr(module, self.__name__)
        return import_module(f"{self._module}.{self.__name__}")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._load(), name)

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[Any]:
        return (self._load(),)


def _used(method: str) -> Any:
    return lambda deferred, *arguments, **options: getattr(deferred._load(), method)(*arguments, **options)


for _method in "call contains format getitem iter len mod str".split():
    setattr(_Deferred, f"__{_method}__", _used(f"__{_method}__"))


def defer_imports(package: str) -> None:
    """Defers all imports from noughts in the modules of `package` to their first use, until this process ends.

    Printing help needs only the arguments of a command, not the code that it runs.
    """
    own = package.split(".")[0]
    import_now = builtins.__import__

    def import_later(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:  # noqa: A002
        importer = (globals or {}).get("__name__", "")
        if fromlist and f"{importer}.".startswith(f"{package}.") and f"{name}.".startswith(f"{own}."):
            return SimpleNamespace(**{each: _Deferred(name, each) for each in fromlist})
        return import_now(name, globals, locals, fromlist, level)

    builtins.__import__ = import_later
