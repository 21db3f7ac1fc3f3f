"""The report: who sees what, what it says of teams, how large it is, and positions that a bot can be tried on."""

import base64
import gzip
import json
import random
import re
import shutil
from dataclasses import replace

import pytest
from hostile_class import FOREIGN, HOSTILE, LONG, NAME, SECRET, played
from test_cli import run_command

import noughts
from noughts.analysis import Evaluation
from noughts.analysis.mistakes import ALLOWED_WIN, COSTLY, Habits, Mistake, Review
from noughts.analysis.puzzles import Puzzle, read_positions, to_json
from noughts.course.marks import Mark, marks_of
from noughts.matches.page import game_page
from noughts.matches.record import GameRecord
from noughts.matches.replays import load
from noughts.matches.replays import to_json as replay_json
from noughts.report import gather, match_page, write_report
from noughts.report._gather import _faults
from noughts.report._patterns import ReviewedGame, patterns
from noughts.sandbox import Fault
from noughts.tournaments import reviews
from noughts.tournaments.puzzles import costly_mistakes
from noughts.tournaments.store import TournamentFile
from noughts.tournaments.view import TournamentView
from noughts.tournaments.visibility import PUBLIC, STAFF, team


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A tournament of four, one of whom crashes; all games analysed."""
    path = tmp_path_factory.mktemp("class") / "class.noughts"
    tournament = played(path)
    list(reviews.review_all(tournament, reviews.unreviewed_games(tournament)))
    tournament.file.close()
    return path


def packed(page):
    """What lies in a page: its head, and its games."""
    head = json.loads(re.search(r'id="data-head">(.*?)</script>', page, re.S)[1])
    games = re.search(r'id="packed-games">(.*?)</script>', page, re.S)[1]
    return head, json.loads(gzip.decompress(base64.b64decode(games)))


def report_for(file, audience, tmp_path):
    with TournamentFile(file) as opened:
        (path,) = write_report(
            gather(
                TournamentView(opened.tournament()),
                audience,
                map(Mark.to_data, marks_of(TournamentView(opened.tournament()))),
            ),
            tmp_path / "report.html",
        )
    return path.read_text()


def test_a_report_has_standings_games_and_what_the_engine_found(file, tmp_path):
    head, data = packed(report_for(file, STAFF, tmp_path))
    assert {team["name"] for team in head["teams"]} == {NAME, LONG, FOREIGN, "greedy"}
    assert len(head["games"]) == len(data["games"]) == head["reviewed"] == 12
    assert all(team["elo_low"] <= team["elo"] <= team["elo_high"] for team in head["teams"])
    crashes = [fault for fault in head["faults"] if fault["kind"] == "crash"]
    assert sum(fault["count"] for fault in crashes) >= 1
    assert head["teams"][crashes[0]["team"]]["name"] == LONG
    some = next(iter(data["games"].values()))
    assert len(some["values"]) == len(some["cells"]) + 1
    place = next(n for n, team in enumerate(head["teams"]) if team["name"] == LONG)
    assert any("were forfeits" in said and "by a crash" in said for said in head["patterns"][place])


def test_marks_and_positions_are_for_the_staff_and_their_own_team(file, tmp_path):
    head, data = packed(report_for(file, STAFF, tmp_path))
    assert {mark["name"] for mark in head["marks"]} == {NAME, LONG, FOREIGN, "greedy"}
    assert all(mark["marks"] == pytest.approx(sum(part["marks"] for part in mark["parts"])) for mark in head["marks"])
    shown = [puzzle for puzzles in head["puzzles"] for puzzle in puzzles]
    assert shown
    for number, ply in shown:
        assert ply in [mistake[0] for mistake in data["games"][str(number)]["mistakes"]]
    head, _ = packed(report_for(file, team(FOREIGN), tmp_path))
    assert [mark["name"] for mark in head["marks"]] == [FOREIGN]
    assert [bool(puzzles) for n, puzzles in enumerate(head["puzzles"]) if head["teams"][n]["name"] != FOREIGN] == [
        False
    ] * 3
    head, _ = packed(report_for(file, PUBLIC, tmp_path))
    assert not head["marks"]
    assert not any(head["puzzles"])


def test_one_fault_is_one_row_whatever_was_allowed_then():
    game, reviewed = noughts.load_game("classic"), []
    for number, allowed in enumerate(("1, 2", "2, 3", "5"), 1):
        text = f"invalid move: it returned 9; allowed: an action, an int: {allowed}"
        record = GameRecord(game, ("ants", "bees"), 1)
        record.end_by_fault(0, Fault("invalid", text))
        reviewed.append(ReviewedGame(number, "league", 1, 1, record, None))
    (row,) = _faults(reviewed, {"ants": 0, "bees": 1})
    assert (row["text"], row["count"], row["games"]) == ("invalid move: it returned 9", 3, [1, 2, 3])
    (row,) = _faults(reviewed[:1], {"ants": 0, "bees": 1})
    assert row["text"].endswith("1, 2"), "alone, it says what was allowed"


def words_in(data):
    """All prints, and all texts of faults."""
    found = []
    for game in data["games"].values():
        found += game.get("prints", {}).values()
        if "fault" in game:
            found += [game["fault"][2], game["fault"][4]]
    return " ".join(found)


def test_staff_see_all_words_a_team_its_own_and_the_public_nobodys(file, tmp_path):
    _, staff = packed(report_for(file, STAFF, tmp_path))
    assert SECRET in words_in(staff)
    assert HOSTILE in words_in(staff)
    head, own = packed(report_for(file, team(FOREIGN), tmp_path))
    assert SECRET in words_in(own)
    assert HOSTILE not in words_in(own)
    assert "KeyError" not in words_in(own)
    assert len(own["games"]) == 6, "its own games"
    assert [bool(said) for said in head["patterns"]].count(True) <= 1
    assert {fault["text"] for fault in head["faults"]} == {"crashed"}
    page = report_for(file, PUBLIC, tmp_path)
    head, public = packed(page)
    assert set(words_in(public).split()) == {"crashed"}
    assert len(public["games"]) == 12
    assert not any(head["patterns"])
    assert SECRET not in page
    assert SECRET not in json.dumps(public)


def test_nothing_of_others_is_markup_and_the_policy_names_every_script(file, tmp_path):
    page = report_for(file, STAFF, tmp_path)
    assert HOSTILE not in page
    assert "<img" not in page
    assert "<i>spring" not in page
    assert "&lt;i&gt;spring&lt;/i&gt; &amp; co" in page
    policy = re.search(r'Security-Policy" content="([^"]*)"', page)[1]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    run = re.findall(r'<script type="module">', page)
    assert len(run) == len(re.findall("sha256-", policy.split("style-src")[0])) == 1
    assert not re.search(r"""(?:src|href)=["'](?:https?:)?//""", page), "nothing from anywhere else"


