"""Loads entry points of the kernels at their first call, so that commands without a board start without Numba."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from noughts.rules.kernels.entries import MODULES


def load_at_first_call(namespace: dict[str, Any], *names: str) -> None:
    """Puts entry points into a namespace, which must be a module's `globals()`.

    They skip Numba's lookup of argument types (`jit.direct`); calls after the first cost nothing extra.
    """

    def stand_in(name: str) -> Callable[..., Any]:
        def load(*arguments: Any) -> Any:
            from noughts.rules.kernels.jit import direct

            namespace[name] = direct(getattr(import_module(MODULES[name]), name))
            return namespace[name](*arguments)

        return load

    namespace.update({name: stand_in(name) for name in names})
