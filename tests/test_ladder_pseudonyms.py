"""Pseudonyms hide who is who: no output for a team or the public changes if the other teams have other names and stand
in another order on the roster.
"""

import io
import json
import random
import zipfile
from itertools import count

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from ladder_world import bot, new_ladder, random_game, rate
from serving import ladder_app, unplayed
from starlette.testclient import TestClient

from noughts.cli import main
from noughts.matches.record import GameRecord
from noughts.tournaments._ladder import LADDER
from noughts.tournaments.ladder import ask_for_friendly, set_token, submit
from noughts.tournaments.results import Fixture
from noughts.tournaments.visibility import PUBLIC, team
from noughts.web import token_hash

OWN = "Mine"
TOKEN = "a" * 20
NAMES = ("ants", "Bees", "team2", "team10", "Zebras", "Émile")
ALIASES = ("Coral Fox", "Amber Owl", "Jade Seal", "Blue Ibis", "Pink Lynx", "Grey Stork")
MEETINGS = 14
numbers = count()


def made(folder, names, roster):
    """A ladder in which OWN meets six teams, who are the same except for their names and places on the roster."""
    everybody = [OWN, *(names[number] for number in roster)]
    path = folder / f"{next(numbers)}" / "class.noughts"
    path.parent.mkdir()
    ladder = new_ladder(path, everybody, pseudonyms=True)
    for name, alias in zip((OWN, *names), ("Black Swan", *ALIASES), strict=True):
        bot_id = ladder.file.bot(name)
        with ladder.file.change():
            ladder.file.do("UPDATE entry SET alias = ? WHERE bot = ?", alias, bot_id)
    for text, name in enumerate((OWN, *names)):
        _enter(ladder, name, f"first of {text}")
    for name in names[1:4]:
        ladder.entries.set_willing(name, willing=True)
    for turn in range(MEETINGS):
        first, second = (OWN, *names)[turn % 3], (*names, "greedy")[(2 * turn) % 7]
        if first != second:
            _meet(ladder, first, second, turn)
    _enter(ladder, names[2], "second of 3")
    _meet(ladder, OWN, names[2], MEETINGS)
    submit(ladder, names[1], bot("waits"), "bot.py")
    ask_for_friendly(ladder, OWN, names[3])
    rate(ladder)
    set_token(ladder, OWN, token_hash(TOKEN))
    ladder.file.close()
    return path


def _enter(ladder, name, text):
    submit(ladder, name, bot(text), "bot.py")
    ladder.entries.record_gate_result(ladder.entries.find(name), "")


def _meet(ladder, first, second, turn):
    entries, luck = {entry.name: entry for entry in ladder.entries.all()}, random.Random(turn)
    for game in (Fixture(first, second, LADDER, round=turn), Fixture(second, first, LADDER, round=turn)):
        number = ladder.start_game(game, entries[game.first], entries[game.second]).number
        record = GameRecord(ladder.game, game[:2], number=number)
        random_game(record, luck)
        ladder.add(record)


def outputs(path, capsys):
    """All that a team and the public get to see, by its place."""
    seen = {}
    with unplayed(path) as service:
        app = ladder_app(service, games=path.with_name("games.sqlite"))
        with TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
            places = ["", "/games", f"/games?team={OWN}", f"/games?team={OWN}&lost=true", "/games?team=random"]
            places += [f"/teams/{OWN}", f"/teams/{OWN}/versions/1", "/teams/random", f"/teams/{OWN}/positions.json"]
            places = [f"/api/ladder{place}" for place in places]
            places += [f"/api/replays/file/{number}?file=0&name=ladder" for number in range(1, 9)]
            places += ["/api/tournaments?", "/api/tournaments/games?file=0&name=ladder"]
            for who, headers in (("team", {"authorization": f"Bearer {TOKEN}"}), ("public", {})):
                for place in places:
                    seen[who, place] = _without_times(client.get(place, headers=headers).text)
            logs = client.get(f"/api/ladder/teams/{OWN}/logs.zip", headers={"authorization": f"Bearer {TOKEN}"})
        with zipfile.ZipFile(io.BytesIO(logs.content)) as whole:
            seen["logs"] = {name: whole.read(name) for name in whole.namelist()}
        for audience in (team(OWN), PUBLIC):
            seen["live", audience.audience] = _without_times(json.dumps(service.snapshot(audience)))
    for words in (("--public",), ("--for", OWN), ("--for", OWN, "--json"), ("--public", "--json")):
        assert main(["tournament", "games", str(path), *words]) == 0
        seen["games", words] = capsys.readouterr().out.replace(str(path), "")
    return seen


def _without_times(text):
    data = json.loads(text)
    if isinstance(data, dict):
        data.pop("now", None)
    return json.dumps(data)


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    return made(tmp_path_factory.mktemp("usual"), NAMES, range(6))


@settings(
    max_examples=4,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],  # a smaller example says no more, and takes minutes
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(names=st.permutations(NAMES), roster=st.permutations(range(6)))
def test_no_output_depends_on_the_names_and_places_of_other_teams(usual, tmp_path, capsys, names, roster):
    expected, seen = outputs(usual, capsys), outputs(made(tmp_path, names, roster), capsys)
    assert {place for place in expected if expected[place] != seen[place]} == set()
    assert {(place, name) for place, text in seen.items() for name in NAMES if name in str(text)} == set()


def test_what_tells_who_has_just_uploaded_is_hidden_with_the_name(usual):
    with unplayed(usual) as service:
        rows = {row["team"]: row for row in service.board(team(OWN)) if row["place"]}
        hidden = [row for name, row in rows.items() if name != OWN]
        assert hidden
        assert {(row["version"], row["state"], row["games"]) for row in hidden} == {(None, "plays", None)}
        assert rows[OWN]["version"] == 1
        games = service.snapshot(team(OWN))["news"]
        versions = {game[seat]: game[f"{seat}_version"] for game in games for seat in ("first", "second")}
        assert versions.pop(OWN) == 1
        assert set(versions.values()) <= {None, 1}, "1: of a yardstick"
        assert {name for name, version in versions.items() if version} <= {"random", "greedy"}