def test_a_report_that_is_too_large_is_a_folder_of_pages(file, tmp_path):
    with TournamentFile(file) as opened:
        written = write_report(gather(TournamentView(opened.tournament())), tmp_path / "large.html", most=1000)
    assert written[0] == tmp_path / "large" / "index.html"
    assert len(written) == 5
    head, data = packed(written[0].read_text())
    assert data["games"] == {}
    assert head["pages"]["2"] == "team-3.html"
    head, data = packed(written[3].read_text())
    assert head["only"] == 2
    assert len(data["games"]) == 6


def test_870_games_of_the_longest_kind_fit_in_five_megabytes():
    """In proportion: 29 random games of extreme, which are longer than those of people who play well."""
    game, chance, records = noughts.load_game("extreme"), random.Random(1), []
    for number in range(29):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(chance.choice(state.legal_actions()))
        seconds = [chance.random() * 16 for _ in state.history()]
        record = GameRecord(game, ("ann", "bob"), moves=state.history(), seconds=seconds, number=number)
        record.end_by_rules(state)
        records.append(record)
    plies = [len(record.moves) for record in records]
    review = {n: _review(count, chance) for n, count in enumerate(plies)}
    page, empty = match_page(records, 16.0, review), match_page(records[:1], 16.0)
    assert len(empty) + 30 * (len(page) - len(empty)) < 5_000_000


def _review(plies, chance):
    evaluations = tuple(Evaluation(chance.uniform(-1, 1), False, None, (0,)) for _ in range(plies + 1))
    line = tuple(chance.randrange(256) for _ in range(8))
    best, worse = Evaluation(0.3, False, None, line), Evaluation(-0.1, False, None, ())
    mistakes = tuple(Mistake(ply, ply % 2, COSTLY, best, worse) for ply in range(0, plies, 8))
    return Review(evaluations, mistakes, (Habits(), Habits()), 1)


# What it says.


