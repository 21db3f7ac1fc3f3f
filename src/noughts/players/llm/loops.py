"""Waiting for asynchronous work from ordinary code, in a notebook too."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def wait_for(work: Coroutine[object, object, T]) -> T:
    """The result of a coroutine. Where an event loop runs already, as in a notebook, it gets a thread of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
