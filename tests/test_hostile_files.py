"""Files that somebody else made: too large, too deep, of the wrong kind, not what they seem. Each is a sentence."""

import copy
import gzip
import json
import os
import random
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playing import played

import noughts
from noughts.cli import main
from noughts.course.game_files import load_any
from noughts.evaluation import Plan, open_run
from noughts.files import slug, slugs, write_whole
from noughts.matches import Match, ReplayError, read_run
from noughts.matches.replays import from_data, from_json, load, to_data, to_json
from noughts.rules.spec import Rules
from noughts.sandbox.source import MAX_BYTES, read_bot
from noughts.untrusted import FileKind, parse_json, read_untrusted, unpack

HUGE = 10**400
VALUES = [
    *(None, True, -1, 2**63, HUGE, 10**4200, 1.5, 1e308, float("inf"), float("nan"), "", "x", "x" * 10_000, "\x1b[2J"),
    *([], {}, [[]], [HUGE], {"a": HUGE}, [None], ["x"], [1e999], [-1]),
]
EXCHANGE = {
    "ply": 0,
    "player": 0,
    "messages": [{"role": "user", "content": "?"}],
    "reply": "[4]",
    "seconds": 0.5,
    "attempts": 1,
    "prompt_tokens": 3,
    "completion_tokens": 4,
    "finish": "stop",
    "failure": None,
    "valid": True,
    "reason": None,
}


@pytest.fixture(scope="module")
def data():
    (record,) = played(Match(noughts.load_game("classic"), ("random", "greedy"), games=1, seed=3))
    return {**to_data(record), "exchanges": [EXCHANGE], "number": 1, "round": 1, "opening": 1}


