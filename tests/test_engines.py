"""Programs as players: ugi:PROGRAM and cg:PROGRAM. They are trusted to run, and not to behave."""

import io
import runpy
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tournament_play import tournament_in

import noughts
from noughts.cli import main
from noughts.course.rules import gate_of
from noughts.files import usable_cores
from noughts.matches.replays import to_json
from noughts.matches.runner import match_games
from noughts.matches.schedule import Match
from noughts.players import listed_player
from noughts.sandbox import BotLimits
from noughts.tournaments.organiser import enter_players, run_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
ENGINES = Path(__file__).parent / "engines"


@pytest.fixture
def program(tmp_path):
    """Names a test engine, as a copy whose path no other process has. None of its processes may be left at the end."""

    def name(protocol, how="good", options=""):
        file = shutil.copy(ENGINES / f"{protocol}_engine.py", tmp_path)
        return f"{protocol}:{shlex.join([sys.executable, file, how])}?name={protocol}{options}"

    yield name
    assert gone(tmp_path)


def processes(folder):
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = each.read_bytes()
        except OSError:
            continue
        if str(folder).encode() in words:
            found.append(words)
    return found


def gone(folder):
    """Whether all processes of the folder end; one that was killed takes a moment."""
    for _ in range(3000):
        if not processes(folder):
            return True
        time.sleep(0.02)
    return False


def play(game, *players, games=2, seconds=60.0, **more):
    return list(match_games(Match(noughts.load_game(game), players, games, BotLimits(seconds), seed=1, **more)))


def test_an_engine_plays_a_match(program):
    records = play("classic", program("ugi"), "random", games=4)
    assert [record.fault for record in records] == [None] * 4
    assert records[0].moves[0] == 0  # the first free cell
    assert {name for record in records for name in record.players} == {"ugi", "random"}


@pytest.mark.skipif(usable_cores() < 2, reason="one core")
def test_engines_play_in_worker_processes_too(program):
    assert all(record.fault is None for record in play("classic", program("ugi"), "random", games=2, jobs=2))


FAULTS = {
    "hang": ("time", "no answer within its limit"),
    "crash": ("crash", "ended its own process (exit status 3)"),
    "segfault": ("crash", "ended its own process (SIGSEGV)"),
    "flood": ("crash", "wrote more than 4 MB, or an endless line"),
    "endless line": ("crash", "wrote more than 4 MB, or an endless line"),
    "lie": ("invalid", "it answered 'bestmove"),
    "mute": ("invalid", "it answered 'bestmove'"),
}


@pytest.mark.parametrize("how", FAULTS)
def test_a_faulty_engine_forfeits_with_a_reason_and_is_started_again(program, how):
    kind, text = FAULTS[how]
    records = play("classic", program("ugi", how), "random", seconds=0.3 if how == "hang" else 60.0)
    assert [record.fault.kind for record in records] == [kind, kind]  # the second game had an engine too
    assert text in records[0].fault.text
    assert records[0].faulty == records[0].seat_of("ugi")


def test_an_answer_to_an_earlier_question_is_none_to_this_one(program):
    assert all(record.fault is None for record in play("classic", program("ugi", "twice"), "random"))


def test_an_engine_that_does_not_quit_is_ended(program):
    assert play("classic", program("ugi", "stays"), "random", games=1)[0].fault is None


def test_what_an_engine_writes_to_standard_error_is_in_the_record(program):
    overhead_player = program("ugi", options="&Move Overhead=20")
    (record,) = play("classic", overhead_player, "random", games=1)
    assert record.prints[0] == "received setoption name Move Overhead value 20\n"
    (noisy,) = play("classic", program("ugi", "noisy"), "random", games=1)
    assert noisy.prints[0].startswith("thinking about it\N{REPLACEMENT CHARACTER}[2J!!!")
    assert len(noisy.prints[0]) <= 4000
    (crashed,) = play("classic", program("ugi", "crash"), "random", games=1)
    assert crashed.fault.detail == crashed.prints[2] == "something broke\n"


def test_what_cannot_be_played_is_refused_before_any_game(program, monkeypatch):
    with pytest.raises(ValueError, match="ugi has no option 'Hash'; its own options are Move Overhead"):
        play("classic", program("ugi", options="&Hash=64"), "random")
    with pytest.raises(ValueError, match="ended its own process"):
        play("classic", "ugi:true", "random")
    monkeypatch.setattr("noughts.players.engines.START_SECONDS", 0.3)
    with pytest.raises(ValueError, match="ugi cannot play: out of time: no ugiok within"):
        play("classic", program("ugi", "silent"), "random")
    for name, reason in {
        "ugi:./nothing-here": "there is no program './nothing-here'",
        "ugi:": "does not name a program",
        "ugi:'": "cannot be split into words",
        "ugi:true?notation=uci": "notation must be a1",
        "ugi:true?nodes=0": "nodes must be 1 or more",
        "cg:true?Hash=1": "has no option 'Hash'",
    }.items():
        with pytest.raises(ValueError, match=reason.replace("?", r"\?")):
            noughts.make_player(name)


def test_a_game_goes_to_an_engine_as_moves_and_a_position_as_text(program):
    engine = noughts.make_player(program("ugi", options="&nodes=1"))
    try:
        state = noughts.load_game("classic").from_string(".../.../... p0")
        assert engine.choose(state, noughts.Clock()) == 0
        assert engine._position(state.child(4)) == "position startpos moves 4"
        assert engine._position(state.game.from_string("X../.../... p1")) == "position fen X../.../... p1"
    finally:
        engine.close()


