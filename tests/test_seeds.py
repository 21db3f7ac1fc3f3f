"""Seeds: a run can be repeated by its own, and nobody at the board can foretell another's luck."""

import hashlib
import random

import pytest
from playing import played

import noughts
from noughts.evaluation import EvaluationRun, Plan, open_run
from noughts.matches import Match, runner
from noughts.matches.game import play_seats
from noughts.matches.replays import from_json, to_json
from noughts.matches.seeds import BOT_BITS, SEED_BITS, derive_seed, draw_seed

CLASSIC = noughts.load_game("classic")
TELLING = """
import random
def choose(state, clock):
    print(random.random())
    return random.choice(state.legal_actions())
"""


def test_a_run_without_a_seed_draws_one_that_cannot_be_guessed():
    seeds = {Match(CLASSIC, ("random", "random")).seed for _ in range(20)} | {draw_seed() for _ in range(20)}
    assert len(seeds) == 40
    assert max(seeds).bit_length() > SEED_BITS - 16


def test_the_drawn_seed_gives_the_same_games_again():
    match = Match(CLASSIC, ("random", "random"), games=6)
    again = Match(CLASSIC, ("random", "random"), games=6, seed=match.seed)
    assert [record.moves for record in played(match)] == [record.moves for record in played(again)]


@pytest.mark.parametrize("seed", [-1, 1 << SEED_BITS, 10**400, 1.5, True, None, "7"])
def test_what_is_no_seed_is_refused(seed):
    with pytest.raises(ValueError, match="the seed must be a whole number"):
        Match(CLASSIC, ("random", "random"), seed=seed)


def test_every_use_has_a_seed_of_its_own():
    uses = [(kind, number) for kind in ("game", "opening", "bot", "player") for number in range(500)]
    seeds = [derive_seed(5, *use, bits=SEED_BITS) for use in uses]
    assert len(set(seeds)) == len(uses)
    assert all(derive_seed(5, *use) < 1 << BOT_BITS for use in uses)
    # A change of one bit of the run's changes about half of the bits of each.
    flips = [(derive_seed(4, *use, bits=64) ^ derive_seed(5, *use, bits=64)).bit_count() for use in uses]
    assert 30 < sum(flips) / len(flips) < 34


def test_the_seed_of_a_game_is_not_that_of_its_run_and_is_kept():
    match = Match(CLASSIC, ("random", "random"), games=4)
    records = played(match)
    seeds = [record.seed for record in records]
    assert len({match.seed, *seeds}) == 5
    assert from_json(to_json(records[0])).seed == seeds[0]


def test_nothing_that_a_bot_draws_tells_what_its_opponent_draws(tmp_path, monkeypatch):
    """Each bot knows its own seed and how seeds were once made of small numbers; neither tells it anything."""
    bot = tmp_path / "bot.py"
    bot.write_text(TELLING)
    given = []
    make = runner.make_player
    monkeypatch.setattr(
        runner, "make_player", lambda name, *, seed, **rest: given.append(seed) or make(name, seed=seed, **rest)
    )
    match = Match(CLASSIC, (str(bot), "random"), games=4, seed=0)
    records = played(match)
    printed = {float(text) for record in records for text in record.prints.values()}
    assert len(printed) == sum(len(record.prints) for record in records) > 8

    def unkeyed(*parts):
        return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:4], "big")

    guesses = [unkeyed(game, seat) for game in (0, *(unkeyed(0, number) for number in range(4))) for seat in (0, 1)]
    for seed in (*given, *guesses, 0, *(record.seed for record in records)):
        assert random.Random(seed).random() not in printed


def test_a_game_by_itself_draws_its_seed():
    from noughts.players import make_player

    def game():
        return play_seats(CLASSIC, [make_player("random"), make_player("greedy")])

    assert game().seed != game().seed


def test_an_evaluation_goes_on_with_the_seed_that_it_drew(tmp_path):
    """The same command goes on, and it names no seed."""

    def run(games, seed=None):
        plan = Plan("classic", "random", "random", games=games, seed=seed)
        with open_run(tmp_path / "run", plan) as run_file:
            evaluation = EvaluationRun(plan, run_file)
            list(evaluation.play())
            return evaluation.plan.seed, [record.moves for record in evaluation.finished()]

    seed, first = run(2)
    again, both = run(4)
    assert seed == again
    assert both[:2] == first
    assert run(4, seed) == (seed, both)
    with pytest.raises(ValueError, match="contains an evaluation with seed"):
        run(4, 7)
    whole = Match(CLASSIC, ("random", "random"), games=4, seed=seed)
    assert [record.moves for record in played(whole)] == both


@pytest.mark.parametrize("seed", ["null", "-1", '"x"', "1e400", "true", "9" * 60])
def test_a_run_file_without_a_seed_is_refused(tmp_path, seed):
    plan = Plan("classic", "random", "random", seed=1)
    open_run(tmp_path / "run", plan).close()
    path = tmp_path / "run" / "transcript.jsonl"
    path.write_text(path.read_text().replace('"seed":1', f'"seed":{seed}'))
    path.with_suffix(".noughts").unlink()
    with pytest.raises(ValueError, match="seed"):
        open_run(tmp_path / "run", Plan("classic", "random", "random"))
