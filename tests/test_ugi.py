"""`noughts ugi`: the engine in the Universal Game Interface of cutegames."""

import io
import time

import pytest

import noughts
from noughts.cli import main
from noughts.commands.ugi import UgiSession


class Talk:
    """A conversation: what was said in answer to lines."""

    def __init__(self, game):
        self.said = []
        self.session = UgiSession(noughts.load_game(game), self.said.append)

    def __call__(self, *lines):
        """The answers to these lines."""
        self.said.clear()
        for line in lines:
            assert self.session.obey(line + "\n")
        return list(self.said)

    def bestmove(self, *lines):
        self(*lines)
        self.session.finish()
        assert self.said[-1].startswith("bestmove ")
        return self.said[-1].split()[1]


@pytest.mark.parametrize("game", noughts.game_names())
def test_every_game_is_played_in_ugi(game):
    talk = Talk(game)
    assert talk("ugi")[-1] == "ugiok"
    assert talk("setoption name Hash value 1", "isready") == ["readyok"]
    assert talk("uginewgame", "position startpos", "query p1turn", "query gameover", "query result") == [
        "response true",
        "response false",
        "response none",
    ]
    state = noughts.load_game(game).new_initial_state()
    for _ in range(6):
        if state.is_terminal():
            break
        whole = [noughts.load_game(game).new_initial_state().action_to_string(a) for a in state.history()]
        by_moves = " ".join(["position startpos", *(["moves", *whole] if whole else [])])
        by_text = f"position fen {state.to_string()}"
        moves = {talk.bestmove("uginewgame", each, "go nodes 300") for each in (by_moves, by_text)}
        assert len(moves) == 1  # both are the same position
        state.apply_action(state.string_to_action(moves.pop()))
        assert talk(f"position fen {state.to_string()}", "query p1turn") == [
            f"response {str(state.current_player() == 0).lower()}"
        ]


def test_a_position_has_spaces_and_ends_where_the_moves_begin():
    talk = Talk("ultimate")
    assert talk("position fen 9/9/9/9/4X4/9/9/9/9 p1 block=4 moves 3,3 0,0", "query p1turn") == ["response false"]
    assert talk.bestmove("go depth 2").startswith(("0,", "1,", "2,"))  # sent to the first block


def test_results_are_those_of_the_rules():
    talk = Talk("classic")
    for position, result in {
        "XXX/OO./... end": "p1win",
        "OOO/XX./X.. end": "p2win",
        "XOX/XOO/OXX end": "draw",
        "XX./OO./... p0": "none",
    }.items():
        assert talk(f"position fen {position}", "query result") == [f"response {result}"]
    assert talk("position fen XXX/OO./... end", "go depth 3") == ["info string the game is over", "bestmove (none)"]


BAD = [
    *("nonsense", "position", "position fen", "position fen rubbish", "position startpos moves 99", "position 4"),
    *("position startpos moves 4 4", "position fen XX./OO./... p0 moves x", "go depth", "go depth -1", "go nodes x"),
    *("go nodes 0", "go ponder", "go movetime 99999999999999999999", "query", "query who", "setoption"),
    *("setoption name Hash", "setoption name Hash value 0", "setoption name Nothing value 1", "\x00\x1b[2J", "é"),
    *("setoption name Contempt value 3", "setoption name MultiPV value 1e3", "go " + "9" * 70_000),
]


@pytest.mark.parametrize("line", BAD, ids=range(len(BAD)))
def test_a_bad_line_gets_an_info_string_and_changes_nothing(line):
    talk = Talk("classic")
    talk("position startpos moves 4")
    (said,) = talk(line)
    assert said.startswith("info string ")
    assert said.isprintable()
    assert talk("query p1turn") == ["response false"]


def test_an_empty_line_is_no_mistake():
    assert Talk("classic")("", "   ") == []


def test_stop_ends_a_search_and_gives_its_best_move():
    talk = Talk("extreme")
    talk("go infinite")
    assert talk("isready")[-1] == "readyok"
    assert talk("position startpos")[-1].startswith("info string a search is running")
    assert not any(line.startswith("bestmove") for line in talk.said)
    talk("stop")
    assert talk.said[-1].startswith("bestmove ")
    assert talk("stop") == []


def test_the_best_move_of_an_infinite_search_waits_for_stop():
    talk = Talk("classic")
    talk("position fen XX./OO./... p0", "go infinite")
    while not talk.said:
        time.sleep(0.001)  # the win is proven, and the search at its end
    assert not talk.said[-1].startswith("bestmove")
    talk("stop")
    assert talk.said == ["bestmove 2"]


def test_scores_are_cp_or_mate_and_variations_are_numbered():
    talk = Talk("classic")
    talk.bestmove("setoption name MultiPV value 2", "position fen XX./OO./... p0", "go depth 3")
    infos = [line.split() for line in talk.said if line.startswith("info depth")]
    first = infos[-2]
    assert first[first.index("multipv") + 1] == "1"
    assert first[first.index("score") + 1 :][:2] == ["mate", "1"]
    assert first[-2:] == ["pv", "2"]
    talk.bestmove("position fen XX./.XO/O.. p1", "go depth 5")
    assert ["mate", "-1"] in [line.split()[line.split().index("score") + 1 :][:2] for line in talk.said[:-1]]


def test_the_command_reads_to_the_end_of_its_input(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("ugi\nisready\nposition startpos\ngo depth 1\n"))
    assert main(["ugi", "--game", "classic"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert "readyok" in out
    assert out[-1].startswith("bestmove ")
    monkeypatch.setattr("sys.stdin", io.StringIO("go infinite\nquit\nugi\n"))
    assert main(["ugi", "--game", "classic"]) == 0
    assert "ugiok" not in capsys.readouterr().out
