"""Numbers of any size, wherever a number can be given: a sentence, or a result; never a traceback, never no answer."""

import argparse
import inspect
import math
from functools import cache
from pathlib import Path

import pytest

import noughts
from noughts.cli import build_parser, main
from noughts.clock import Clock
from noughts.learn import TrainingSettings
from noughts.matches import Match, Sprt
from noughts.matches.openings import balanced_opening
from noughts.players import listed_player, make_player
from noughts.search import Engine, Limits, MonteCarloTreeSearch

HOSTILE = [
    *("0", "-1", "-0", "1e999", "-1e999", "nan", "inf", "1e308", "-1e308", "5e-324", "", "0x10", "1" * 400, "9" * 5000),
    *map(str, (10**23, -(10**23), 2**53 + 1, 2**63, 2**64, 2**128, -(2**63) - 1)),
]
"""None of them is one with which a command could be busy for long: those are the user's own affair."""

BOT = "def choose(state, clock):\n    return state.legal_actions()[0]\n"

BASE = {
    "analyze": ["analyze", "xtreme", "--time", "0.01"],
    "check": ["check", "bot.py", "--game", "classic"],
    "evaluate": ["evaluate", "random", "--game", "classic", "--against", "random", "--games", "2", "--fresh"],
    "ladder demo": ["ladder", "demo", "--seconds", "0"],
    "match": ["match", "random", "greedy", "--game", "classic"],
    "perft": ["perft", "classic"],
    "play": ["play", "classic"],
    "replay": ["replay", "game.json", "--grade"],
    "serve": ["serve", "--file", "missing.noughts"],
    "train": ["train", "classic", "--episodes", "50", "--no-plots"],
}
"""Arguments with which each command does something short."""


