"""Executor on a Ray cluster: each batch is a task on one core.

The calling process is the only writer. A bot's source is put into the cluster once, by its hash, and fetched by the
machines that need it. Batches are submitted only as the cluster has room, so even a tournament of a million games fits
in memory. If a machine is lost, its batches are played again on others.
"""

from __future__ import annotations

import hashlib
import pickle
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from noughts.interpreter import clean_environment, own_folder
from noughts.matches.runner import TRIES, BatchQueue, Conditions, GameOrError, Referee, Watch
from noughts.matches.schedule import Batch, Contestant
from noughts.sandbox import ForkServer, SandboxError

BATCHES_PER_CORE = 2
"""Batches submitted per core: one in progress and one to start next."""
CONNECT_SECONDS = 10.0
POLL_SECONDS = 5.0
"""Seconds between checks of the number of cores: machines come and go."""


def require_ray() -> Any:
    """Returns the module. Raises ValueError if it is not installed."""
    try:
        import ray
    except ImportError:
        raise ValueError("a cluster needs Ray: pip install ray") from None
    return ray


def play_on_ray(
    conditions: Conditions,
    batches: Iterator[Batch | None],
    _watch: Watch | None = None,
    _server: ForkServer | None = None,
    *,
    address: str | None = None,
) -> Iterator[GameOrError]:
    """Plays batches on the cluster at the address, or on a temporary cluster on this machine only. Its moves cannot be
    watched.
    """
    ray = require_ray()
    ours = not ray.is_initialized()
    if ours:
        _require_answer(address)
        try:
            # Ray's processes have the current folder on their path, and our environment.
            with own_folder(clean_environment()):
                ray.init(address=address, log_to_driver=False, logging_level="ERROR")
        except ConnectionError as error:
            raise ValueError(f"there is no Ray cluster at {address!r} ({error})") from None
    _silence(ray)
    tasks = _Tasks(ray, conditions.for_others(), batches)
    try:
        yield from tasks.results()
    finally:
        tasks.close()
        if ours:
            ray.shutdown()


def _silence(ray: Any) -> None:
    """Keeps Ray from printing the end of a lost node's log to standard output, where the results go.

    Ray has no setting for that, only a switch for its debugger.
    """
    if hasattr(ray._private.worker, "_worker_logs_enabled"):
        ray._private.worker._worker_logs_enabled = False


def _require_answer(address: str | None) -> None:
    """Raises ValueError if nothing answers at HOST:PORT: Ray itself would try for many minutes."""
    host, colon, port = (address or "").rpartition(":")
    if not colon or not port.isdecimal() or "://" in host:
        return
    try:
        socket.create_connection((host, int(port)), CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise ValueError(
            f"there is no Ray cluster at {address!r} ({error}); `ray start --head` starts one and prints its address"
        ) from None


class _Tasks:
    """The submitted tasks and their results."""

    def __init__(self, ray: Any, conditions: Conditions, batches: Iterator[Batch | None]) -> None:
        self._ray, self._conditions, self._queue = ray, conditions, BatchQueue(batches)
        self._task = ray.remote(num_cpus=1, max_retries=TRIES, scheduling_strategy="SPREAD")(_play)
        rest = replace(conditions, contestants={})
        self._key = hashlib.sha256(pickle.dumps(rest)).hexdigest()
        self._shared = ray.put(rest)
        self._sources: dict[str, Any] = {}
        self._out: dict[Any, Batch] = {}
        self._room, self._counted_at = 0, -POLL_SECONDS

    def results(self) -> Iterator[GameOrError]:
        self._feed()
        while self._out:
            ready, _ = self._ray.wait(list(self._out), num_returns=1, timeout=POLL_SECONDS)
            for task in ready:
                results = self._results_of(task, self._out.pop(task))
                self._feed()  # before the records are written, so that no core waits for the disk
                yield from results
            self._feed()

    def close(self) -> None:
        for task in self._out:
            with suppress(Exception):  # on any error: the task is no longer needed
                self._ray.cancel(task, force=True)

    def _feed(self) -> None:
        now = time.monotonic()
        if now - self._counted_at >= POLL_SECONDS:
            self._room, self._counted_at = max(1, int(self._ray.cluster_resources().get("CPU", 1))), now
        while len(self._out) < BATCHES_PER_CORE * self._room:
            batch = self._queue.next()
            if batch is None:
                return
            numbers = sorted({number for pairing in batch for number in pairing.players})
            sources = [self._source(self._conditions.contestants[number]) for number in numbers]
            self._out[self._task.remote(self._key, self._shared, batch, numbers, *sources)] = batch

    def _source(self, contestant: Contestant) -> Any:
        """Returns a reference to a contestant, which is stored in the cluster once."""
        digest = hashlib.sha256(pickle.dumps(contestant)).hexdigest()
        if digest not in self._sources:
            self._sources[digest] = self._ray.put(contestant)
        return self._sources[digest]

    def _results_of(self, task: Any, batch: Batch) -> list[GameOrError]:
        """Returns the results of a task, and puts the unfinished games back."""
        try:
            results, failure = self._ray.get(task)
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause from None
        except self._ray.exceptions.RayError as error:  # its machines were lost repeatedly
            results, failure = [], f"the cluster keeps losing its machines ({type(error).__name__})"
        if failure:
            self._queue.put_back(batch[len(results) :], SandboxError(failure))
        found: list[GameOrError] = results
        return found


_referees: dict[str, Referee] = {}
"""Referees of this process of the cluster, by the conditions of the run."""


def _play(
    key: str, conditions: Conditions, batch: Batch, numbers: list[int], *contestants: Contestant
) -> tuple[list[GameOrError], str]:
    """A task: returns the results of a batch, and the failure if some are missing."""
    if key not in _referees:
        for other in list(_referees):
            _referees.pop(other).close()
        _referees[key] = Referee(conditions, measures=True)
    referee = _referees[key]
    referee.contestants.update(zip(numbers, contestants, strict=True))
    results: list[GameOrError] = []
    for pairing in batch:
        try:
            results.append(referee.result(pairing))
        except SandboxError as error:
            _referees.pop(key).close()
            return results, str(error)
    return results, ""
