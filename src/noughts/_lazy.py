"""Loads names at their first use: the public names of a package, and what the modules of a package import."""

from __future__ import annotations

import builtins
import sys
from importlib import import_module
from types import SimpleNamespace
from typing import Any


def lazy_names(package: str) -> None:
    """Gives a package the public names of its stub, `__init__.pyi`: `__all__`, `__getattr__` and `__dir__`.

    The stub has a line `from module import name as name` for each, which type checkers read too. Subpackages are also
    loaded at their first use, but not listed by `dir`.
    """
    module = sys.modules[package]
    stub = module.__spec__.loader.get_data(f"{module.__path__[0]}/__init__.pyi")  # type: ignore[union-attr]
    lines = [line.split() for line in stub.decode().splitlines() if line.startswith("from ")]
    home_of = {name: home for _, home, _, name, *_ in lines}

    def get(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if home_of[name] == package:
            return import_module(f"{package}.{name}")
        value = getattr(import_module(home_of[name]), name)
        setattr(module, name, value)
        return value

    def names() -> list[str]:
        return sorted(name for name, home in home_of.items() if home != package)

    vars(module).update(__all__=names(), __getattr__=get, __dir__=names)


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
