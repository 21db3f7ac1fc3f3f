"""Datasets: every position of a solved game up to symmetry, or a sample, with the exact value of every move.

A dataset is gzipped JSON lines, one object for each unfinished position:

    id          number of the position in the game, the same in every sample
    game        name of the game
    position    as in docs/notation.md
    player      the player to move
    ply         marks on the board
    text        the rules and the board, as a text player sees them
    value       1, 0 or -1: the result for the player to move under best play
    distance    moves to the end under best play
    matters     whether some move is worse than another
    orbit       number of symmetric positions that this one represents
    moves       [{"move": "[X 4]", "value": 0, "distance": 7}, ...], best first

The same game, sample and seed give the same bytes. A datasheet beside the dataset gives its hash.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import noughts
from noughts.files import write_whole
from noughts.game import Game
from noughts.library import load_game
from noughts.progress import Tick
from noughts.rules.spec import Rules
from noughts.solving import Solution, SolvedPosition, solve
from noughts.solving.kernels.codes import NOT_OVER
from noughts.text.boards import board_of, board_text
from noughts.text.prompts import prompt
from noughts.text.replies import reader_of, without_reasoning

VERSION = 1
"""Version of the format of a row."""


@dataclass(frozen=True)
class WrittenDataset:
    """A written dataset. total: positions of the game, up to symmetry. sha256: of the rows."""

    rows: int
    total: int
    bytes: int
    sha256: str
    datasheet: Path


def dataset_rows(
    game: Game, *, sample: int | None = None, seed: int = 0, list_moves: bool = True, tick: Tick | None = None
) -> Iterator[dict[str, Any]]:
    """Yields the rows of a dataset, in the order of their ids. Raises TooLarge if the game cannot be solved."""
    solution = solve(game)
    open_nodes = np.flatnonzero(solution.graph.kinds == NOT_OVER).tolist()
    if sample is not None and sample < len(open_nodes):
        open_nodes = sorted(random.Random(f"dataset {seed}").sample(open_nodes, sample))
    columns = solution.to_frame("numpy").values()
    for done, node in enumerate(open_nodes):
        yield _row(solution, node, SolvedPosition(*(column[node].item() for column in columns)), list_moves)
        if tick and done % 256 == 0:
            tick(done / len(open_nodes))


def dataset(
    game: str | Rules | Game, n: int | None = None, seed: int = 0, *, list_moves: bool = True
) -> list[dict[str, Any]]:
    """Returns rows of a dataset: positions of a solvable game, with the value of every move.

    n: size of a sample, None for all positions. list_moves: whether the prompts list the legal moves.

    >>> import noughts
    >>> rows = noughts.dataset("classic", 3, seed=1)
    >>> len(rows), rows[0]["game"]
    (3, 'classic')
    """
    return list(dataset_rows(load_game(game), sample=n, seed=seed, list_moves=list_moves))


def _row(solution: Solution, number: int, found: SolvedPosition, list_moves: bool) -> dict[str, Any]:
    game = solution.game
    state, names = game.from_string(found.position), reader_of(game.rules).names
    board, rated = board_text(state) if list_moves else board_of(state), solution.rated_moves(state)
    return {
        "id": number,
        "game": game.name,
        "position": found.position,
        "player": found.player,
        "ply": found.marks,
        "text": f"{prompt(game.rules, found.player)}\n\n{board}",
        "value": found.value,
        "distance": found.distance,
        "matters": rated[-1].value < rated[0].value,
        "orbit": found.symmetric,
        "moves": [{"move": names[move.action], "value": move.value, "distance": move.distance} for move in rated],
    }


def write_dataset(
    path: Path,
    game: Game,
    *,
    sample: int | None = None,
    seed: int = 0,
    list_moves: bool = True,
    tick: Tick | None = None,
) -> WrittenDataset:
    """Writes a dataset and its datasheet, each atomically."""
    rows, size, sha256 = write_rows(
        path, dataset_rows(game, sample=sample, seed=seed, list_moves=list_moves, tick=tick)
    )
    of = int((solve(game).graph.kinds == NOT_OVER).sum())
    written = WrittenDataset(rows, of, size, sha256, sheet_path(path))
    write_whole(written.datasheet, datasheet(path.name, game, written, sample, seed, list_moves).encode())
    return written


def sheet_path(path: Path, ending: str = ".datasheet.md") -> Path:
    """Returns the path of a file beside a dataset."""
    return path.with_name(path.name.removesuffix(".gz").removesuffix(".jsonl") + ending)


def write_rows(path: Path, rows: Iterable[dict[str, Any]]) -> tuple[int, int, str]:
    """Writes rows as gzipped JSON lines, atomically.

    Returns the number of rows, the bytes of the file, and the SHA-256 of the lines.
    """
    digest, data, count = hashlib.sha256(), io.BytesIO(), 0
    # Without a time in the head: the same rows give the same file.
    with gzip.GzipFile(fileobj=data, mode="wb", mtime=0, filename="") as file:
        for row in rows:
            line = json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            digest.update(line)
            file.write(line)
            count += 1
    write_whole(path, data.getvalue())
    return count, data.getbuffer().nbytes, digest.hexdigest()


def grade_reply(row: dict[str, Any], reply: str) -> dict[str, Any]:
    """Grades a reply to the text of a row: the last listed move in square brackets counts.

    legal; right: whether it is one of the best moves; lost: the value given away, None if there is no legal move. Needs
    only the row.
    """
    reply = without_reasoning(reply)
    values = {_plain(each["move"]): each["value"] for each in row["moves"]}
    found = [text for text in re.findall(r"\[[^\[\]]{1,40}\]", reply) if re.search(r"\d", text)]
    if not found or _plain(found[-1]) not in values:
        return {"legal": False, "right": False, "lost": None}
    lost = row["value"] - values[_plain(found[-1])]
    return {"legal": True, "right": lost == 0, "lost": lost}


def _plain(move: str) -> str:
    return re.sub(r"[\s@]+", " ", move.strip("[] ").lower())


SHEET = """\
# {name}

