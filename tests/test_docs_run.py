"""Every command and every program that the docs show is run, in a folder with what a reader would have in theirs.

What is not run is in a list here with the reason: it is parsed at least (tests/test_docs.py), or tested elsewhere.
"""

import csv
import io
import re
import shlex
import shutil
import sys
import zipfile

import pytest
from pages import DOCS, ROOT, blocks, run_program

from noughts.cli import main

PAGES = [
    ROOT / "README.md",
    *(page for page in sorted(DOCS.rglob("*.md")) if page.parent.name not in ("reference", "notebooks")),
]

SHOWN_COMMANDS = {
    r"llm:": "asks a language model; test_llm.py has a server",
    r"\"(ugi|cg):": "a program that only the reader has; test_engines.py has some",
    r"noughts tournament$": "plays for half a minute; test_tournament_command.py",
    r"noughts serve|--web": "does not end; test_web.py starts servers",
    r"noughts ladder demo": "plays for a minute; test_ladder_server.py",
    r"--name final|marks (ladder|term)\.noughts": "need a ladder with versions; test_ladder_term.py",
    r"noughts (login|submit)|--for ladder": "need a ladder that is served; test_ladder_server.py",
    r"noughts --version": "ends the interpreter",
    r"noughts mcp": "does not end; .ci/adapters has a client",
    r"--executor ray": "needs a cluster; test_cluster.py has one",
    r"network=my\.net": "a file that only the reader has",
    r"--games (20|40)\b|--sprt|bench$": "takes minutes",
    r"noughts train (numerical|wild|--resume)": "takes seconds to minutes; test_train.py",
    r"q:runs/": "what training left",
    r"--time 10\b": "takes as long as it says",
    r"WILD_FOUR": "42,658,929 positions take a while; test_solve.py",
    r"--compare (reference )?evaluations/": "what runs with models left",
    r"--replays": "replays that only the reader has; test_kaggle.py",
    r"--reference ": "plays for minutes; test_reference.py",
    r"noughts autograder": "packs the installed package; test_autograder.py",
    r"noughts dataset": "writes megabytes; has tests of its own",
    r"puzzles/team7\.json#1": "a team without mistakes has no such file; test_report.py",
    r"--positions puzzles/": "exit code 1 if a bot misses a move, as this one does; test_check_report.py",
    r"noughts report class.noughts( --for.*)?$": "analyses every game; has tests of its own",
    r"extreme --format course --time 16|--format course --file": "the same as the README's, with other limits",
    r"noughts check team7\.py(:Team7)? --game extreme$|check bots/ --game extreme": "test_write_a_bot.py",
    r"match team7\.py team9\.py --game extreme": "ten games of Extreme",
    r"match second\.py (first|greedy)|match first\.py": "test_write_a_bot.py plays them",
    r"game-0001-second-greedy": "what that match left",
}
"""Commands that are not run, by what they have in common, and why."""

SHOWN_PROGRAMS = {
    "write-a-bot.md": "bots, not programs; test_write_a_bot.py",
    "integrations.md": "needs servers and models; .ci/adapters",
    "page.md": "asks a running server; test_web.py",
    "solved.md": "test_solved_page.py runs them, and compares what they print",
}
"""Programs that are not run, by page, and why."""

ALONE = {"environments.md", "episodes.md", "variants.md"}
"""Pages whose programs do not go on with each other."""

NEEDS = {
    "q-learning.md": ["matplotlib"],
    "environments.md": ["gymnasium", "pettingzoo", "pyspiel"],
    "text.md": ["textarena"],
}

PRINTS = {
    "README.md": [r".../.X./... p1", r"Playouts\(games=100000"],
    "adding-a-game.md": [r"^..../.Z../..../.... p1$"],
    "tournament.md": [r"\A462 games of 462\nteam1\nteam1$"],
    "text.md": [
        r"^You are Player 0 in Wild Tic Tac Toe.",
        r"False True \[X 4\]",
        r"Interval\(n=",
        r"\('random', 'perfect'\) line",
        r"^0 \d+ -?[01].0 ",
    ],
}
"""What the programs of a page print besides what their comments say."""


def commands(page):
    lines = [line for block in blocks(page, "sh") for line in block.splitlines()]
    return [line for line in lines if line.startswith("noughts ")]


