"""One way to play many games: any players in any mix, faults that end a game and not the run, names to be trusted."""

import json
from dataclasses import replace

import pytest
from chat_server import always, serving
from evaluating import model
from playing import played

import noughts
from noughts.analysis import review
from noughts.cli import main
from noughts.commands._evaluations import costly_moves
from noughts.course.game_files import load_any
from noughts.matches.log import result_line
from noughts.matches.record import GameRecord
from noughts.matches.replays import from_json, to_json
from noughts.matches.schedule import Match
from noughts.matches.tally import tallies
from noughts.players import RandomPlayer, listed_player, make_player
from noughts.players.registry import BUILT_IN

ANY_ACTION = """
import random
def choose(state, clock):
    return random.choice(state.legal_actions())
"""
WILD = noughts.load_game("wild")


@pytest.fixture
def bot(tmp_path):
    path = tmp_path / "bot.py"
    path.write_text(ANY_ACTION)
    return str(path)


# Any players, in any mix.


def test_a_model_can_play_a_bot_and_what_it_said_is_in_the_record(bot):
    with serving() as server:
        records = played(Match(WILD, (model(server), bot), games=2))
    for record in records:
        assert set(record.players) == {"llm:m", "bot"}
        seat = record.seat_of("llm:m")
        asked = [exchange.ply for exchange in record.exchanges]
        assert asked == [ply for ply in range(len(record.moves)) if ply % 2 == seat]
        assert "You are Player" in record.exchanges[0].messages[-1]["content"]
        again = from_json(to_json(record))
        assert again.exchanges == record.exchanges
        assert again.moves == record.moves


def test_a_reply_without_a_move_forfeits_like_any_other_fault(bot):
    with serving(always({"say": "I pass"})) as server:
        (record,) = played(Match(WILD, (model(server), "random"), games=1))
    assert (record.reason, record.faulty, record.winner) == ("invalid", 0, 1)
    assert record.fault.text.startswith("invalid reply (no_move): there is no move in your reply.")


def test_two_models_are_told_apart_and_may_be_the_same():
    with serving() as server:
        match = Match(WILD, (model(server), model(server)), games=2)
        records = played(match)
    assert match.player_names == ("llm:m#1", "llm:m#2")
    first, second = tallies(match.player_names, records)
    assert first.won == second.lost


# Faults of our own players.


def broken_at(ply, what):
    """A random player that does something else at one ply."""
    choose = RandomPlayer.choose

    def broken(self, state, clock):
        if len(state.history()) == ply:
            return what()
        return choose(self, state, clock)

    return broken


def raises():
    raise KeyError("lost")


@pytest.mark.parametrize(
    ("what", "kind", "text"),
    [
        (raises, "crash", "crashed: KeyError: 'lost'"),
        (lambda: -1, "invalid", "invalid move: it chose -1"),
        (lambda: None, "invalid", "invalid move: it chose None"),
        (lambda: "4", "invalid", "invalid move: it chose '4'"),
    ],
)
def test_a_player_of_ours_that_fails_loses_and_the_run_goes_on(monkeypatch, what, kind, text):
    monkeypatch.setattr(RandomPlayer, "choose", broken_at(2, what))
    match = Match(WILD, ("random", "perfect"), games=4)
    records = played(match)
    assert len(records) == 4
    for record in records[::2]:
        assert (record.faulty, record.fault.kind, record.fault.text) == (0, kind, text)
        assert record.winner == 1
    assert all(record.fault is None for record in records[1::2])


def test_a_player_cannot_change_the_game_by_playing_on_its_own_state(monkeypatch):
    def greedy_hands(self, state, clock):
        action = state.legal_actions()[0]
        state.apply_action(action)
        return action

    monkeypatch.setattr(RandomPlayer, "choose", greedy_hands)
    (record,) = played(Match(WILD, ("random", "random"), games=1))
    assert record.fault is None


# Who can play what is known before the first move.


@pytest.mark.parametrize("command", ["match perfect random --game extreme", "play extreme --opponent perfect"])
def test_a_wrong_player_for_a_game_is_refused_before_the_first_move(capsys, command):
    assert main(command.split()) == 2
    assert "extreme is a nested game" in capsys.readouterr().err


def test_a_wrong_player_for_a_game_is_refused_by_environments_too():
    gym = pytest.importorskip("noughts.envs.gym")
    with pytest.raises(ValueError, match="extreme is a nested game"):
        gym.NoughtsEnv("extreme", opponent="perfect")


def test_bot_files_are_players_everywhere(bot, capsys, monkeypatch):
    monkeypatch.setattr("builtins.input", lambda _prompt: "resign")
    assert main(["play", "classic", "--opponent", bot]) == 0
    assert "bot (O) won" in capsys.readouterr().out
    player = make_player(bot, seed=3)
    state = WILD.new_initial_state()
    player.prepare(WILD)
    for _ in range(3):
        state.apply_action(player.choose(state, noughts.players.Clock()))
    player.close()
    gym = pytest.importorskip("noughts.envs.gym")
    env = gym.NoughtsEnv("classic", opponent=bot, seat=1)
    observation, info = env.reset(seed=1)
    assert observation.sum() > 0
    assert info["action_mask"].sum() == 8
    env.close()


def test_an_opponent_at_fault_loses_the_episode(tmp_path):
    gym = pytest.importorskip("noughts.envs.gym")
    path = tmp_path / "crashes.py"
    path.write_text("def choose(state, clock):\n    return 1 / 0\n")
    env = gym.NoughtsEnv("classic", opponent=str(path))
    env.reset(seed=1)
    _, reward, terminated, _, info = env.step(0)
    assert (reward, terminated) == (1.0, True)
    assert "ZeroDivisionError" in info["opponent_fault"]


