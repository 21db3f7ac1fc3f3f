"""A replay says everything again, and one that does not fit the rules is refused."""

import json
from dataclasses import replace

import pytest

import noughts
from noughts.matches.log import game_log, move_line, result_line
from noughts.matches.record import GameRecord
from noughts.matches.replays import ReplayError, from_json, to_json
from noughts.players import make_player
from noughts.sandbox import Fault, faults

EXTREME = noughts.load_game("extreme")


def finished_record():
    record = GameRecord(EXTREME, ("a", "b"), seed=9)
    state = EXTREME.new_initial_state()
    player = make_player("random", seed=2)
    while not state.is_terminal():
        record.moves.append(player.choose(state, None))
        record.seconds.append(0.25)
        state.apply_action(record.moves[-1])
    record.end_by_rules(state)
    record.prints[0] = "hello\n"
    return record


def test_a_replay_says_everything_again():
    record = finished_record()
    assert from_json(to_json(record)) == record
    faulty = GameRecord(EXTREME, ("a", "b"), moves=[0], seconds=[0.5])
    faulty.end_by_fault(1, Fault(faults.CRASH, "crashed", 3, "Traceback"))
    again = from_json(to_json(faulty))
    assert again == faulty
    assert again.points == (68, 0)


def test_a_replay_of_ones_own_game_carries_its_rules():
    game = noughts.Game(replace(EXTREME.rules, name="my-game", win_points=(5, 0)))
    record = GameRecord(game, ("a", "b"))
    record.end_by_fault(0, Fault(faults.TIME, "late"))
    assert from_json(to_json(record)).game == game


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "other"}, "format"),
        ({"version": 2}, "reads version 1"),
        ({"moves": [0, 0]}, "move 1"),
        ({"moves": [0, "x"]}, "whole number"),
        ({"moves": [], "seconds": []}, "no end"),
        ({"seconds": []}, "times"),
        ({"players": ["a"]}, "wrong type|not enough"),
        ({"game": "chess"}, "no game 'chess'"),
        ({"result": {"reason": "line", "winner": 0, "points": [1, 2], "fault": None}}, "but its moves give"),
        ({"result": {}}, "'fault' is missing"),
        ({"prints": {"x": "y"}}, "wrong type"),
    ],
)
def test_a_replay_that_was_changed_is_refused(change, words):
    data = json.loads(to_json(finished_record())) | change
    with pytest.raises(ValueError, match=words):
        from_json(json.dumps(data))


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100000, "7", '{"format": 1}'])
def test_what_is_no_replay_is_refused(text):
    with pytest.raises(ReplayError):
        from_json(text)


def test_names_are_read_as_they_are_and_made_fit_where_they_are_shown():
    """A team is found by its name: one that was changed on reading would be another team."""
    name = "x\x1b[2J\n\u202e\ud800"
    record = replace(finished_record(), players=(name, "y" * 4096))
    assert from_json(to_json(record)).players == record.players
    for text in (game_log(record), result_line(record), move_line(record, record.states()[0][0], 0)):
        assert not set(text) & set("\x1b\u202e\ud800")
    with pytest.raises(ReplayError, match="is longer than 4096 characters"):
        from_json(to_json(replace(record, players=(name, "y" * 4097))))
