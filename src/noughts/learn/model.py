"""Reads and writes the file of a training run, which contains everything and loads anywhere.

It is a line with its kind, the SHA-256 of the rest, and NumPy's own archive: `settings` (JSON, the rules of the game
included), the arrays of the Q-table, and `history` float64[checkpoints, columns] (see `training`). An incomplete file
is refused.

Anyone can create such a file with a correct checksum, and compiled code trusts the arrays. So the archive is parsed
strictly: plain numbers, uncompressed, each array of exactly the bytes of its shape; and the table checks every array
before it accepts it (`QTable.restore`).
"""

from __future__ import annotations

import json
import re
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_STORED, BadZipFile, ZipFile

import numpy as np
import numpy.typing as npt

from noughts.files import DIGEST_BYTES, seal, sealed
from noughts.learn.settings import TrainingSettings, from_record
from noughts.learn.tables import Arrays, QTable, checked_array, make_table
from noughts.rules.spec import short_repr
from noughts.untrusted import FileKind, parse_json

MARK = b"noughts q-table 1\n"
MODEL_FILE = "model.q"
MODEL = FileKind("a model", 4 << 30)
SETTINGS = FileKind("the settings of a model", 1 << 20, nodes=20_000)

History = npt.NDArray[np.float64]

UNREADABLE = (
    *(AttributeError, BadZipFile, EOFError, IndexError, KeyError, MemoryError, OSError, OverflowError, RuntimeError),
    *(TypeError, ValueError),
)
"""Exceptions of parsing a malicious file; RuntimeError if it is nested too deep."""

_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00(?P<length>..)\{'descr': '(?P<kind>[<|][iuf][1248])', 'fortran_order': False, "
    rb"'shape': \((?P<shape>\d{1,12},|\d{1,12}, \d{1,12})\), \} *\n",
    re.DOTALL,
)
"""Header of an array with one or two axes, as NumPy writes it."""


def model_path(path: str | Path) -> Path:
    """Returns the model file of a path: the file itself, or that of a run folder."""
    return Path(path) / MODEL_FILE if Path(path).is_dir() else Path(path)


def save_model(path: Path, settings: TrainingSettings, table: QTable, history: History) -> None:
    """Writes a whole run atomically: an existing file stays until the new one is safely on disk."""
    archive = BytesIO()
    record = np.frombuffer(json.dumps(settings.record()).encode(), np.uint8)
    arrays: dict[str, Any] = {"settings": record, "history": history, **table.arrays()}
    np.savez(archive, **arrays)
    payload = archive.getbuffer()
    seal(path, MARK, payload)


def load_model(path: str | Path) -> tuple[TrainingSettings, QTable, History]:
    """Returns what `save_model` wrote. Raises ValueError if the file is missing, incomplete or invalid."""
    try:
        path = model_path(path)
        payload = sealed(path, MARK, MODEL)
    except FileNotFoundError:
        raise ValueError(f"there is no model {short_repr(str(path))}; `noughts train` creates one") from None
    except OSError as error:
        raise ValueError(f"the model {short_repr(str(path))} cannot be read: {error.strerror}") from None
    try:
        arrays = _read_archive(payload)
        record = checked_array(arrays, "settings", np.uint8, None).tobytes()
        settings = from_record(parse_json(record, SETTINGS))
        history = checked_array(arrays, "history", np.float64, None, None)
        # The file has a number of positions; a game with more positions is not built.
        table = make_table(settings, most=len(checked_array(arrays, "codes", np.int64, None)))
        table.restore(arrays)
    except UNREADABLE as error:
        why = short_repr(error) if isinstance(error, KeyError) else str(error) or type(error).__name__
        raise ValueError(f"the model {str(path)!r} cannot be read by this version: {why}") from None
    return settings, table, history


def model_digest(path: str | Path) -> str:
    """Returns a hash that identifies a model, without reading all of it. Raises ValueError if there is none."""
    try:
        with open(model_path(path), "rb") as file:
            head = file.read(len(MARK) + DIGEST_BYTES)
    except OSError as error:
        raise ValueError(f"the model {short_repr(str(path))} cannot be read: {error.strerror}") from None
    return head[len(MARK) :].hex()


def _read_archive(payload: memoryview) -> Arrays:
    """Returns the arrays by name; together they are no larger than the file."""
    arrays: Arrays = {}
    with ZipFile(BytesIO(payload)) as archive:
        members = archive.infolist()
        if len({member.filename for member in members}) < len(members):
            raise ValueError("two of its arrays have the same name")
        if sum(member.file_size for member in members) > len(payload):
            raise ValueError("its arrays are larger than the file")
        for member in members:
            if member.compress_type != ZIP_STORED or member.flag_bits & 1 or not member.filename.endswith(".npy"):
                raise ValueError(f"{short_repr(member.filename)} is not a plain array")
            arrays[member.filename.removesuffix(".npy")] = _read_array(archive.read(member), member.filename)
    return arrays


def _read_array(data: bytes, name: str) -> npt.NDArray[Any]:
    header = _HEADER.match(data)
    if header is None or int.from_bytes(header["length"], "little") + 10 != header.end():
        raise ValueError(f"{short_repr(name)} is not an array of numbers")
    kind, shape = np.dtype(header["kind"].decode()), [int(size) for size in header["shape"].split(b",") if size.strip()]
    size = kind.itemsize
    for axis in shape:
        size *= axis
    if size != len(data) - header.end():
        raise ValueError(f"{short_repr(name)} has {len(data) - header.end()} bytes for an array of {size}")
    return np.frombuffer(data, kind, offset=header.end()).reshape(shape).copy()
