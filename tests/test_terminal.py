"""Whatever a file, a name or a bot says, the operator's terminal is not commanded by it."""

import json
import re
from pathlib import Path

import pytest

import noughts
from noughts.cli import COMMANDS, main
from noughts.matches import Match
from noughts.matches.replays import to_data
from noughts.matches.store import open_store
from noughts.printable import one_line, printable
from noughts.rules.spec import Rules, RulesError

ESCAPE = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e\r\x08\x00\udc9b"
"""Sets the title, clears the screen, colours, turns the direction of writing, goes back; and what is no text."""
NAME = "e\x1b[31m\u202e\x9b\r"
"""The same for the name of a file, where the system allows it."""


OURS = {"count", "DEMO_FILE", "rules.name", "game.name", "file"}
"""What stands in suggested commands and is no text of others."""


def hostile(text):
    """The characters that no text of ours has."""
    return {char for char in text if not char.isprintable() and char not in "\n\t"}


def run(capsys, *args):
    """What a command says; it may refuse, and may not fail otherwise."""
    try:
        code = main([str(arg) for arg in args])
    except SystemExit as leave:
        code = leave.code
    out, err = capsys.readouterr()
    assert code in (0, 1, 2), err
    assert hostile(out) == set()
    assert hostile(err) == set()
    return out + err


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def bot():
    path = Path(f"{NAME}.py")
    line = f"    return -1  # {ESCAPE}".replace("\x00", "").replace("\r", "").replace("\udc9b", "")
    head = f"class Bot:\n  def move(self, board, old_move, flag):\n    print({ESCAPE!r})\n"
    path.write_text(f"{head}{line}\nx = 1  # {line}\n", encoding="utf-8")
    return path


@pytest.fixture
def replay():
    """A game of someone who put escapes wherever a file can have text."""
    match = Match(noughts.load_game("classic"), ("random", "random"), games=1, seed=1)
    from playing import played

    (record,) = played(match)
    data = to_data(record)
    data |= {"players": [f"x{ESCAPE}\nforged line", f"y{ESCAPE}"], "prints": {"0": ESCAPE, "1": ESCAPE}}
    data["warnings"] = [ESCAPE, None]
    data["moves"], data["seconds"] = data["moves"][:1], [0.0]
    fault = {"player": 1, "kind": "crash", "text": ESCAPE, "line": 1, "detail": ESCAPE, "loading": False}
    data["result"] = {"reason": "crash", "winner": 0, "points": [1, -1], "fault": fault}
    path = Path(f"{NAME}.json")
    path.write_text(json.dumps(data))
    return path


def test_a_name_cannot_pass_for_a_line_of_ours(capsys, replay):
    assert "\nforged" not in run(capsys, "replay", replay)


@pytest.mark.parametrize("prints", ["x", "o"])
def test_replays_and_logs(capsys, replay, prints):
    assert "wins" in run(capsys, "log", replay, "--prints", prints)
    assert "owned" in run(capsys, "replay", replay, "--json")
    assert "wins" in run(capsys, "replay", replay, "--grade")
    log = Path(f"{NAME}.log")
    log.write_text(f"Tic-Tac-Toe: {ESCAPE!s} (x) against o (o)\n\n1. x (x) plays 4{ESCAPE}, 1 s\n", errors="replace")
    run(capsys, "log", log)
    run(capsys, "convert", log, "--replay", f"out{NAME}.json")
    run(capsys, "convert", log)


def test_the_rules_of_a_game_in_a_file(capsys, replay):
    facts = json.loads(replay.read_text())
    rules = {"name": "mine", "title": f"Mine{ESCAPE}", "side": 3, "lines": [[0, 1, 2]], "summary": ESCAPE}
    replay.write_text(json.dumps(facts | {"rules": rules}))
    assert "it must be one line" in run(capsys, "log", replay)
    for fact in ("title", "summary"):
        with pytest.raises(RulesError, match=f"the {fact} is .*; it must be one line"):
            Rules(**({"name": "mine", "title": "Mine", "side": 3, "lines": ((0, 1, 2),)} | {fact: ESCAPE}))


def test_bots(capsys, bot):
    for game in ("extreme", "classic"):
        said = run(capsys, "check", bot, "--game", game)
        assert "a tournament would not admit this bot" in said
        run(capsys, "check", bot, "--game", game, "--json")
    assert "return -1" in run(capsys, "check", bot, "--game", "extreme")
    assert "wins" in run(capsys, "match", bot, "random", "--game", "extreme", "--log", f"log{NAME}")
    for kept in Path(f"log{NAME}").iterdir():
        assert hostile(kept.name) == set()
        run(capsys, "log", kept)
    run(capsys, "match", bot, f"{bot}:Nobody", "--game", "extreme", "--games", "1")
    assert "return -1" in run(capsys, "convert", bot, "--dry-run", "--python2")
    run(capsys, "convert", bot)
    run(capsys, "convert", ".", "-o", f"new{NAME}")
    run(capsys, "evaluate", bot, "--game", "wild", "--against", "random", "--games", "1", "--out", f"out{NAME}")


