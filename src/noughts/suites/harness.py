"""Questions about generated games as a task of lm-evaluation-harness: the rows, a YAML file and a scorer beside it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import noughts
from noughts.files import write_whole
from noughts.printable import shell_quote
from noughts.suites.dataset import Written, grade_reply, sheet_path, write_rows
from noughts.suites.training import POSITIONS, VariantDataset, score_answer

TASK = """\
# A task of lm-evaluation-harness: questions about generated games, with exact scores.
#
#     lm_eval run --include_path FOLDER --tasks {task} --model hf --model_args pretrained=MODEL
task: {task}
dataset_path: json
dataset_kwargs:
  data_files:
    test: {rows}
test_split: test
output_type: generate_until
doc_to_text: "{{{{question}}}}"
doc_to_target: "{{{{answer}}}}"
generation_kwargs:
  until: []
  do_sample: false
  max_gen_toks: 1024
process_results: !function {scorer}.process_results
metric_list:
  - metric: score
    aggregation: mean
    higher_is_better: true
  - metric: best
    aggregation: mean
    higher_is_better: true
  - metric: legal
    aggregation: mean
    higher_is_better: true
metadata:
  version: 1.0
"""
SCORER = '''\
"""Scores of the answers to {rows}: see noughts.suites.harness."""

from noughts.suites.harness import process_results

__all__ = ["process_results"]
'''
SHEET = """\
# {name}

| fact | value |
|---|---|
| rows | {rows:,} questions about {games:,} generated games |
| split | {split}: no game of it is in the other split, under any name of its cells or numbers |
| difficulty | {difficulty} of 0 to 4: the board, the ways of marking, and the plies that an answer needs |
| form | JSON lines, gzipped, {bytes:,} bytes: `question`, `answer`, `metadata` with the value of every move |
| SHA-256 of the rows | `{sha256}` |
| made by | noughts {made_by}: `{command}` |
| licence | MIT |

**How to score.** `noughts.suites.score_answer(answer, entry)`: 1 for a best move, 0.2 or 0.1 for another legal one, 0
for anything else. The last move in square brackets counts; reasoning in `<think>` does not.

**What to know.** The rules are drawn by a seed, each game is solved, and every value is exact. The games of the suite
of `noughts evaluate --suite variants` are never in the split `train`.
"""


def process_results(doc: dict[str, Any], results: list[str]) -> dict[str, float]:
    """Returns the numbers of one answer: the score, whether the move is best, and whether it is legal."""
    grade = grade_reply(doc["metadata"], results[0])
    return {"score": score_answer(results[0], doc), "best": float(grade["right"]), "legal": float(grade["legal"])}


def write_entries(
    path: Path, data: VariantDataset, tick: Callable[[float], None] | None = None
) -> tuple[Written, Path]:
    """Writes the rows, their datasheet and the two files of the task; returns what was written, and the task."""

    def rows() -> Iterator[dict[str, Any]]:
        for done, entry in enumerate(data, 1):
            yield entry
            if tick:
                tick(done / len(data))

    count, size, sha256 = write_rows(path, rows())
    games = -(-count // POSITIONS)
    written = Written(count, games, size, sha256, sheet_path(path))
    hidden = "" if data.list_moves else " --hide-moves"
    command = (
        f"noughts dataset --suite variants --sample {count} --seed {data.seed} --difficulty {data.difficulty} "
        f"--split {data.split}{hidden} --out {shell_quote(path.name)}"
    )
    sheet = SHEET.format(
        name=path.name,
        rows=count,
        games=games,
        split=data.split,
        difficulty=data.difficulty,
        bytes=size,
        sha256=sha256,
        made_by=noughts.__version__,
        command=command,
    )
    write_whole(written.datasheet, sheet.encode())
    scorer, task = sheet_path(path, "_scorer.py"), sheet_path(path, ".yaml")
    write_whole(scorer, SCORER.format(rows=path.name).encode())
    name = f"noughts_{sheet_path(path, '').name}".replace("-", "_").replace(".", "_")
    write_whole(task, TASK.format(task=name, rows=json.dumps(str(path.absolute())), scorer=scorer.stem).encode())
    return written, task
