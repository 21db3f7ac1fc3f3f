"""Objects and games of a program's own: players without a name, games by a record, in every place that takes a name."""

import random
import subprocess
import sys
import time

import pytest
from conftest import EVERY_GAME, load
from playing import played
from processes import Command, run_code

import noughts
from noughts.library import _REGISTERED
from noughts.matches import Match
from noughts.players import make_player, register_player
from noughts.rules import Rules, k_in_a_row
from noughts.rules.reference import Shape
from noughts.rules.reference import State as PlainState

WIDE = Rules("four-wide", "Four Wide", side=4, lines=k_in_a_row(4, 4))


class Last:
    """Plays the last legal action."""

    def choose(self, state, clock):
        return state.legal_actions()[-1]


SERVED = """
import asyncio, sys, time
from pathlib import Path
from noughts import web

class Last:
    def choose(self, state, clock):
        return state.legal_actions()[-1]

settings = web.Settings(port=0, games=Path(sys.argv[1], "games.sqlite"), workers=1)
players = [Last(), Last(), "alphabeta:depth=1"]

async def notebook():
    web.serve(settings, players=players)  # returns, since an event loop runs here
    while True:
        await asyncio.sleep(1)

asyncio.run(notebook()) if "notebook" in sys.argv else web.serve(settings, players=players)
"""


@pytest.mark.parametrize("place", ["script", "notebook"])
def test_a_player_object_is_an_opponent_on_the_page(place, tmp_path):
    httpx = pytest.importorskip("httpx")
    pytest.importorskip("uvicorn")
    server = Command(str(tmp_path), place, program=SERVED)
    try:
        base = server.stdout.readline().split()[-1]
        with httpx.Client(base_url=base, timeout=240) as page:
            classic = next(game for game in page.get("api/games").json() if game["name"] == "classic")
            offered = {one["name"] for one in classic["opponents"]}
            assert {"Last", "Last (2)", "alphabeta:depth=1"} <= offered
            game = page.post("api/play", json={"game": "classic", "opponent": "Last"}).json()
            page.post(f"api/play/{game['id']}/moves", json={"key": game["key"], "move": "0"})
            for _ in range(600):
                moves = page.get(f"api/play/{game['id']}").json()["moves"]
                if len(moves) == 2:
                    break
                time.sleep(0.05)
            assert moves == [[0, "0"], [1, "8"]]
    finally:
        server.kill()
        server.communicate()


@pytest.fixture
def own_game(monkeypatch):
    monkeypatch.setattr("noughts.library._REGISTERED", {})
    return noughts.register_game(WIDE)


@pytest.mark.parametrize("name", EVERY_GAME)
def test_a_state_says_what_the_state_of_a_bot_in_the_sandbox_says(name):
    """So a bot as the tutorial writes it plays in this process too."""
    game = load(name)
    chance = random.Random(name)
    for _ in range(5):
        state, plain = game.new_initial_state(), PlainState(Shape(game.rules))
        while True:
            for fact in ("cells", "owners", *(() if state.is_terminal() else ("sent", "bonus"))):
                mine, theirs = getattr(state, fact), getattr(plain, fact)
                assert mine == (list(theirs) if isinstance(mine, list) else theirs), fact
            assert (state.winner(), state.points()) == (plain.winner(), plain.points())
            if state.is_terminal():
                break
            action = chance.choice(state.legal_actions())
            state.apply_action(action)
            plain.apply_action(action)
    for fact in ("name", "side", "boards", "marks", "lines", "block_points"):
        assert getattr(game, fact) == getattr(plain.game, fact)


def test_a_game_has_no_other_attributes_than_its_own_and_those_of_its_rules():
    with pytest.raises(AttributeError, match="a Game has no attribute 'colour'"):
        _ = noughts.load_game("classic").colour


def test_objects_classes_and_functions_are_players():
    state = noughts.load_game("classic").new_initial_state()
    for chooser in (Last(), Last, lambda state, clock: state.legal_actions()[-1], lambda state: 8):
        assert make_player(chooser).choose(state, noughts.Clock()) == 8
    assert make_player(Last()).name == "Last"
    with pytest.raises(ValueError, match=r"int is not a player: it has no method choose\(state, clock\)"):
        make_player(7)


def test_a_match_of_an_object_against_a_name():
    records = played(Match(noughts.load_game("classic"), (Last(), "random"), games=4, seed=1))
    assert [record.players for record in records] == [("Last", "random"), ("random", "Last")] * 2
    assert records[0].moves[0] == 8


def test_an_object_is_never_closed_by_a_match():
    class Closing(Last):
        def close(self):
            raise AssertionError

    assert len(played(Match(noughts.load_game("classic"), (Closing(), "random"), games=2))) == 2


def test_a_match_has_two_players():
    with pytest.raises(ValueError, match="a match needs two players, not 3; a tournament takes any number"):
        Match(noughts.load_game("classic"), ("random", "random", "random"))


PROGRAM = """
import sys
import noughts
from noughts.matches import Match
from noughts.matches.runner import match_games

class Mine:
    def choose(self, state, clock):
        return state.legal_actions()[0]

noughts.register_player("mine", lambda seed: Mine())
match = Match(noughts.load_game("classic"), ({players}), games=4, jobs=2, seed=1)
for record in match_games(match):
    print(record.number, *record.players)
"""


@pytest.mark.parametrize("players", ["Mine(), 'random'", "'mine', 'random'"])
def test_players_of_a_notebook_reach_the_worker_processes(players):
    pytest.importorskip("cloudpickle")
    done = run_code(PROGRAM.format(players=players))
    assert done.returncode == 0, done.stderr
    assert sorted(line.split()[0] for line in done.stdout.splitlines()) == ["0", "1", "2", "3"]