def test_a_bot_file_that_is_not_there_is_named_with_what_to_do(capsys):
    assert main(["evaluate", "nobody.py"]) == 2
    assert "there is no bot file 'nobody.py'" in capsys.readouterr().err


# Trust.


@pytest.mark.parametrize(
    "text",
    [
        "bot.py",
        "/etc/passwd",
        "q:/etc",
        "q:model.q",
        "llm:m",
        "llm:m?base_url=http://evil/v1&key_env=HOME",
        "alphabeta?memory=999999",
        "alphabeta?nodes=1",
        "mcts?games=999999999999",
        "random?base_url=http://evil",
        "random?key_env=HOME",
        "human",
        "",
        "?" * 5000,
        "x" * 100_000,
    ],
)
def test_untrusted_text_chooses_from_a_list_and_names_nothing_else(text, monkeypatch):
    def forbidden(*_args, **_kwargs):
        raise AssertionError("untrusted text was used as more than a choice")

    for door in ("builtins.open", "pathlib.Path.read_bytes", "noughts.players.llm.settings.settings_of"):
        monkeypatch.setattr(door, forbidden)
    with pytest.raises(ValueError, match=r"choose from|it allows") as refused:
        listed_player(text)
    assert len(str(refused.value)) < 300


def test_untrusted_text_can_choose_every_listed_player():
    for name in BUILT_IN:
        assert listed_player(name, seed=1).name in (name, "alphabeta")
    assert listed_player("alphabeta?level=3").name == "alphabeta"


def test_a_replay_never_runs_a_file(tmp_path):
    ran = tmp_path / "ran"
    (tmp_path / "evil.py").write_text(f"import pathlib; pathlib.Path({str(ran)!r}).touch()\n")
    (record,) = played(Match(WILD, ("random", "random"), games=1))
    replay = json.loads(to_json(record)) | {"game": f"{tmp_path}/evil.py:X"}
    path = tmp_path / "replay.json"
    path.write_text(json.dumps(replay))
    assert main(["replay", str(path)]) == 2
    assert not ran.exists()


# Reports of the end.


def test_in_misere_games_the_loser_made_the_line():
    match = Match(noughts.load_game("misere"), ("random", "random"), games=20, seed=1)
    by_line = [record for record in played(match) if record.reason == "line"]
    assert by_line
    for record in by_line:
        loser = record.players[1 - record.winner]
        assert f"wins, as {loser} completed a line" in result_line(record)


# What the moves were worth.


def kept(tmp_path, game, moves):
    """A replay of a game with these moves."""
    game = noughts.load_game(game)
    record = GameRecord(game, ("first", "second"))
    state = game.new_initial_state()
    for move in moves:
        state.apply_action(state.string_to_action(move))
    record.moves, record.seconds = state.history(), [0.0] * len(moves)
    record.end_by_rules(state)
    path = tmp_path / "replay.json"
    path.write_text(to_json(record))
    return str(path)


def test_a_replay_is_graded_exactly_where_the_game_is_solved(tmp_path, capsys):
    path = kept(tmp_path, "classic", ["0", "1", "3", "4", "6"])
    assert main(["replay", path, "--grade"]) == 0
    out = capsys.readouterr().out
    assert "5 moves graded exactly; 1 gave value away." in out
    assert max(map(len, out.splitlines())) <= 80
    assert main(["replay", path, "--grade", "--json"]) == 0
    positions = json.loads(capsys.readouterr().out)["positions"]
    values = noughts.solve(noughts.load_game("classic"))
    for step in positions[:-1]:
        state = noughts.load_game("classic").from_string(step["position"])
        exact = values.action_values(state)
        assert step["grade"]["value"] == exact[state.string_to_action(step["move"])]
        assert step["grade"]["best"] == max(exact.values())
        assert step["grade"]["exact"]


def test_a_long_list_of_costly_moves_says_that_it_is_not_all_of_them(tmp_path):
    path = kept(tmp_path, "classic", ["0", "1", "3", "4", "6"])
    record = load_any(path).record
    choices = list(review(record).choices(record))
    (costly,) = [choice for choice in choices if choice.costly]
    assert "costliest" not in costly_moves(record, choices, 0)
    estimate = replace(costly, played=replace(costly.played, exact=False))
    said = costly_moves(record, [replace(estimate, ply=ply) for ply in range(35)], 20_000)
    assert "35 gave value away. The 12 costliest of 35 (--json lists all):" in " ".join(said.split())
    assert max(map(len, said.splitlines())) <= 80


def test_a_large_game_is_graded_by_search(tmp_path, capsys):
    record = next(
        record
        for record in played(Match(noughts.load_game("ultimate"), ("random", "greedy"), games=20, seed=4))
        if record.reason == "line" and record.players[record.winner] == "greedy"
    )
    path = tmp_path / "replay.json"
    path.write_text(to_json(record))
    assert main(["replay", str(path), "--grade", "--json", "--nodes", "2000"]) == 0
    positions = json.loads(capsys.readouterr().out)["positions"]
    last = positions[len(record.moves) - 1]["grade"]
    assert (last["value"], last["lost"], last["exact"]) == (1.0, 0.0, True), "the winning move is proven to win"
    assert any(step["grade"]["lost"] > 0.2 for step in positions[:-1]), "random moves give something away"


def test_a_budget_is_for_grading_only(tmp_path, capsys):
    path = kept(tmp_path, "classic", ["0", "1", "3", "4", "6"])
    assert main(["replay", path, "--nodes", "10"]) == 2
    assert "--nodes must be 1 or more, and needs --grade" in capsys.readouterr().err