def test_engines_that_write_a1_are_understood():
    player = noughts.make_player("ugi:true?notation=a1")
    state = noughts.load_game("ultimate").new_initial_state()
    state.apply_action(state.string_to_action("4,3"))
    assert player._position(state) == "position startpos moves d5"
    with pytest.raises(ValueError, match="notation=a1 is for games of one nested board, not for classic"):
        player.prepare(noughts.load_game("classic"))


@pytest.mark.parametrize("game", ["ultimate", "ultimate-boards"])
def test_a_codingame_program_plays(program, game):
    records = play(game, program("cg"), "random")
    assert [record.fault for record in records] == [None, None]
    first, second = (record.prints[0 if record.seat_of("cg") == 0 else 1] for record in records)
    assert first == "opponent: -1 -1, moves: 81\n"
    assert second.startswith("opponent: ")
    assert records[0].moves[0] == 0


def test_a_codingame_program_that_lies_forfeits(program):
    (record,) = play("ultimate", program("cg", "lie"), "random", games=1)
    assert (record.fault.kind, record.fault.text) == ("invalid", "invalid move: it answered '9 9'")


def test_a_codingame_program_gets_no_openings_and_no_other_games(program):
    with pytest.raises(ValueError, match="not for xtreme"):
        play("xtreme", program("cg"), "random")
    with pytest.raises(ValueError, match="CodinGame's protocol has no positions or openings"):
        play("ultimate", program("cg"), "random", opening=4)
    assert (
        main(["match", program("cg"), "alphabeta:depth=1", "--game", "ultimate", "--games", "4", "--time", "60"]) == 0
    )


def test_the_benchmark_prints_a_table_of_what_is_named(program, capsys):
    script = runpy.run_path(str(ENGINES.parents[1] / "benchmarks" / "engines.py"))
    script["main"]([program("cg"), "random", "--against", "greedy", "--games", "2", "--time", "5"])
    *_, cg, other = capsys.readouterr().out.splitlines()
    assert [cell.strip() for cell in cg.split("|")][1:3] == ["cg", "5 s"]
    assert other.startswith("| random | 5 s | +")


@pytest.mark.skipif(not shutil.which("g++"), reason="no C++ compiler")
def test_a_compiled_program_plays(tmp_path):
    binary = tmp_path / "last"
    subprocess.run(["g++", "-o", binary, ENGINES / "cg_engine.cpp"], check=True)
    (record,) = play("ultimate", f"cg:{binary}", "random", games=1)
    assert record.fault is None
    assert record.moves[0] == 80
    assert gone(tmp_path)


def test_noughts_plays_itself_over_ugi(tmp_path):
    noughts_ugi = f"ugi:{shlex.join([sys.executable, '-m', 'noughts.cli', 'ugi', '--game', 'classic'])}?nodes=500"
    (record,) = play("classic", noughts_ugi, "perfect", games=1)
    assert record.fault is None
    assert record.winner is None


def test_an_engine_ends_with_the_process_that_started_it(program, tmp_path):
    code = (
        "import noughts, os, signal, sys\n"
        "player = noughts.make_player(sys.argv[1])\n"
        "player.prepare(noughts.load_game('classic'))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", code, program("ugi", "stays")], check=False)
    assert gone(tmp_path)


def test_an_engine_has_one_core_and_no_keys(program, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    engine = noughts.make_player(program("ugi"))
    engine.prepare(noughts.load_game("classic"))
    try:
        folder = Path("/proc", str(engine._engine._process.pid))
        assert b"secret" not in (folder / "environ").read_bytes()
        cores = next(line for line in (folder / "status").read_text().splitlines() if "Cpus_allowed_list" in line)
        assert cores.split()[1].isdecimal()
        while (folder / "stat").read_text().rpartition(")")[2].split()[0] != "T":
            time.sleep(0.01)  # it is stopped until it is asked
    finally:
        engine.close()


def test_an_engine_plays_a_tournament_if_the_command_line_names_it(program, tmp_path, monkeypatch):
    name = program("ugi")
    tournament = tournament_in(tmp_path / "class.noughts", players=("random", "greedy"))
    enter_players(tournament, [name], staff=True)
    records = list(run_of(tournament, gate_of(tournament), trusted=[name]).play())
    assert any("ugi" in record.players and record.fault is None for record in records)
    monkeypatch.setattr("noughts.players.engines.start_program", None)
    with pytest.raises(ValueError, match="to allow that, pass --staff"):
        run_of(tournament, gate_of(tournament))


@pytest.mark.parametrize("text", ["ugi:true", "cg:true", "UGI:true", " ugi:true", "ugi:./x.py"])
def test_only_the_command_line_names_programs(text, monkeypatch):
    """A page, a saved game, a tournament file, an adapter and a model choose by `listed_player`."""
    monkeypatch.setattr("noughts.players.engines.start_program", None)
    with pytest.raises(ValueError, match="there is no player"):
        listed_player(text)


def test_a_page_offers_no_programs(capsys):
    assert main(["serve", "--player", "ugi:true"]) == 2
    assert "is a program, which the page cannot start" in capsys.readouterr().err


def test_a_saved_game_starts_no_program(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("noughts.players.engines.start_program", None)
    (record,) = play("classic", "random", "greedy", games=1)
    record.players, record.reason, record.moves, record.seconds = ("you", "ugi:true"), "unfinished", [0, 4], [0.0, 0.0]
    record.winner, record.points = None, (0, 0)
    (tmp_path / "game.json").write_text(to_json(record))
    monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
    main(["play", str(tmp_path / "game.json"), "--typed"])
    assert "ugi:true" not in capsys.readouterr().out