def reviewed_game(number, players, points, *, decisive=None, open_given=(0, 0), seconds=0.2, fault=None):
    """A game of 60 moves in words."""
    game = noughts.load_game("ultimate")
    state, chance = game.new_initial_state(), random.Random(4)
    while len(state.history()) < 60 and not state.is_terminal():
        state.apply_action(chance.choice(state.legal_actions()))
    moves = state.history()
    record = GameRecord(game, players, moves=moves, seconds=[seconds] * len(moves), points=points, reason="line")
    if fault is not None:
        record.end_by_fault(fault, Fault("time", "out of time"))
    loser = int(points[0] > points[1])
    best, worse = Evaluation(0.5, True, None, (1,), loser), Evaluation(-1.0, True, None, (), loser)
    mistakes = () if decisive is None else (Mistake(decisive, loser, ALLOWED_WIN, best, worse, True),)
    habits = Habits(30, 0, 0, open_given[0]), Habits(30, 0, 0, open_given[1])
    review = Review((Evaluation(0.0, False, None, ()),) * (len(moves) + 1), mistakes, habits, 1)
    return ReviewedGame(number, "league", 1, 1, record, review)


def test_patterns_are_counted_and_compared_with_the_others():
    games = [reviewed_game(n, ("ann", "bob"), (-1, 1), decisive=5, open_given=(6, 2)) for n in range(6)]
    games += [reviewed_game(9 + n, ("bob", "cy"), (1, -1), decisive=50, open_given=(2, 2)) for n in range(4)]
    said = patterns(games, ["ann", "bob", "cy"], 10.0)
    assert "6 of 6 losses on the board were decided in the opening 19 moves." in said["ann"]
    assert any("decided in the last third" in sentence for sentence in said["cy"])
    assert any("gives the opponent an open move 3 times as often as the others" in s for s in said["ann"]), said["ann"]
    assert "Gave the opponent a proven win by one move in 6 of 6 games." in said["ann"]
    assert "Uses 2% of its time: it could search deeper." in said["ann"]
    assert not any("open move" in sentence and "times as often" in sentence for sentence in said["bob"])


def with_mistakes(game, *, every, lost_from=99):
    """The game with a mistake of the loser at every so many plies, until the loser's position is lost."""
    moves = len(game.record.moves)
    loser = int(game.record.points[0] > game.record.points[1])
    values = [(-0.9 if loser == 0 else 0.9) if ply >= lost_from else 0.0 for ply in range(moves + 1)]
    best, worse = Evaluation(0.2, False, None, (1,), loser), Evaluation(-0.2, False, None, (), loser)
    mistakes = tuple(Mistake(ply, loser, COSTLY, best, worse) for ply in range(loser, min(moves, lost_from), every))
    evaluations = tuple(Evaluation(value, False, None, ()) for value in values)
    return replace(game, review=Review(evaluations, mistakes, game.review.habits, 1))


def test_mistakes_are_counted_where_the_game_is_undecided():
    lost_soon = [with_mistakes(reviewed_game(n, ("ann", "bob"), (-1, 1)), every=6, lost_from=18) for n in range(8)]
    lost_late = [with_mistakes(reviewed_game(9 + n, ("cy", "dee"), (-1, 1)), every=6) for n in range(8)]
    names = ["ann", "bob", "cy", "dee"]
    said = patterns([*lost_soon, *lost_late], names, 10.0)
    assert len(lost_soon[0].review.mistakes) < len(lost_late[0].review.mistakes)
    rates = [sentence for sentence in said["cy"] + said["ann"] if "makes mistakes" in sentence]
    late, soon = (float(re.search(r"\((\S+)", sentence)[1]) for sentence in rates)
    assert abs(late - soon) < 2, rates
    assert all("per 100 moves in undecided positions" in sentence for sentence in rates)


def test_a_team_whose_positions_were_never_undecided_is_not_praised_for_few_mistakes():
    games = [with_mistakes(reviewed_game(n, ("ann", "bob"), (-1, 1)), every=6, lost_from=0) for n in range(6)]
    games += [with_mistakes(reviewed_game(9 + n, ("cy", "dee"), (-1, 1)), every=6) for n in range(6)]
    assert not any("makes mistakes" in sentence for sentence in patterns(games, ["ann", "cy"], 10.0)["ann"])


def test_a_game_gives_a_team_at_most_two_positions_to_study():
    game = with_mistakes(reviewed_game(1, ("ann", "bob"), (-1, 1)), every=6)
    chosen = costly_mistakes([(1, game.record, game.review)], "ann")
    assert len(game.review.mistakes) > len(chosen) == 2
    assert costly_mistakes([(1, game.record, game.review)], "bob") == []


