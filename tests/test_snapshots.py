"""What each command prints, as text and as JSON, held in files: a change of output is seen in the diff.

To accept a change, write the files again and read `git diff tests/snapshots`:

    NOUGHTS_WRITE_SNAPSHOTS=1 python -m pytest -n 0 tests/test_snapshots.py
"""

import difflib
import json
import os
import re
import shlex
import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from noughts.cli import COMMANDS, main

HERE = Path(__file__).parent / "snapshots"
BOTS = Path(__file__).parent.parent / "examples" / "bots"

PYTHON_2_BOT = """\
class Team7:
    def __init__(self):
        print "hello"

    def move(self, board, old_move, flag):
        cells = board.find_valid_move_cells(old_move)
        return cells[len(cells) / 2]
"""

SCENES = {
    "games": """
        games
        games --json
        players --game extreme
        players --json
        rules classic
        rules extreme
        rules numerical --json
        show wild ".../.X./... p1"
        show extreme
        show classic --json
        perft wild 3
        perft ultimate 2 --json
    """,
    "solving": """
        solve classic
        solve numerical
        solve wild --json
        analyze classic "X../.O./..X p1"
        analyze classic "X../.O./..X p1" --json
        analyze ultimate --nodes 20000
        analyze extreme --nodes 20000 --multi-pv 2 --json
        dataset classic --sample 2 --seed 1 --out rows.jsonl
        train classic --episodes 2000 --seed 1 --no-plots --json
    """,
    "matches": """
        match random greedy --game classic --games 6 --seed 1 --log games
        match random greedy --game classic --games 6 --seed 1 --json
        match bots/greedy_bot.py random --game ultimate --games 2 --seed 3 --time 5
        replay games/game-0001-random-greedy.json --at 3
        replay games/game-0001-random-greedy.json --grade
        replay games/game-0001-random-greedy.json --grade --json
        replay games/game-0001-random-greedy.json --json
        log games/game-0001-random-greedy.json
        evaluate random --game wild --games 6 --seed 1
        evaluate random --game wild --games 6 --seed 1 --json
        evaluate random --game classic --exact --json
    """,
    "bots": """
        check bots/greedy_bot.py --game ultimate --time 5
        check bots/greedy_bot.py --game ultimate --time 5 --json
        check bots --game ultimate --time 5
        convert old.py --dry-run
        convert old.py --json
        similarity bots
        similarity bots --json
    """,
    "tournament": """
        tournament run bots --game ultimate --file class.noughts --seed 1 --time 5 --jobs 1 --staff random
        tournament status class.noughts
        tournament status class.noughts --json
        tournament standings class.noughts
        tournament standings class.noughts --json
        tournament games class.noughts
        tournament games class.noughts --json
        tournament marks class.noughts
        tournament marks class.noughts --json
        tournament export class.noughts results
        report class.noughts --no-analysis --output page.html
        tournament freeze class.noughts
    """,
    "mistakes": """
        nonsense
        show nonsense
        show wild "XXXX"
        play classic --opponent nobody
        match random --game classic
        match random nobody --game classic
        analyze classic "XX./OO./... p0" --depth -1
        check nowhere.py --game classic
        tournament status nowhere.noughts
        replay nowhere.json
        evaluate random --game wild --games 0
        solve extreme
    """,
}
"""The commands of a scene run one after the other in one folder, where `bots` holds two example bots."""

VARYING = [
    (r"\b\d+(\.\d+)? ?(s|ms|us|min)\b", "TIME"),
    (r"\b\d{1,2}:\d\d(:\d\d)?\b", "TIME"),
    (r"noughts: compiling, once on this machine;.*\n", ""),  # on a machine that has not compiled or solved it before
    (r"\b(Solved|Read from disk) in TIME", "Solved in TIME"),
    (r"\b20\d\d-\d\d-\d\d[T ]?(TIME)?[^\s\",]*", "DATE"),
    (r"\b[\d,.]+( million| M)? nodes/s\b", "SPEED"),
    (r"\b[\d,.]+( million)? a second\b", "SPEED"),
    (r"\b[\d.]+% of the limit\b", "SHARE of the limit"),
    (r"\b\d+ MB\b", "SIZE"),
    (r" +TIME +\d+  ", "  TIME  SIZE  "),  # the columns longest and MB of `check`
    (r"\b[0-9a-f]{16,64}\b", "HASH"),
    (r"(?m)^.*\d of \d+ games, .*/s.*\n", ""),  # progress
]
UNSTEADY = re.compile(
    r"second|time|speed|nodes_per|started|finished|created|elapsed"
    r"machine|memory|version|_at$|hash|sha|path|load|bytes|slowest|fastest|processor|cores"
)
"""Keys of JSON whose numbers and texts differ between runs or machines."""


def steady(value, key=""):
    """The value without what differs between two runs."""
    if key == "machines":
        return "one for each"
    if isinstance(value, dict):
        return {name: steady(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [steady(inner, key) for inner in value]
    if UNSTEADY.search(key) and not isinstance(value, bool) and value is not None:
        return type(value).__name__
    return round(value, 6) if isinstance(value, float) else value


def normal(text, folder):
    with suppress(ValueError):
        text = json.dumps(steady(json.loads(text)), indent=1, ensure_ascii=False) + "\n"
    text = text.replace(str(folder), "FOLDER")
    for pattern, name in VARYING:
        text = re.sub(pattern, name, text)
    return "".join(line.rstrip() + "\n" for line in text.splitlines())


def hold(name, text):
    """Compare the text with the snapshot of that name, or write it."""
    file = HERE / f"{name}.txt"
    if os.environ.get("NOUGHTS_WRITE_SNAPSHOTS"):
        file.write_text(text, encoding="utf-8")
    kept = file.read_text(encoding="utf-8")
    assert text == kept, "\n".join(
        difflib.unified_diff(kept.splitlines(), text.splitlines(), "kept", "now", lineterm="")
    )


@pytest.fixture(autouse=True)
def plain_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    monkeypatch.setenv("NO_COLOR", "1")


@pytest.mark.parametrize("scene", SCENES)
def test_commands_print_what_they_printed(scene, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("bots").mkdir()
    for bot in ("greedy_bot.py", "random_bot.py"):
        shutil.copy(BOTS / bot, "bots")
    Path("old.py").write_text(PYTHON_2_BOT)
    said = []
    for line in SCENES[scene].strip().splitlines():
        try:
            code = main(shlex.split(line))
        except SystemExit as end:
            code = end.code
        out, err = capsys.readouterr()
        said += [f"$ noughts {line.strip()}\n", normal(out, tmp_path), normal(err, tmp_path), f"-> {code}\n\n"]
    hold(scene, "".join(said))


def test_help_reads_as_it_did(capsys):
    lines = ["--help", *(f"{name} --help" for name in COMMANDS)]
    from noughts.commands.tournament import ACTIONS

    lines += [f"tournament {name} --help" for name in ACTIONS]
    said = []
    for line in lines:
        with pytest.raises(SystemExit):
            main(line.split())
        said += [f"$ noughts {line}\n", capsys.readouterr().out, "\n"]
    hold("help", "".join(said))