def to_run(page):
    return [
        line
        for line in commands(page)
        if not any(re.search(shown, line.split(" #")[0].strip()) for shown in SHOWN_COMMANDS)
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What a reader of the docs has: bots, an old bot, a log, games of their own."""
    folder = tmp_path_factory.mktemp("reader")
    bots = ROOT / "examples" / "bots"
    roster = blocks(DOCS / "guides" / "class.md", "csv")[0]
    (folder / "roster.csv").write_text(roster)
    with zipfile.ZipFile(folder / "submissions.zip", "w") as file:
        for team, name, number, _ in csv.reader(roster.splitlines()[1:]):
            place = f"{name}_{number}_assignsubmission_file_/{team}.py"
            file.write(bots / "random_bot.py", place)
    (folder / "reports.csv").write_text(blocks(DOCS / "guides" / "class.md", "csv")[1])
    (folder / "worksheet.csv").write_text(
        "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Last modified (grade)\n"
        "Participant 100231,Ann Archer,ann@example.org,Submitted,,50.00,-\n"
    )
    (folder / "gradebook.csv").write_text(
        "Student,ID,SIS User ID,SIS Login ID,Section,Bots (1),Essay (2)\n"
        "Points Possible,,,,,50,10\n"
        '"Archer, Ann",901,100231,ann,A,,\n'
    )
    collected = f"collect {folder}/submissions.zip --out {folder}/BOTS --roster {folder}/roster.csv"
    assert main(shlex.split(collected)) == 0
    for name in ("bots", "LAST_YEAR"):
        (folder / name).mkdir()
        shutil.copy(bots / "random_bot.py", folder / name / "team7.py")
        shutil.copy(bots / "random_bot.py", folder / name / "team9.py")
    for name in ("team7", "team9", "second", "first"):
        shutil.copy(bots / "random_bot.py", folder / f"{name}.py")
    (folder / "given.py").write_text("import random\n")
    (folder / "old_bot.py").write_text("def move(self, board, old_move, flag):\n    print 'hello'\n    return 0, 0\n")
    shutil.copy(ROOT / "tests" / "logs" / "xtreme-prints.log", folder / "game.log")
    (folder / "my_games.py").write_text(blocks(DOCS / "adding-a-game.md", "python")[0])
    (folder / "solved_games.py").write_text(blocks(DOCS / "solved.md", "python")[0])
    return folder


@pytest.fixture(scope="module")
def played(folder):
    """The tournament of the guide for classes, played: some pages begin after it."""
    (command,) = [line for line in commands(DOCS / "guides" / "class.md") if "tournament run BOTS" in line]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main(shlex.split(command)[1:]) == 0
    return folder


@pytest.mark.parametrize("page", [page for page in PAGES if to_run(page)], ids=lambda page: page.stem)
def test_the_commands_of_a_page_run(page, played, monkeypatch, capsys):
    monkeypatch.chdir(played)
    (played / "old_bot_py3.py").unlink(missing_ok=True)  # more pages than one make it
    for line in to_run(page):
        monkeypatch.setattr(sys, "stdin", io.StringIO("quit\n"))
        code = main(shlex.split(line, comments=True)[1:])
        said = capsys.readouterr()
        assert code == 0, f"{line}\n{said.out}\n{said.err}"


@pytest.mark.parametrize(
    "page", [page for page in PAGES if blocks(page, "python") and page.name not in SHOWN_PROGRAMS], ids=lambda p: p.stem
)
def test_the_programs_of_a_page_run(page, tmp_path, monkeypatch, capsys):
    for package in NEEDS.get(page.name, []):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    programs = blocks(page, "python")
    if page.name == "adding-a-game.md":
        (tmp_path / "my_games.py").write_text(programs[0])
    text = "".join(run_program(code, capsys) for code in (programs if page.name in ALONE else ["\n".join(programs)]))
    for expected in PRINTS.get(page.name, []):
        assert re.search(expected, text, re.MULTILINE), expected
    for picture in tmp_path.glob("*.png"):
        assert picture.read_bytes().startswith(b"\x89PNG")


def test_nothing_is_excused_that_is_not_there():
    shown = [line.split(" #")[0].strip() for page in PAGES for line in commands(page)]
    for pattern in SHOWN_COMMANDS:
        assert any(re.search(pattern, line) for line in shown), pattern
    for name in SHOWN_PROGRAMS:
        assert any(page.name == name and blocks(page, "python") for page in PAGES), name