def numbers(parser, path=()):
    """(command, option or None for an argument by its place) of everything that takes a number."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                yield from numbers(command, (*path, name))
        elif action.type in (int, float):
            yield path, action.option_strings[-1] if action.option_strings else None


NUMBERS = sorted(numbers(build_parser()), key=str)


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    """A folder with a bot and a game, and nobody at the keyboard."""
    monkeypatch.chdir(tmp_path)
    Path("bot.py").write_text(BOT)
    from playing import played

    from noughts.matches.replays import to_json

    (record,) = played(Match(noughts.load_game("classic"), ("random", "random"), games=1, seed=1))
    Path("game.json").write_text(to_json(record))

    def nobody(_prompt=""):
        raise EOFError

    monkeypatch.setattr("builtins.input", nobody)
    # The parser of a command takes longer to build than most of these commands to run.
    parser_of = cache(lambda *names: build_parser(names))
    monkeypatch.setattr("noughts.cli.build_parser", lambda names: parser_of(*names))


def test_there_are_numbers_to_try():
    assert len(NUMBERS) >= 25
    assert {path[0] for path, _ in NUMBERS} >= {name.split()[0] for name in BASE}


@pytest.mark.parametrize(("path", "option"), NUMBERS, ids=lambda part: "-".join(part) if type(part) is tuple else part)
def test_every_number_of_every_command(capsys, path, option):
    for value in HOSTILE:
        base = BASE.get(" ".join(path), BASE.get(path[0], list(path)))
        given = [*base, f"{option}={value}"] if option else [*base, "--", value]
        try:
            code = main(given)
        except SystemExit as leave:
            code = leave.code
        out, err = capsys.readouterr()
        assert code in (0, 1, 2), (given, err)
        if code == 2:
            assert err.strip(), given
            assert "Exceeds the limit" not in err, "Python's own words about a number are not ours"
            assert "too large to convert" not in err
            assert len(err) < 6000
        else:
            assert out.strip(), given


def refusal(act):
    """What a ValueError says; nothing if there is none."""
    try:
        act()
    except ValueError as error:
        return str(error)
    return ""


OPTIONS = {
    "alphabeta": {"depth", "nodes", "time", "memory", "level", "seed"},
    "mcts": {"games", "time", "memory", "seed"},
    **{name: {"seed"} for name in ("random", "greedy", "perfect")},
}


@pytest.mark.parametrize("option", ["depth", "nodes", "time", "memory", "level", "seed", "games"])
@pytest.mark.parametrize("name", OPTIONS)
def test_every_option_of_every_player(name, option):
    for make, taken in ((make_player, OPTIONS[name]), (listed_player, OPTIONS[name] & {"level", "seed"})):
        values = (*HOSTILE, "100000000" if option == "memory" else "1e99", "2")
        said = {value: refusal(lambda value=value, make=make: make(f"{name}?{option}={value}")) for value in values}
        if option in taken:
            assert said["2"] == ""
            assert all(said[value].startswith(option) for value in ("nan", "inf", "1e999", "0x10", "1" * 400))
        else:
            assert all(f"option {option!r}" in said[value] for value in ("2", "nan", "0", "1e999"))
        assert all(len(sentence) < 1000 and "Exceeds the limit" not in sentence for sentence in said.values())


def noted(monkeypatch, owner, name):
    """The arguments of all calls of a method, by name."""
    method, calls = getattr(owner, name), []

    def note(*given, **more):
        calls.append(inspect.signature(method).bind(*given, **more).arguments)
        return method(*given, **more)

    monkeypatch.setattr(owner, name, note)
    return calls


@pytest.mark.parametrize(
    ("player", "search", "facts", "limits"),
    [
        ("alphabeta?depth=2&nodes=90&time=0.5&memory=3", Engine, {"memory": 3}, Limits(0.5, 90, 2)),
        ("mcts?games=7&time=0.5&memory=3&seed=5", MonteCarloTreeSearch, {"memory": 3, "seed": 5}, Limits(0.5, 7)),
    ],
)
def test_what_an_option_says_reaches_the_search(monkeypatch, player, search, facts, limits):
    made, asked = noted(monkeypatch, search, "__init__"), noted(monkeypatch, search, "search")
    make_player(player).choose(noughts.load_game("classic").new_initial_state(), Clock())
    (arguments,) = made
    assert {name: arguments[name] for name in facts} == facts
    assert [call["limits"] for call in asked] == [limits]


@pytest.mark.parametrize("player", ["random", "greedy", "perfect", "mcts?games=2", "alphabeta?level=1"])
def test_a_seed_decides_what_is_left_to_chance(player):
    state = noughts.load_game("classic").new_initial_state()

    def chosen(seed):
        one = make_player(f"{player}{'&' if '?' in player else '?'}seed={seed}")
        return [one.choose(state, Clock()) for _ in range(12)]

    assert chosen(1) == chosen(1) != chosen(2)


@pytest.mark.parametrize("option", ["tokens", "seconds", "timeout", "retries", "temperature"])
def test_every_option_of_a_model(option):
    for value in HOSTILE:
        said = refusal(
            lambda value=value: make_player(f"llm:m?base_url=http://localhost:1/v1&{option}={value}").close()
        )
        assert option in said or "the player's name" in said or said == "" or value == ""


@pytest.mark.parametrize(
    "text", ["0,1e999", "nan,nan", "-1e999,0", "1e308,1e309", "0,0", "1,0", ",", "0,1,2", "9" * 5000]
)
def test_hypotheses_of_a_sequential_test(capsys, text):
    assert main(["match", "random", "random", "--game", "classic", f"--sprt={text}"]) == 2
    assert "elo" in capsys.readouterr().err.lower()


@pytest.mark.parametrize("huge", [10**23, 10**400, 2**63], ids=["23", "400", "63"])
def test_from_python_it_is_a_value_error(huge):
    game = noughts.load_game("classic")
    state = game.new_initial_state()
    assert noughts.perft(game, huge) == 0
    refused = [
        lambda: noughts.playouts(game, huge),
        lambda: Limits(nodes=huge),
        lambda: Engine(game, memory=huge),
        lambda: MonteCarloTreeSearch(game, memory=huge),
        lambda: MonteCarloTreeSearch(game, memory=1).search(state, Limits(nodes=huge)),
        lambda: Match(game, ("random", "random"), games=huge),
        lambda: Match(game, ("random", "random"), jobs=huge),
        lambda: Match(game, ("random", "random"), opening=huge),
        lambda: TrainingSettings(game.rules, episodes=huge),
        lambda: TrainingSettings(game.rules, every=huge),
        lambda: TrainingSettings(game.rules, seed=huge << 64),
        lambda: TrainingSettings(game.rules, alpha=huge),
        lambda: TrainingSettings(game.rules, epsilon_decay=math.inf),
        lambda: Sprt(0, math.inf),
        lambda: make_player("random", seed=huge),
        lambda: make_player("bot.py", seed=huge),
        lambda: state.apply_action(huge),
        lambda: state.string_to_action(str(10**23)),
        lambda: game.from_string(f"{10**23}/9/9 p0"),
    ]
    for refuse in refused:
        with pytest.raises(ValueError, match=r"\w"):
            refuse()
    assert balanced_opening(game, 0, seed=huge) == []