def test_without_cloudpickle_a_player_of_a_notebook_is_refused_in_a_sentence():
    done = run_code("import sys; sys.modules['cloudpickle'] = None" + PROGRAM.format(players="Mine(), 'random'"))
    assert "worker processes cannot import Mine, which is defined in this program itself" in done.stderr
    assert "pip install cloudpickle" in done.stderr


def test_a_script_needs_no_main_guard_and_its_modules_are_found(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(
        "class First:\n    def choose(self, state, clock): return state.legal_actions()[0]\n"
    )
    script = tmp_path / "script.py"
    script.write_text("from mine import First\n" + PROGRAM.format(players="First(), 'random'"))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=240, check=False)
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 4


def test_a_record_is_a_game_wherever_a_name_is(own_game):
    assert noughts.load_game(WIDE) == noughts.load_game("four-wide") == noughts.load_game(own_game)
    assert "four-wide" in noughts.game_names()
    noughts.register_game(WIDE)  # again: nothing happens
    other = Rules("four-wide", "Another", side=4, lines=k_in_a_row(4, 3))
    with pytest.raises(ValueError, match="there is already another game 'four-wide'"):
        noughts.register_game(other)
    with pytest.raises(ValueError, match="there is already another game 'classic'"):
        noughts.register_game(Rules("classic", "Another", side=4, lines=k_in_a_row(4, 3)))


def test_a_file_of_a_registered_game_holds_its_rules(own_game, monkeypatch, tmp_path):
    from noughts.matches.replays import from_json, to_json

    (record,) = played(Match(own_game, ("random", "random"), games=1))
    text = to_json(record)
    monkeypatch.setattr("noughts.library._REGISTERED", {})
    assert from_json(text).game == own_game


def test_a_registered_game_has_environments(own_game):
    gymnasium = pytest.importorskip("gymnasium")
    from noughts.envs.registration import _register

    _register(WIDE)  # the listener has the registry of another test
    try:
        env = gymnasium.make("noughts/FourWide-v0", opponent=Last()).unwrapped
        assert env.game == own_game
        env.reset(seed=1)
        assert gymnasium.make_vec("noughts/FourWide-v0", 3).unwrapped.game == own_game
    finally:
        gymnasium.registry.pop("noughts/FourWide-v0", None)


def test_an_environment_is_that_of_its_id():
    gymnasium = pytest.importorskip("gymnasium")
    import noughts.envs.gym  # noqa: F401

    with pytest.raises(ValueError, match=r"noughts/Wild-v0 is the environment of wild, not of game='classic'"):
        gymnasium.make("noughts/Wild-v0", game="classic")
    with pytest.raises(ValueError, match="is the environment of wild, not of"):
        gymnasium.make_vec("noughts/Wild-v0", 2, game="classic")
    assert gymnasium.make("noughts/Wild-v0", game="wild").unwrapped.game.name == "wild"


def test_playouts_and_perft_begin_at_the_given_position():
    game = noughts.load_game("classic")
    state = game.from_string("XX./OO./... p0")
    assert noughts.perft(state, 1) == 5
    assert noughts.perft(state, 2) == 4 * 4  # the winning move is not followed by another
    played_out = noughts.playouts(state, 2000, seed=1)
    assert played_out.wins[0] > 1.2 * played_out.wins[1]
    assert played_out.plies < 5 * 2000
    assert noughts.playouts(game, 500, seed=3) == noughts.playouts(game.new_initial_state(), 500, seed=3)
    with pytest.raises(TypeError, match="expected a Game or a State, not str"):
        noughts.playouts("classic", 1)


@pytest.mark.parametrize("name", EVERY_GAME)
def test_keys_are_equal_where_positions_are(name):
    game = load(name)
    by_key, by_text = {}, {}
    chance = random.Random(name)
    for _ in range(30):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(chance.choice(state.legal_actions()[:4]))
            by_key.setdefault(state.key(), set()).add(state.to_string())
            by_text.setdefault(state.to_string(), set()).add(state.key())
    assert {len(found) for found in by_key.values()} == {len(found) for found in by_text.values()} == {1}
    assert game.from_string(state.to_string()).key() == state.key()


@pytest.mark.parametrize("ask", ["search", "evaluate", "tree", "known", "table"])
def test_a_state_of_another_game_is_refused(ask):
    from noughts.learn import TrainingSettings, make_table
    from noughts.search import Engine, Limits, MonteCarloTreeSearch

    ultimate, xtreme = noughts.load_game("ultimate"), noughts.load_game("xtreme").new_initial_state()
    asked = {
        "search": lambda: Engine(ultimate, memory=1).search(xtreme, Limits(depth=1)),
        "evaluate": lambda: Engine(ultimate, memory=1).evaluate(xtreme),
        "tree": lambda: MonteCarloTreeSearch(ultimate, memory=1).search(xtreme, Limits(nodes=1)),
        "known": lambda: MonteCarloTreeSearch(ultimate, memory=1).known_moves(xtreme),
        "table": lambda: make_table(TrainingSettings(noughts.load_game("classic").rules)).action_values(xtreme),
    }
    with pytest.raises(ValueError, match=r"is for \w+, but the state is of xtreme"):
        asked[ask]()


def test_registering_changes_nothing_for_others():
    register_player("last-of-all", lambda seed: Last())
    assert "four-wide" not in _REGISTERED