| fact | value |
|---|---|
| game | {game}: {summary} |
| rows | {rows:,}: {chosen}; the game has {of:,} unfinished positions, up to symmetry |
| form | version {version}; JSON lines, gzipped, {bytes:,} bytes |
| SHA-256 of the rows | `{sha256}` |
| made by | noughts {made_by}: `{command}` |
| licence | MIT |

**Purpose.** Training and testing text players: every legal move of every position has its exact value, so a
single reply can be graded, not only the result of a game.

**Contents of a row.** `position`, `player`, `ply`; `text`, the rules and the board as a player sees them;
`value` (1 wins, 0 draws, -1 loses, for the player to move) and `distance` (moves left under best play);
`moves`, each with its value and distance, best first; `matters`, whether some move is worse than another;
`orbit`, the number of positions that this row represents: weight rows by it to count all positions equally.

**Method.** The game was solved backwards from its ends. Nothing was sampled by play,
or labelled by hand or by a model. Symmetric positions are one row.

**Grading.** `noughts.suites.dataset.grade_reply(row, reply)`: the last move in square brackets counts;
`right` if its value is the best, `lost` is the value given away. Compare with chance: a random move is often
right.

**Limits.** Rows are not equally likely in play. The games are small and famous, so a model may know
them by heart; use the generated variants (`noughts evaluate --suite variants`) to avoid that. There is no
personal data in it.
"""


def datasheet(name: str, game: Game, written: WrittenDataset, sample: int | None, seed: int, list_moves: bool) -> str:
    """Returns the datasheet: what is in a dataset and how it was made."""
    whole = sample is None or sample >= written.total
    options = ("" if sample is None else f" --sample {sample} --seed {seed}") + ("" if list_moves else " --hide-moves")
    return SHEET.format(
        name=name,
        game=game.name,
        summary=game.rules.summary or game.rules.title,
        rows=written.rows,
        chosen="all of them" if whole else f"a random sample, seed {seed}",
        of=written.total,
        version=VERSION,
        bytes=written.bytes,
        sha256=written.sha256,
        made_by=noughts.__version__,
        command=f"noughts dataset {game.name} --out {name}{options}",
    )
