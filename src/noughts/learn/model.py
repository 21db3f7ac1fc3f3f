"""The file of a training run: one file that holds everything, and loads anywhere.

A line that says what it is, the SHA-256 of the rest, and NumPy's own archive: `settings` (JSON, the rules of the game
included), the arrays of the Q-table, and `history` float64[checkpoints, columns] (see `training`). A file that is not
whole is refused.
"""

from __future__ import annotations

import hashlib
import json
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from noughts.files import write_whole
from noughts.learn.settings import Settings, from_record
from noughts.learn.tables import QTable, make_table

MARK = b"noughts q-table 1\n"
DIGEST_BYTES = 32
MODEL_FILE = "model.q"

History = npt.NDArray[np.float64]


def model_path(path: str | Path) -> Path:
    """The model file that a path means: the file itself, or that of a run folder."""
    return Path(path) / MODEL_FILE if Path(path).is_dir() else Path(path)


def save_model(path: Path, settings: Settings, table: QTable, history: History) -> None:
    """Write all of a run or nothing: a file that was there stays until the new one is safely on the disk."""
    archive = BytesIO()
    record = np.frombuffer(json.dumps(settings.record()).encode(), np.uint8)
    arrays: dict[str, Any] = {"settings": record, "history": history, **table.arrays()}
    np.savez(archive, **arrays)
    payload = archive.getbuffer()
    write_whole(path, MARK, hashlib.sha256(payload).digest(), payload)


def load_model(path: str | Path) -> tuple[Settings, QTable, History]:
    """What `save_model` wrote; ValueError with a sentence if it is not there or not whole."""
    path = model_path(path)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise ValueError(f"there is no model {str(path)!r}; `noughts train` makes one") from None
    start = len(MARK) + DIGEST_BYTES
    if not data.startswith(MARK):
        raise ValueError(f"{str(path)!r} is not a model of `noughts train`")
    payload = memoryview(data)[start:]
    if hashlib.sha256(payload).digest() != data[len(MARK) : start]:
        raise ValueError(f"the model {str(path)!r} is damaged: its contents do not match its checksum; train it again")
    try:
        with np.load(BytesIO(payload), allow_pickle=False) as archive:
            arrays: dict[str, npt.NDArray[Any]] = dict(archive)
        settings = from_record(json.loads(arrays.pop("settings").tobytes()))
        history = arrays.pop("history")
        table = make_table(settings)
        table.restore(arrays)
    except (BadZipFile, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"the model {str(path)!r} cannot be read by this version: {error}") from None
    return settings, table, history