def test_time_trouble_and_faults_are_reported():
    games = [reviewed_game(n, ("ann", "bob"), (-1, 1), seconds=9.0, fault=0) for n in range(3)]
    (faults, *_, time) = patterns(games, ["ann", "bob"], 10.0)["ann"]
    assert faults == "3 of 3 losses were forfeits: 3 out of time."
    assert "3 games were lost on time" in time
    assert "took 80% of the limit or more" in time


# The command.


def test_the_command_analyses_once_and_writes_a_page(file, tmp_path, capsys):
    target = tmp_path / "out.html"
    code, out, err = run_command(capsys, "report", str(file), "-o", str(target), "--jobs", "1")
    assert code == 0
    assert "the engine looks at" not in err, "all games are analysed"
    assert str(target) in out
    assert target.stat().st_size > 50_000
    code, out, _ = run_command(capsys, "report", str(file), "-o", str(target), "--for", FOREIGN)
    assert code == 0
    assert SECRET in words_in(packed(target.read_text())[1])
    code, _, _ = run_command(capsys, "report", str(file), "-o", str(target), "--public", "--no-analysis")
    assert code == 0
    for more, words in (
        (("--for", "nobody"), "there is no contestant 'nobody'"),
        (("--nodes", "0"), "--nodes must be 1 to"),
        (("--nodes", "5", "--no-analysis"), "leave one out"),
        (("--jobs", "0"), "--jobs must be 1 to"),
        (("-o", str(tmp_path)), "is not a file name"),
    ):
        code, _, err = run_command(capsys, "report", str(file), *more)
        assert code == 2
        assert words in err
    code, _, err = run_command(capsys, "report", str(tmp_path / "none.noughts"))
    assert code == 2
    assert "there is no tournament file" in err
    assert not (tmp_path / "none.noughts").exists()


def test_a_class_gets_a_page_for_each_team_with_its_own_words_only(file, tmp_path, capsys):
    code, out, err = run_command(capsys, "report", str(file), "--no-analysis", "--teams", str(tmp_path / "pages"))
    assert code == 0
    assert "4 pages in" in out
    assert "for the team in its name only" in err
    own = {}
    for page in (tmp_path / "pages").iterdir():
        head, data = packed(page.read_text())
        own[head["teams"][head["own"]]["name"]] = words_in(data)
    assert own.keys() == {NAME, LONG, FOREIGN, "greedy"}
    assert [name for name, words in own.items() if SECRET in words] == [FOREIGN]
    code, _, err = run_command(capsys, "report", str(file), "--teams", str(tmp_path / "pages"), "-o", "x.html")
    assert code == 2
    assert "leave out --output" in err


def test_commands_that_write_a_file_end_with_its_audience(file, tmp_path, capsys):
    bots = tmp_path / "bots"
    bots.mkdir()
    for name in ("a", "b"):
        (bots / f"{name}.py").write_text(
            f"def choose(state, clock):\n    return state.legal_actions()[{name == 'a':d}]\n"
        )
    report = ("report", str(file), "--no-analysis")
    page = ("-o", str(tmp_path / "page.html"))
    for words, *command in (
        ("page.html is for staff only", *report, *page),
        (f"page.html is for {FOREIGN} only", *report, *page, "--for", FOREIGN),
        ("page.html is for everyone", *report, *page, "--public"),
        ("for the team in its name only", *report, "--puzzles", str(tmp_path / "puzzles")),
        ("and logs/, which is for everyone", "tournament", "export", str(file), str(tmp_path / "all"), "--all-logs"),
        ("marks.csv, for staff only", "tournament", "marks", str(file), "--csv", str(tmp_path / "marks.csv")),
        ("alike.html, for staff only", "similarity", str(bots), "--html", str(tmp_path / "alike.html")),
        ("clean is for staff only", "collect", str(bots), "--out", str(tmp_path / "clean")),
    ):
        code, out, err = run_command(capsys, *command)
        assert code == 0, out + err
        assert words in err.splitlines()[-1], command


