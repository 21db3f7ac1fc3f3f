"""Generated variants: each game once, the same by the same seed, answers exact, scores by game; and datasets."""

import gzip
import json
import random
import re
from contextlib import suppress
from dataclasses import replace
from itertools import combinations, islice

import pytest
from slow_solver import SlowSolver

import noughts
from noughts.cli import main
from noughts.evaluation.reference import SUITE_PLAYERS, answer_all
from noughts.games.classic import RULES as CLASSIC
from noughts.rules.position import EMPTY
from noughts.rules.spec import RulesError
from noughts.suites import suite as suites
from noughts.suites.asking import SuitePlan, SuiteRun, move_answered, open_answers
from noughts.suites.dataset import dataset_rows, grade_reply, write_dataset
from noughts.suites.generator import MARKINGS, canonical, distinct, draw_variants, make_variant, shapes_on
from noughts.suites.interest import Insight, refusal
from noughts.suites.questions import PARTS
from noughts.suites.scores import compared, score_answers
from noughts.suites.suite import Size, make_questions, make_suite
from noughts.text.replies import reader_of

OWN = MARKINGS[0]
TINY = Size(variants=5, positions=2, clashes=2, classic=3)


@pytest.fixture(scope="module", autouse=True)
def tiny(tmp_path_factory):
    """A suite so small that it is made in a moment, kept in a folder of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(suites.SIZES, "small", TINY)
        # Games of 4x4 and of numbers once take a second each.
        patch.setattr(suites, "STRATA", {name: suites.STRATA[name] for name in ("own", "wild", "sums")} | {
            "own2": (("own",), 3), "wild2": (("wild",), 3)})  # fmt: skip
        patch.setattr(suites, "SHIPPED", tmp_path_factory.getbasetemp() / "shipped")
        patch.setattr(suites, "cache_folder", lambda kind, version: tmp_path_factory.getbasetemp() / kind / version)
        yield make_suite()


# The generator.


def test_a_game_under_other_names_is_the_same_game():
    for variant in islice(draw_variants(3), 40):
        rules, draw = variant.rules, random.Random(variant.family)
        cell_to = list(range(rules.cells))
        draw.shuffle(cell_to)
        moved = tuple(tuple(cell_to[cell] for cell in line) for line in rules.lines)
        assert canonical(replace(rules, lines=tuple(draw.sample(moved, len(moved))))) == canonical(rules)
        assert canonical(replace(rules, misere=not rules.misere)) != canonical(rules)


def games_of_own_marks():
    """All variants of own marks on 3x3 with up to three shapes."""
    for count in (1, 2, 3):
        for shapes in combinations(shapes_on(3), count):
            for misere in (False, True):
                with suppress(RulesError):
                    yield make_variant(3, shapes, OWN, None, misere=misere)


def test_all_games_of_own_marks_on_3x3_are_884():
    games = list(games_of_own_marks())
    assert len(games) == 1666
    assert len({canonical(variant.rules) for variant in games}) == 884


def test_the_same_canonical_form_has_the_same_solution():
    by_form = {}
    for variant in islice(games_of_own_marks(), 0, None, 60):
        solution = noughts.solve(noughts.Game(variant.rules), keep=False)
        figures = (solution.counts, solution.value(solution.game.new_initial_state()))
        assert by_form.setdefault(canonical(variant.rules), figures) == figures


def test_known_games_are_left_out_and_drawing_is_by_the_seed():
    known = make_variant(3, ("row of 3", "column of 3", "diagonal of 3"), OWN, None, misere=False)
    assert list(distinct(iter([known]))) == []
    first, again, other = (list(islice(draw_variants(seed), 20)) for seed in (1, 1, 2))
    assert first == again != other


def test_the_figures_of_a_game_are_those_of_its_positions():
    variant = make_variant(3, ("2x2 square", "diamond"), OWN, None, misere=False)
    insight = Insight(noughts.solve(noughts.Game(variant.rules)))
    figures = insight.figures()
    counts = noughts.playouts(noughts.Game(variant.rules), 20_000, seed=1)
    assert figures.random_wins[0] == pytest.approx(counts.wins[0] / counts.games, abs=0.02)
    assert figures.random_draws == pytest.approx(counts.draws / counts.games, abs=0.02)
    assert figures.given_away[4] <= figures.given_away[2] <= figures.given_away[0]
    state = noughts.Game(variant.rules).from_string("XX./X.O/OO. p0")
    assert insight.depth_needed(state) == 1  # cell 4 wins at once
    classic = Insight(noughts.solve(noughts.load_game("classic"))).figures()
    assert refusal(classic) is None
    assert refusal(replace(classic, random_draws=0.95)) == "random games are nearly always drawn"


# Suites.


def test_the_answers_are_those_of_an_independent_solver(tiny):
    for question in tiny.questions[::3]:
        slow = SlowSolver(question.rules)
        cells = tuple(None if mark == EMPTY else mark for mark in question.state.view().cells)
        assert slow.values(cells) == question.values


def test_the_same_seed_gives_the_same_suite_and_another_another(tiny):
    again = tuple(make_questions(TINY, 1))
    assert again == tiny.questions
    assert make_suite().hash == tiny.hash
    assert make_suite(seed=2).hash != tiny.hash
    assert [question.part for question in tiny.questions].count("variant") == 10
    assert {question.part for question in tiny.questions} == set(PARTS)


def test_in_every_question_the_choice_matters_and_a_clash_misleads(tiny):
    for question in tiny.questions:
        assert 0 < question.chance < 1
        assert question.random_regret > 0
        if question.before is not None:
            old = noughts.Game(question.before)
            values = noughts.solve(old).action_values(old.from_string(question.position))
            best = max(values.values())
            assert all(question.values[a] < question.best for a, value in values.items() if value == best)
            assert question.text().startswith("The rules of this game have been changed")


def test_a_change_is_asked_before_and_after_on_the_same_position(tiny):
    before = {each.group: each for each in tiny.questions if each.part == "unchanged"}
    after = {each.group: each for each in tiny.questions if each.part == "clash"}
    assert before.keys() == after.keys()
    for group, new in after.items():
        old = before[group]
        assert (old.position, old.rules) == (new.position, new.before)
        best = [{action for action, value in each.values.items() if value == each.best} for each in (old, new)]
        assert not best[0] & best[1]
        assert "Play continues from this position under the new rules; no line is complete yet." in new.text()
        assert "changed" not in old.text()


def test_nothing_but_the_numbers_of_the_cells_differs_in_disguise(tiny):
    texts = {}
    for question in tiny.questions:
        if question.part in ("classic", "disguised"):
            text = question.text(list_moves=False).partition("\n\n[GAME]")[0]
            texts.setdefault(question.group, []).append(re.sub(r"\d", "n", text).replace("in the center", "in cell n"))
    for plain, hidden in texts.values():
        assert plain == hidden


def test_the_example_of_a_question_is_a_legal_move_that_is_no_hint(tiny):
    for question in tiny.questions:
        assert question.example in question.values
        assert f"using the format '{reader_of(question.rules).names[question.example]}'" in question.text()
    drawn = [replace(tiny.questions[0], group=str(number)) for number in range(300)]
    right = sum(each.values[each.example] == each.best for each in drawn) / len(drawn)
    assert right == pytest.approx(drawn[0].chance, abs=0.1)


def test_a_question_can_have_several_answers(tiny, tmp_path):
    plan = SuitePlan(tiny, "random", samples=2)
    with open_answers(tmp_path, plan) as run_file:
        asking = SuiteRun(plan, run_file)
        assert len(list(asking.ask())) == 2 * len(tiny.questions)
        twice = score_answers(plan, asking.answers())
    assert twice.parts["classic"].n == 6
    with pytest.raises(ValueError, match="samples must be 1 or more"):
        SuitePlan(tiny, "random", samples=0)


def test_reference_players_are_told_apart(tiny):
    found = {name: answer_all(tiny, name, SUITE_PLAYERS[name]) for name in ("random", "copier", "memoriser", "2 plies")}
    assert found["memoriser"].parts["classic"].accuracy.value == 1
    assert found["memoriser"].parts["clash"].accuracy.value == 0
    assert all(results.parts["variant"].legal.value == 1 for results in found.values())


def test_classic_in_disguise_is_the_same_game(tiny):
    pairs = {}
    for question in tiny.questions:
        if question.part in ("classic", "disguised"):
            pairs.setdefault(question.group, []).append(question)
    assert len(pairs) == 3
    for plain, hidden in pairs.values():
        assert sorted(plain.values.values()) == sorted(hidden.values.values())
        assert canonical(hidden.rules) == canonical(CLASSIC)
        assert not {frozenset(line) for line in plain.rules.lines} & {frozenset(line) for line in hidden.rules.lines}


def asked(folder, suite, player):
    plan = SuitePlan(suite, player)
    with open_answers(folder, plan) as run_file:
        asking = SuiteRun(plan, run_file)
        count = len(list(asking.ask()))
        return count, score_answers(plan, asking.answers())


def test_the_perfect_player_is_right_and_nobody_is_asked_twice(tiny, tmp_path):
    count, perfect = asked(tmp_path / "perfect", tiny, "perfect")
    assert count == len(tiny.questions)
    assert all(score.accuracy.value == 1 and score.regret.value == 0 for score in perfect.parts.values())
    assert asked(tmp_path / "perfect", tiny, "perfect")[0] == 0
    _, chance = asked(tmp_path / "random", tiny, "random")
    assert chance.parts["variant"].accuracy.value < 1
    assert chance.parts["variant"].legal.value == 1
    difference = compared(perfect, chance)
    assert difference.value == pytest.approx(1 - chance.parts["variant"].accuracy.value)
    with pytest.raises(ValueError, match="contains answers with player 'random', not 'greedy'"):
        open_answers(tmp_path / "random", SuitePlan(tiny, "greedy"))


def test_an_illegal_answer_is_wrong_and_costs_what_a_random_move_does(tiny, tmp_path):
    _, results = asked(tmp_path / "random", tiny, "random")
    plan, question = results.plan, tiny.questions[0]
    with open_answers(tmp_path / "random", plan) as run_file:
        exchange = SuiteRun(plan, run_file).answers()[0]
    assert move_answered(question, replace(exchange, reply="I pass")) == (None, "no_move")
    assert move_answered(question, replace(exchange, reply="[77]"))[1] in ("out_of_range", "no_move")
    wrong = score_answers(plan, {0: replace(exchange, reply="I pass")})
    assert wrong.parts["variant"].regret.value == pytest.approx(1.0)
    assert wrong.parts["variant"].legal.value == 0
    assert wrong.invalid == {"no_move": 1}


def test_the_command_asks_reports_and_compares(tiny, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for player in ("perfect", "random"):
        assert main(["evaluate", player, "--suite", "variants", "--out", player]) == 0
        shown = capsys.readouterr().out
        assert f"hash {tiny.hash}; {len(tiny.questions)} of {len(tiny.questions)} questions answered" in shown
        assert max(map(len, shown.splitlines())) <= 80
    assert main(["evaluate", "random", "--game", "classic", "--games", "4", "--seed", "1", "--out", "games"]) == 0
    capsys.readouterr()
    assert main(["evaluate", "--compare", "perfect", "random", "games", "--html", "page.html"]) == 0
    shown = capsys.readouterr().out
    assert "Against perfect, on the same variants" in shown
    assert "given away per move" in shown
    assert max(map(len, shown.splitlines())) <= 80
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count("<circle") > 8
    assert "<script" not in page
    assert "default-src 'none'; script-src 'none'" in page
    assert "style=" not in page
    assert main(["evaluate", "--compare", "perfect", "random", "games", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [run["player"] for run in data["suites"]] == ["perfect", "random"]
    assert data["games"][0]["first_moves"]
    (tmp_path / "all.json").write_text(json.dumps(data))
    assert main(["evaluate", "--compare", "all.json"]) == 0
    assert "perfect" in capsys.readouterr().out
    (tmp_path / "bad.json").write_text(json.dumps(data | {"games": [{"player": "x"}]}))
    assert main(["evaluate", "--compare", "bad.json"]) == 2
    assert "contains neither a run nor results" in capsys.readouterr().err


def test_what_cannot_be_compared_is_refused_in_a_sentence(tmp_path, capsys):
    assert main(["evaluate", "--compare", str(tmp_path)]) == 2
    assert "there is no run in" in capsys.readouterr().err
    assert main(["evaluate"]) == 2
    assert "name a player to evaluate" in capsys.readouterr().err
    assert main(["evaluate", "random", "--compare", str(tmp_path)]) == 2
    assert "leave out PLAYER" in capsys.readouterr().err


# Datasets.


def test_every_position_of_wild_is_in_its_dataset_with_the_values_of_its_moves(tmp_path):
    game = noughts.load_game("wild")
    solution = noughts.solve(game)
    rows = list(dataset_rows(game))
    assert sum(row["orbit"] for row in rows) == solution.counts.not_over
    for row in rows[::20]:
        state = game.from_string(row["position"])
        values = {state.action_to_string(action): value for action, value in solution.action_values(state).items()}
        assert {each["move"][1:-1].replace(" ", ""): each["value"] for each in row["moves"]} == values
        assert row["value"] == solution.value(state)
        assert row["distance"] == solution.distance(state)
        assert "Current Board:" in row["text"]


def test_the_same_sample_gives_the_same_bytes_and_the_datasheet_names_them(tmp_path, capsys):
    names = [tmp_path / "a.jsonl.gz", tmp_path / "b.jsonl.gz"]
    for name in names:
        assert main(["dataset", "classic", "--sample", "50", "--seed", "3", "--out", str(name)]) == 0
    assert names[0].read_bytes() == names[1].read_bytes()
    rows = [json.loads(line) for line in gzip.decompress(names[0].read_bytes()).splitlines()]
    assert len(rows) == 50
    assert "50 of 627 positions of classic" in capsys.readouterr().out
    sheet = (tmp_path / "a.datasheet.md").read_text(encoding="utf-8")
    written = write_dataset(names[1], noughts.load_game("classic"), sample=50, seed=3)
    assert written.sha256 in sheet
    before = names[0].read_bytes()
    assert main(["dataset", "classic", "--sample", "5", "--out", str(names[0])]) == 2
    assert "already exists; name another file, or replace it with --force" in capsys.readouterr().err
    assert names[0].read_bytes() == before
    assert main(["dataset", "classic", "--sample", "5", "--out", str(names[0]), "--force"]) == 0
    assert names[0].read_bytes() != before
    assert main(["dataset", "extreme", "--out", str(tmp_path / "large.jsonl.gz")]) == 2
    assert not (tmp_path / "large.jsonl.gz").exists()
    assert main(["dataset", "wild", "--out", "wild.json"]) == 2
    assert "must end in .jsonl.gz" in capsys.readouterr().err


def test_replies_are_graded_from_the_row_alone():
    rows = list(dataset_rows(noughts.load_game("numerical"), sample=5, seed=1))
    for row in rows:
        best, worst = row["moves"][0], row["moves"][-1]
        said = f"Perhaps {worst['move']}? No: {best['move'].replace('@', ' ').upper()}"
        assert grade_reply(row, said) == {"legal": True, "right": True, "lost": 0}
        lost = best["value"] - worst["value"]
        assert grade_reply(row, worst["move"])["lost"] == lost
        assert not grade_reply(row, "I do not know [maybe]")["legal"]