def places(value, path=()):
    """Every place in plain data."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inside in items:
        yield from places(inside, (*path, key))


def outcome(act, *args):
    """What a reader returns, and what it says if it refuses: a ValueError, as documented."""
    try:
        return act(*args), ""
    except ValueError as error:
        return None, str(error)


def put(value, path, new):
    if not path:
        return new
    changed = copy.copy(value)
    changed[path[0]] = put(value[path[0]], path[1:], new)
    return changed


@pytest.mark.parametrize("faulty", [False, True])
def test_any_value_anywhere_in_a_replay_is_a_sentence_or_a_game(data, faulty):
    if faulty:
        fault = {"player": 0, "kind": "crash", "text": "crashed", "line": 3, "detail": "trace", "loading": False}
        points = {"reason": "crash", "winner": 1, "points": [-1, 1], "fault": fault}
        data = {**data, "moves": data["moves"][:2], "seconds": [0, 0], "result": points}
    from_data(data)
    kept = 0
    for path in places(data):
        for value in VALUES:
            record, said = outcome(from_data, put(data, path, value))
            assert len(said) < 1000
            if record is None:
                continue
            kept += 1
            assert from_json(to_json(record)).moves == record.moves
    assert kept > 10


@pytest.mark.parametrize("where", ["seconds", "seed", "number", "round", "opening"])
def test_numbers_of_400_digits_in_a_replay_are_refused(data, tmp_path, capsys, where):
    changed = {**data, where: [HUGE] * len(data["moves"]) if where == "seconds" else HUGE}
    path = tmp_path / "game.json"
    path.write_text(json.dumps(changed))
    for command in ("log", "replay"):
        assert main([command, str(path)]) == 2
        assert "is not a valid replay" in capsys.readouterr().err


DEEP = [
    "[" * 200_000,
    '{"a":' * 50_000,
    '{"format":"noughts-replay","version":1,"rules":{"lines":' + "[" * 900 + "]" * 900 + "}}",
]


@pytest.mark.parametrize("text", [*DEEP, "9" * 5000, "", "\x00", "null", "[]", '"x"', "{}"])
def test_texts_that_are_no_replay(tmp_path, capsys, text):
    with pytest.raises(ReplayError):
        from_json(text)
    path = tmp_path / "game.json"
    path.write_text(text)
    assert main(["log", str(path)]) == 2
    assert len(capsys.readouterr().err) < 1000


@pytest.mark.parametrize("read", [load, load_any])
def test_no_more_of_a_file_is_read_than_can_be_a_replay(tmp_path, monkeypatch, read):
    path = tmp_path / "game.json"
    path.write_bytes(b"")
    os.truncate(path, 3 << 30)  # a file of zeros that takes no room
    for name in (path, "/dev/zero"):
        with pytest.raises(ReplayError, match=r"the maximum for .* is 16 MB"):
            read(name)


@pytest.mark.parametrize(
    ("prints", "why"), [({str(n): "" for n in range(1000)}, "and 1000 prints"), ({"999": ""}, "a print at move 999")]
)
def test_prints_beyond_the_game_are_refused(data, prints, why):
    with pytest.raises(ReplayError, match=why):
        from_data(data | {"prints": prints})


def test_rules_with_one_long_line_are_judged_at_once():
    """There are 300 million ways to fill that line, and they are counted, not listed."""
    facts = {"side": 4, "lines": (tuple(range(16)),), "marks": "ABCDEFGHIJKLMNOP", "places": ("ABCDEFGHIJKLMNOP",) * 2}
    for target in (15, 16, 100, 256, 257):
        said = outcome(lambda target=target: Rules("long", "Long", **facts, line_sum=target))[1]
        assert ("no line can be worth" in said) == (target in (15, 257))


@pytest.fixture
def run_file(tmp_path):
    with open_run(tmp_path / "run", Plan("classic", "random", "random", games=2, seed=1)) as opened:
        for record in played(Match(noughts.load_game("classic"), ("random", "random"), games=2, seed=1)):
            opened.add(record)
    return opened.path


def test_any_value_anywhere_in_the_file_of_a_run_is_a_sentence_or_a_run(run_file):
    head, game, _ = run_file.read_text().splitlines()
    game = {**json.loads(game), "exchanges": [0]}
    exchange = {"kind": "exchange", "game": 0, **EXCHANGE}
    choose = random.Random(1)
    refused = 0
    for line in (json.loads(head), exchange, game):
        for path in places(line):
            for value in choose.sample(VALUES, 8):
                changed = json.dumps(put(line, path, value))
                lines = [changed if each is line else json.dumps(each) for each in (exchange, game)]
                first = changed if line.get("kind") == "run" else head
                run_file.write_text("\n".join([first, *lines]) + "\n")
                said = outcome(read_run, run_file)[1]
                assert len(said) < 2000
                refused += said != ""
    assert refused > 100


@pytest.mark.parametrize("count", ["prompt_tokens", "completion_tokens", "attempts", "ply", "player"])
def test_token_counts_of_thousands_of_digits_are_refused(run_file, count):
    """Their sum would have more digits than Python writes."""
    line = json.dumps({"kind": "exchange", "game": 0, **EXCHANGE, count: 0}).replace(
        f'"{count}": 0', f'"{count}": {"9" * 4299}'
    )
    with open(run_file, "a") as file:
        file.write(line + "\n")
    with pytest.raises(ValueError, match="line 4 of"):
        read_run(run_file)


@pytest.mark.parametrize("messages", [[], [{}], [{"role": "user"}], [{"content": 3}], ["x"], {}, None])
def test_exchanges_without_a_question_are_refused(run_file, messages):
    with open(run_file, "a") as file:
        file.write(json.dumps({"kind": "exchange", "game": 0, **EXCHANGE, "messages": messages}) + "\n")
    with pytest.raises(ValueError, match="line 4 of"):
        read_run(run_file)


def test_no_more_of_a_bot_is_read_than_a_bot_can_be(tmp_path):
    path = tmp_path / "bot.py"
    path.write_bytes(b"")
    os.truncate(path, 3 << 30)
    with pytest.raises(ValueError, match=r"the maximum for .* is 1 MB"):
        read_bot(str(path))
    path.write_bytes(b"#" * MAX_BYTES)
    assert len(read_bot(str(path)).text) == MAX_BYTES


def test_a_bot_that_is_a_link_shows_nothing_of_what_it_leads_to(tmp_path, capsys):
    """Whoever hands in a link may not read the file, and would be shown the line that is no Python."""
    secret = tmp_path / "secret"
    secret.write_text("root:hash:of:a:password\n")
    link = tmp_path / "bot.py"
    link.symlink_to(secret)
    for command in (["check", str(link), "--game", "classic"], ["match", str(link), "random", "--game", "classic"]):
        assert main(command) == 2
        said = capsys.readouterr()
        assert "is a link" in said.err
        assert "password" not in said.out + said.err
    assert main(["convert", str(link)]) == 2
    capsys.readouterr()
    os.mkfifo(tmp_path / "pipe.py")
    with pytest.raises(ValueError, match="not an ordinary file"):
        read_bot(str(tmp_path / "pipe.py"))
    (tmp_path / "folder.py").mkdir()
    with pytest.raises(ValueError, match=r"not an ordinary file|cannot be read"):
        read_bot(str(tmp_path / "folder.py"))


def test_names_as_long_as_file_systems_take_them(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = "b" * 247
    Path(f"{name}.py").write_text("def choose(state, clock):\n    return state.legal_actions()[0]\n")
    assert main(["match", f"{name}.py", f"{name}.py", "--game", "classic", "--log", "games", "--seed", "1"]) == 0
    assert len(list(Path("games").glob("game-*"))) == 4
    capsys.readouterr()
    assert main(["log", str(next(Path("games").glob("*.json")))]) == 0
    write_whole(Path("w" * 255), b"whole")
    assert Path("w" * 255).read_bytes() == b"whole"
    assert main(["log", "x" * 300]) == 2
    assert main(["match", "x" * 300 + ".py", "random", "--game", "classic"]) == 2


@pytest.mark.parametrize("command", ["log", "replay"])
def test_files_whose_names_look_like_options(tmp_path, capsys, monkeypatch, data, command):
    monkeypatch.chdir(tmp_path)
    Path("--prints.json").write_text(json.dumps(data))
    with pytest.raises(SystemExit) as leave:
        main([command, "--prints.json"])
    assert leave.value.code == 2
    assert "for the file --prints.json, write ./--prints.json" in capsys.readouterr().err
    for named in (["./--prints.json"], ["--", "--prints.json"]):
        assert main([command, *named]) == 0


def test_what_a_file_names_is_not_run(data, tmp_path, capsys):
    """Neither as a game nor as a player: see also test_game_names."""
    evil = tmp_path / "evil.py"
    evil.write_text(f"from pathlib import Path\nPath({str(tmp_path / 'ran')!r}).touch()\n")
    path = tmp_path / "game.json"
    for value in (f"{evil}:X", str(evil), f"q:{evil}", f"llm:x?base_url=file://{evil}"):
        for changed in ({**data, "game": value}, {**data, "players": [value, value]}):
            path.write_text(json.dumps(changed))
            for command in (["log"], ["replay"], ["replay", "--grade"]):
                main([*command, str(path)])
    folder = tmp_path / "run"
    open_run(folder, Plan("classic", "random", "random", games=2, seed=1)).close()
    kept = folder / "transcript.jsonl"
    for name in ("player", "against", "game"):
        kept.write_text(kept.read_text().replace(f'"{name}":"', f'"{name}":"{evil}:', 1))
        with pytest.raises(ValueError, match="contains an evaluation with"):
            open_run(folder, Plan("classic", "random", "random", games=2))
    capsys.readouterr()
    assert not (tmp_path / "ran").exists()


KIND = FileKind("a note", 5_000, nodes=100, unpacked=6_000)


def test_a_bound_says_what_it_bounds(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"1" * KIND.size)
    assert read_untrusted(path, KIND) == b"1" * KIND.size
    path.write_bytes(b"1" * (KIND.size + 1))
    with pytest.raises(ValueError, match=r"is too large; the maximum for a note is 4 KB"):
        read_untrusted(path, KIND)
    with pytest.raises(ValueError, match=r"the maximum for a note is 4 KB"):
        read_untrusted("/dev/zero", KIND)


@pytest.mark.parametrize("pack", [zlib.compress, gzip.compress])
def test_data_is_unpacked_no_further_than_its_bound(pack):
    assert unpack(pack(b"1" * KIND.unpacked), KIND) == b"1" * KIND.unpacked
    for data, why in (
        (pack(bytes(100 << 20)), "too large when unpacked; the maximum for a note is 5 KB"),
        (pack(b"1" * 5000)[:-9], "is incomplete"),
        (b"1234", "is damaged"),
    ):
        with pytest.raises(ValueError, match=why):
            unpack(data, KIND)


def built(monkeypatch):
    """The texts that JSON is built from."""
    seen = []
    monkeypatch.setattr("noughts.untrusted.json.loads", seen.append)
    return seen


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[" + "[]," * 100 + "[]]", "too many values; the maximum for a note is 100"),
        ("[" + "0," * 101 + "0]", "too many values"),
        ('["' + '","' * 101 + '"]', "too many values"),
        ('{"":{' * 60, "too many values"),
        ("[" * 33 + "]" * 33, "more than 32 levels deep"),
        ('{"a":' * 33 + "0" + "}" * 33, "more than 32 levels deep"),
        ("]" * 4000, "not JSON"),
        (("[" + "[]," * 100 + "[]]").encode("utf-16"), None),
    ],
)
def test_nothing_is_built_of_json_that_is_too_large_or_too_deep(monkeypatch, text, why):
    seen = built(monkeypatch)
    with pytest.raises(ValueError, match=why):
        parse_json(text, KIND)
    assert not seen


def test_brackets_in_strings_are_no_values():
    said = {"a": '[[["\\', "b,:": "{" * 500 + "," * 500, '"': ["\ud800", "é"]}
    for text in (json.dumps(said), json.dumps(said, ensure_ascii=False), json.dumps(said).encode()):
        assert parse_json(text, KIND) == said


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(max_size=3), inside, max_size=3),
    max_leaves=9,
)


@given(values)
def test_json_within_its_bounds_is_read_as_it_is(value):
    assert parse_json(json.dumps(value), KIND) == value


LISTS = ",".join(["[]"] * 300_000)


def test_a_replay_of_empty_lists_is_refused_before_it_is_built(tmp_path, capsys, monkeypatch):
    """15 MB of them would take 0.7 GB."""
    (tmp_path / "game.json").write_text(f'{{"format":"noughts-replay","version":1,"x":[{LISTS}]}}')
    seen = built(monkeypatch)
    assert main(["log", str(tmp_path / "game.json")]) == 2
    assert "has too many values; the maximum for a replay is 262,144" in capsys.readouterr().err
    assert not seen


def test_a_line_of_a_run_is_refused_before_it_is_built(run_file, capsys, monkeypatch):
    """56 MB of them would take 2 GB."""
    with open(run_file, "a") as file:
        file.write(f'{{"kind":"game","exchanges":[{LISTS}]}}\n')
    said = outcome(read_run, run_file)[1]
    assert "line 4 of" in said
    assert "is 262,144" in said


def test_an_exchange_has_few_messages(run_file):
    with open(run_file, "a") as file:
        file.write(
            json.dumps({"kind": "exchange", "game": 0, **EXCHANGE, "messages": EXCHANGE["messages"] * 101}) + "\n"
        )
    with pytest.raises(ValueError, match="line 4 of"):
        read_run(run_file)


@given(st.text(max_size=80))
def test_a_slug_is_a_name_that_every_system_takes(text):
    name = slug(text, 60)
    assert name == slug(name, 60)
    assert 0 < len(name.encode()) <= 61
    assert not set(name) & set('/\\:*?"<>| \0\n')
    assert name[0] not in "-."
    assert name[-1] != "."


def test_slugs_are_different_everywhere():
    assert slugs(["Team 7", "team/7", "team-7", "../..", "", "aux", "AUX.py", "münchen"]) == [
        *("Team-7", "team-7-2", "team-7-3", "_", "_-2", "_aux", "_AUX.py", "münchen")
    ]