def test_in_a_log_longer_work_says_how_far_it_is_and_shorter_work_nothing(file, tmp_path, capsys, monkeypatch):
    bots = tmp_path / "bots"
    bots.mkdir()
    for name in ("a.py", "b.py"):
        (bots / name).write_text("def choose(state, clock):\n    return state.legal_actions()[0]\n")
    unreviewed = shutil.copy(file, tmp_path / "unreviewed.noughts")
    with TournamentFile(unreviewed, write=True) as copy, copy.change():
        copy.do("DELETE FROM review")
    commands = {
        "checking 2 bots": ("check", str(bots), "--game", "classic", "--quick", "--time", "1"),
        "writing the teams' files": ("tournament", "export", str(file), str(tmp_path / "export")),
        "reviewing games": ("report", str(unreviewed), "-o", str(tmp_path / "r.html"), "--jobs", "1"),
    }
    monkeypatch.setattr("noughts.progress.LINE_SECONDS", 600.0)  # also on a busy machine
    for what, command in commands.items():
        assert what not in run_command(capsys, *command)[2]
    with TournamentFile(unreviewed, write=True) as copy, copy.change():
        copy.do("DELETE FROM review")
    monkeypatch.setattr("noughts.progress.LINE_SECONDS", 0.0)
    for what, command in commands.items():
        lines = re.findall(rf"noughts: {what}: (\d+)%(, about .* left)?", run_command(capsys, *command)[2])
        assert lines[-1][0] == "100", what
        assert len(lines) > 1, what
        assert not lines[0][1], "what came before the first step says nothing about the others"
        assert lines[-1][1], what


def test_a_tournament_that_is_being_played_is_shown_as_far_as_it_is(file, tmp_path, capsys):
    with TournamentFile(file, write=True):
        code, out, err = run_command(capsys, "report", str(file), "-o", str(tmp_path / "now.html"))
    assert code == 0
    assert "is running" in err
    assert "now.html" in out


# Positions.


def test_the_games_of_a_match_become_a_report_and_positions(tmp_path, capsys):
    log, page = str(tmp_path / "log"), tmp_path / "match.html"
    (tmp_path / "crash.py").write_text(
        "def choose(state, clock):\n    print('mine')\n    if len(state.history()) > 4:\n        raise KeyError(3)\n"
        "    return state.legal_actions()[0]\n"
    )
    match = (
        "match",
        str(tmp_path / "crash.py"),
        "random",
        "--game",
        "classic",
        "--seed",
        "1",
        "--time",
        "3",
        "--log",
        log,
    )
    report = ("report", log, "-o", str(page), "--jobs", "1")
    assert run_command(capsys, *match, "--games", "2")[0] == 0
    assert "reviewing 2 games" in run_command(capsys, *report)[2]
    assert run_command(capsys, *match, "--games", "6")[0] == 0
    code, _, err = run_command(capsys, *report)
    assert code == 0
    assert "reviewing 4 games" in err, "reviews are kept"
    assert "for both players" in err
    head, data = packed(page.read_text())
    assert (head["format"], head["limit"], head["reviewed"], len(data["games"])) == ("match", 3.0, 6, 6)
    assert head["faults"][0]["kind"] == "crash"
    assert all(head["times"])
    assert "mine" in words_in(data)
    numbers = [int(name.name.split("-")[1]) for name in sorted((tmp_path / "log").glob("game-*.json"))]
    assert sorted(map(int, data["games"])) == numbers, "numbered as the files"
    assert run_command(capsys, *report, "--for", "random")[0] == 0
    assert "mine" not in words_in(packed(page.read_text())[1])
    assert run_command(capsys, "report", log, "--puzzles", str(tmp_path / "puzzles"))[0] == 0
    _, puzzles = read_positions(tmp_path / "puzzles" / "random.json")
    games = [load(file) for file in sorted((tmp_path / "log").glob("game-*.json"))]
    for puzzle in puzzles:
        number = int(re.match(r"game (\d+), ", puzzle.origin)[1])
        assert games[number - 1].moves[: len(puzzle.moves)] == list(puzzle.moves)
    code, _, err = run_command(capsys, "report", str(tmp_path))
    assert code == 2
    assert "has no games.noughts" in err


