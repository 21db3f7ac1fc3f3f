"""Members of a class: a secret link for each of them, which stays over restarts, and what it opens."""

from __future__ import annotations

import os
import stat

import pytest

from noughts.commands import serve
from noughts.course.roster import read_roster

pytest.importorskip("fastapi")
from noughts.web._members import Links, kept_token, links_path, shared_token, token_hash

ROSTER = "team,name,id,email\nteam7,Jane Doe,1,jane@example.org\nteam7,=HYPERLINK(1),2,\nteam8,,3,\n"


@pytest.fixture
def roster(tmp_path):
    path = tmp_path / "roster.csv"
    path.write_text(ROSTER)
    return path


def written(roster, base="http://10.0.0.7:8765"):
    links = Links(links_path(roster), read_roster(roster))
    links.write(base)
    lines = links.path.read_text().splitlines()[1:]
    return links, [line.rpartition("#")[2] for line in lines]


def test_each_member_and_the_staff_get_a_link_that_only_the_owner_can_read(roster):
    links, tokens = written(roster)
    assert links.path.name == "roster-links.csv"
    text = links.path.read_text()
    assert text.splitlines()[0] == "team,name,id,email,link"
    assert text.count("http://10.0.0.7:8765/join#") == 4 == len(set(tokens))
    assert "=HYPERLINK" not in text.replace("'=HYPERLINK", "")
    if os.name == "posix":
        assert stat.S_IMODE(links.path.stat().st_mode) == 0o600
    found = [links.members(token_hash(token)) for token in tokens]
    assert [(one.name, one.visibility.audience, one.visibility.team) for one in found] == [
        ("staff", "staff", None),
        ("Jane Doe", "team", "team7"),
        ("=HYPERLINK(1)", "team", "team7"),
        ("3", "team", "team8"),
    ]
    assert len({one.key for one in found}) == 4
    assert not any(one.shared for one in found)
    assert links.members(token_hash("guess")) is None


def test_links_stay_unless_their_line_or_their_member_is_removed(roster):
    _, tokens = written(roster)
    again, same = written(roster, "https://class.example")
    assert (again.new, same) == (0, tokens)
    assert "https://class.example/join#" in again.path.read_text()
    lines = again.path.read_text().splitlines()
    again.path.write_text("\n".join(line for line in lines if "Jane" not in line))
    again.path.chmod(0o600)
    roster.write_text(ROSTER.replace("team8,,3,\n", "team9,,4,\n"))
    third, new = written(roster)
    assert third.new == 2
    assert [one == other for one, other in zip(tokens, new, strict=True)] == [True, False, True, False]
    assert third.members(token_hash(tokens[1])) is None
    assert third.members(token_hash(tokens[3])) is None


def test_a_file_of_links_that_others_can_read_or_that_is_none_is_refused(roster):
    links, _ = written(roster)
    if os.name == "posix":
        links.path.chmod(0o644)
        with pytest.raises(ValueError, match="others can read"):
            written(roster)
        links.path.chmod(0o600)
    links.path.write_text("name\nJane\n")
    with pytest.raises(ValueError, match="is not a file of links"):
        written(roster)


def test_a_token_file_is_made_once_and_read_again(tmp_path):
    path = tmp_path / "token"
    token = kept_token(path)
    assert kept_token(path) == token
    assert len(token) == 14
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.write_text("  My-Own-Token \n")
    assert kept_token(path) == "my-own-token"
    assert shared_token("my-own-token")(token_hash(" MY-own-token\n")) is not None
    for text in ("", "short", "two words here"):
        path.write_text(text)
        with pytest.raises(ValueError, match="has no token"):
            kept_token(path)


def settings(*words):
    import argparse

    parser = argparse.ArgumentParser()
    serve.add_arguments(parser)
    args = parser.parse_args([str(word) for word in words])
    links = serve.links_from(args)
    return serve.settings_from(args, links), links


def test_what_the_server_says_about_links_tokens_and_proxies(roster, tmp_path):
    chosen, links = settings("--members", roster)
    assert not chosen.local  # everybody needs a token, also on this machine
    printed = serve.addresses(chosen, 8765, "/", links)
    assert "links of 3 members and one for staff, 4 of them new" in printed
    assert "roster-links.csv" in printed
    assert "#" not in printed
    chosen, _ = settings("--token", tmp_path / "token")
    assert f"/join#{kept_token(tmp_path / 'token')}" in serve.addresses(chosen, 8765, "/")
    chosen, _ = settings("--proxy", "127.0.0.1", "--name", "class.example")
    assert chosen.token is not None  # everybody comes from this machine, and is not on it
    assert serve.addresses(chosen, 8765, "/").startswith(
        "noughts is served at https://class.example, by a proxy for http://127.0.0.1:8765 "
    )


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--members", "nowhere.csv"], "nowhere.csv"),
        (["--members", "ROSTER", "--token", "t"], "leave out --token"),
        (["--proxy", "127.0.0.1"], "--name class.example"),
        (["--proxy", "nginx", "--name", "x"], "must be an IP address"),
    ],
)
def test_what_cannot_be_served_is_refused_in_a_sentence(roster, words, error):
    with pytest.raises((ValueError, OSError), match=error):
        settings(*(roster if word == "ROSTER" else word for word in words))


def test_a_server_behind_a_proxy_takes_its_own_name_as_origin_and_no_other(inside):
    client = inside(proxies=("127.0.0.1",), names=("class.example",))
    for origin, status in (
        ("https://class.example", 201),
        ("https://evil.example", 403),
        ("https://class.example:9", 403),
    ):
        asked = {"game": "classic", "opponent": "screen"}
        answer = client.post("/api/play", json=asked, headers={"origin": origin})
        assert answer.status_code == status, origin