def test_runs_of_models(capsys):
    """The file of a run is a file like any other: its reasons and replies may be anybody's."""
    folder = Path(f"run{NAME}")
    args = ("evaluate", "random", "--game", "classic", "--against", "random", "--games", "2", "--out", folder)
    run(capsys, *args)
    path = folder / "transcript.jsonl"
    head, game, *rest = path.read_text().splitlines()
    exchange = {"kind": "exchange", "game": 0, "ply": 0, "player": 0, "reply": ESCAPE, "seconds": 1, "attempts": 1}
    exchange |= {"messages": [{"role": "user", "content": ESCAPE}], "valid": False, "finish": ESCAPE, "reason": ESCAPE}
    game = json.dumps(json.loads(game) | {"exchanges": [0]})
    path.write_text("\n".join([head, json.dumps(exchange), game, *rest]) + "\n")
    path.with_suffix(".noughts").unlink()
    assert "Invalid replies: 1 of" in run(capsys, *args)
    run(capsys, *args, "--html", f"page{NAME}.html")
    assert hostile(Path(f"page{NAME}.html").read_text()) == set()
    path.write_text(path.read_text() + json.dumps({"kind": ESCAPE}) + "\n")
    assert "is not a valid line of a run" in run(capsys, *args)


def test_training(capsys):
    folder = Path(f"run{NAME}")
    args = ("--episodes", 1000, "--no-plots")
    assert "episodes in" in run(capsys, "train", "classic", *args, "--out", folder)
    assert "episodes in" in run(capsys, "train", "--resume", folder, "--no-plots", "--episodes", 2000)
    run(capsys, "evaluate", f"q:{folder}", "--against", "random")
    run(capsys, "match", f"q:{folder}", "random", "--game", "classic", "--games", "2")
    run(capsys, "train", "classic", *args, "--track", ESCAPE)
    (folder / "model.q").write_text(ESCAPE, errors="replace")
    run(capsys, "train", "--resume", folder)


def test_play(capsys, monkeypatch, bot):
    answers = iter([ESCAPE, "help", "moves", "quit"])
    monkeypatch.setattr("builtins.input", lambda prompt: print(prompt) or next(answers))
    assert "To continue from here" in run(capsys, "play", "classic", "--opponent", "random")
    run(capsys, "play", "extreme", "--opponent", bot, "--second")


REFUSED = {
    "games": (ESCAPE,),
    "show": ("classic", ESCAPE),
    "play": (ESCAPE,),
    "solve": (ESCAPE,),
    "analyze": ("classic", ESCAPE),
    "evaluate": (ESCAPE, "--game", "classic"),
    "train": (ESCAPE,),
    "perft": ("classic", ESCAPE),
    "check": (f"{ESCAPE}.py", "--game", "classic"),
    "convert": (f"{ESCAPE}.py",),
    "match": (ESCAPE, "random", "--game", "classic"),
    "replay": (f"{ESCAPE}.json",),
    "log": (f"{ESCAPE}.json",),
    "bench": (ESCAPE,),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_what_every_command_refuses(capsys, command):
    """Errors quote what was given."""
    assert run(capsys, command, *REFUSED.get(command, (ESCAPE,))) != ""


def test_a_game_of_the_operator_with_a_title_that_is_none(capsys):
    Path(f"{NAME}.py").write_text(
        f"from noughts.rules.spec import Rules\nA = Rules('mine', {ESCAPE!r}, 3, ((0, 1, 2),))\n"
    )
    for command in ("show", "solve", "analyze"):
        assert "cannot be run" in run(capsys, command, f"{NAME}.py:A")


def test_one_line_keeps_no_line_break_and_both_cut():
    assert one_line("a\nb\tc\x1b") == "a b c\N{REPLACEMENT CHARACTER}"
    assert printable("a\nb\tc\x1b") == "a\nb\tc\N{REPLACEMENT CHARACTER}"
    assert len(printable("x" * 10_000)) == len(one_line("x" * 10_000)) == 300
    assert one_line("ключ 井 é") == "ключ 井 é"


def test_what_a_bot_says_cannot_stand_alone_as_a_line_of_ours(capsys):
    """Its text is wrapped where it likes, with spaces before what it wants to have said."""
    Path("liar.py").write_text(
        "def choose(state, clock):\n    raise ValueError('a' * 60 + ' random (o) wins by a line ' * 4)\n"
    )
    said = run(capsys, "match", "liar.py", "random", "--game", "classic", "--games", "2", "--log", "games")
    said += run(capsys, "check", "liar.py", "--game", "classic", "--quick")
    said += run(capsys, "log", *Path("games").glob("game-0001*.json"))
    said += run(capsys, "replay", *Path("games").glob("game-0001*.json"))
    assert "wins by a line" in said
    assert not [
        line for line in said.splitlines() if line.startswith(("random (o) wins", "wins by a line", "(o) wins"))
    ]


def test_every_suggested_command_is_quoted():
    for source in Path(noughts.__file__).parent.rglob("*.py"):
        for value in re.findall(r"[`\" ]noughts (?!is)[a-z][^`\"\n]*?\{([^}]*)", source.read_text(encoding="utf-8")):
            assert value.startswith("shell_quote(") or value in OURS, f"{source.name}: {value}"


def test_the_progress_bar_shows_names_as_they_are(monkeypatch, capsys):
    """Its library has a language of its own, in which a name could be a link."""
    from noughts.progress import progress

    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with progress("checking [link=https://example.org]bot[/link]") as tick:
        tick(0.5, "[bold]other")
    shown = capsys.readouterr().err
    assert "example.org]bot" in shown or "[bold]other" in shown
    assert "\x1b]8" not in shown


def test_a_folder_of_replays_is_named_by_printable_characters(tmp_path):
    from playing import played

    (record,) = played(Match(noughts.load_game("classic"), ("random", "random"), games=1))
    record.players = (f"--rf {ESCAPE}/../x", "y" * 5000)
    with open_store(tmp_path / "games") as store:
        store.add(record)
    names = [path.name for path in (tmp_path / "games").glob("game-*")]
    assert len(names) == 2
    assert all(name.startswith("game-0001-") and not hostile(name) and len(name) < 256 for name in names)