def test_positions_that_were_lost_are_a_test_for_the_next_version(file, tmp_path, capsys):
    code, out, _ = run_command(capsys, "report", str(file), "--puzzles", str(tmp_path / "puzzles"))
    assert code == 0
    files = sorted((tmp_path / "puzzles").iterdir())
    assert files
    assert "noughts check BOT.py --positions" in out
    assert re.search(r"noughts replay \S+\.json#1\n", out)
    game, puzzles = read_positions(files[0])
    assert game.name == "classic"
    assert all(puzzle.best in puzzle.state(game).legal_actions() for puzzle in puzzles)
    bot = tmp_path / "bot.py"
    answers = {puzzle.moves: puzzle.best for puzzle in puzzles}
    bot.write_text(f"def choose(state, clock):\n    return {answers!r}[tuple(state.history())]\n")
    code, out, err = run_command(capsys, "check", str(bot), "--positions", str(files[0]), "--time", "5")
    assert code == 0, out + err
    assert f"bot solves {len(puzzles)} of {len(puzzles)}" in out
    same = {puzzle.moves: puzzle.played for puzzle in puzzles}
    bot.write_text(f"def choose(state, clock):\n    return {same!r}[tuple(state.history())]\n")
    code, out, _ = run_command(capsys, "check", str(bot), "--positions", str(files[0]), "--time", "5", "--json")
    assert code == 1
    facts = json.loads(out)
    assert facts["found"] == 0
    assert facts["positions"][0]["loss"] >= 0.2


def test_a_position_can_be_looked_at(tmp_path, capsys):
    game = noughts.load_game("classic")
    puzzle = Puzzle((4,), 0, 1, 0.0, 1.0, "allowed a win", True, "game 3, move 2, against red")
    file = tmp_path / "p.json"
    file.write_text(to_json(game, [puzzle, puzzle]))
    code, out, _ = run_command(capsys, "replay", f"{file}#2")
    assert code == 0
    assert "| 3 |[X]| 5 |" in out
    said = " ".join(out.split())
    assert (
        "Position 2 of 2, game 3, move 2, against red. 1 was played (allowed a win), 0 is best: it adds 1.00 to" in said
    )
    for name in (file, f"{file}#3"):
        assert f"choose one, as in {file}#1" in run_command(capsys, "replay", str(name))[2]


def test_another_move_that_is_as_good_is_found_too_and_a_crash_is_reported(tmp_path, capsys):
    game = noughts.load_game("classic")
    puzzle = Puzzle((4,), 0, 1, 0.0, 1.0, "allowed a win", True, "game 3 against \x1b[31mred, move 2")
    (tmp_path / "p.json").write_text(to_json(game, [puzzle]))
    for answer, code, words in (("8", 0, "solves 1 of 1"), ("7", 1, "p.json#1"), ("1 // 0", 1, "ZeroDivisionError")):
        (tmp_path / "bot.py").write_text(f"def choose(state, clock):\n    return {answer}\n")
        got, out, _ = run_command(capsys, "check", str(tmp_path / "bot.py"), "--positions", str(tmp_path / "p.json"))
        assert got == code
        assert words in out
        assert "\x1b" not in out


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "it is not JSON"),
        ("[]", "not a positions file"),
        ('{"format": "noughts-positions", "version": 2}', "of version 1"),
        ('{"format": "noughts-positions", "version": 1, "game": "chess", "positions": []}', "there is no game 'chess'"),
        ('{"format": "noughts-positions", "version": 1, "game": "classic", "positions": []}', "0 positions"),
        (
            '{"format": "noughts-positions", "version": 1, "game": "classic", "positions": [{"moves": [0, 0], '
            '"best": 1, "played": null, "before": 0, "loss": 1, "kind": "costly", "exact": true, "from": ""}]}',
            "position 1: ",
        ),
    ],
)
def test_a_file_of_positions_that_is_none_gets_a_sentence(text, words, tmp_path, capsys):
    (tmp_path / "p.json").write_text(text)
    (tmp_path / "bot.py").write_text("def choose(state, clock):\n    return 0\n")
    code, _, err = run_command(capsys, "check", str(tmp_path / "bot.py"), "--positions", str(tmp_path / "p.json"))
    assert code == 2
    assert words in err


# Single games and matches.


def test_a_replay_and_a_match_are_pages_too(tmp_path, capsys):
    line = f"match greedy random --game wild --games 2 --seed 4 --log {tmp_path}/log --html {tmp_path}/match.html"
    code, _, err = run_command(capsys, *line.split())
    assert code == 0
    assert "wrote" in err
    head, data = packed((tmp_path / "match.html").read_text())
    assert head["teams"][0]["name"] == "greedy"
    assert len(data["games"]) == 2
    replay = next((tmp_path / "log").glob("*.json"))
    code, _, _ = run_command(capsys, "replay", str(replay), "--html", str(tmp_path / "one.html"))
    assert code == 0
    assert "default-src 'none'" in (tmp_path / "one.html").read_text()
    record = load(replay)
    assert json.loads(replay_json(record))["moves"] == record.moves
    shown = record._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts"')
    assert shown.count("<") == 2, "the page is in an attribute, escaped"
    assert game_page(record).count("<script") == 3
