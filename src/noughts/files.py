"""Files that are never half-written."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: Path, *parts: bytes | memoryview) -> None:
    """Write a file so that it is either the old or the new one, whatever happens meanwhile."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(draft, "wb") as file:
            for part in parts:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
