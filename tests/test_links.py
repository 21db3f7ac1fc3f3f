"""No link is followed where the name is not the operator's: not to write, not to lock, and never below BOTS."""

import os

import pytest
from tournament_play import tournament_in

from noughts.cli import main
from noughts.course.export import export
from noughts.course.submissions import submissions
from noughts.files import make_folder, write_whole
from noughts.matches.store import open_store
from noughts.tournaments.view import TournamentView
from noughts.untrusted import read_untrusted

pytestmark = pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="this system opens links")

BOT = "def choose(state, clock): return state.legal_actions()[0]\n"


@pytest.fixture
def precious(tmp_path):
    path = tmp_path / "precious"
    path.write_text("as it was")
    yield path
    assert path.read_text() == "as it was"


def test_a_draft_has_a_name_of_its_own_and_replaces_links(tmp_path, precious, monkeypatch):
    target = tmp_path / "standings.csv"
    target.symlink_to(precious)
    write_whole(target, b"new")
    assert not target.is_symlink()
    assert target.read_bytes() == b"new"
    monkeypatch.setattr("noughts.files.os.urandom", lambda size: bytes(size))
    (tmp_path / ".noughts-0000000000000000.part").symlink_to(precious)
    with pytest.raises(FileExistsError, match=r"standings\.csv"):
        write_whole(target, b"newer")
    assert target.read_bytes() == b"new"
    assert (tmp_path / ".noughts-0000000000000000.part").is_symlink()


def test_a_lock_that_is_a_link_makes_no_file_elsewhere(tmp_path, capsys):
    elsewhere = tmp_path / "elsewhere"
    (tmp_path / ".class.noughts.lock").symlink_to(elsewhere)
    (tmp_path / "bot.py").write_text(BOT)
    file = str(tmp_path / "class.noughts")
    assert main(["tournament", "run", str(tmp_path), "--game", "classic", "--file", file]) == 2
    assert ".class.noughts.lock is a link, and links are not followed; remove it" in capsys.readouterr().err
    (tmp_path / "transcript.jsonl").symlink_to(elsewhere)
    with pytest.raises(ValueError, match=r"transcript\.jsonl is a link"):
        open_store(tmp_path / "transcript.jsonl", {})
    assert not elsewhere.exists()


def test_an_export_writes_nothing_through_a_link(tmp_path):
    elsewhere, results = tmp_path / "elsewhere", tmp_path / "results"
    elsewhere.mkdir()
    results.mkdir()
    tournament = tournament_in(tmp_path / "t.noughts")
    (results / "teams").symlink_to(elsewhere)
    with pytest.raises(ValueError, match="teams is a link, and links are not followed"):
        export(TournamentView(tournament), results)
    assert not any(elsewhere.iterdir())
    tournament.file.close()
    (tmp_path / "named").symlink_to(results)  # the operator may name a link
    make_folder(tmp_path / "named" / "new", below=tmp_path / "named")
    assert (results / "new").is_dir()


def test_a_link_below_bots_is_no_bot(tmp_path):
    bots = tmp_path / "bots"
    (bots / "rival").mkdir(parents=True)
    (bots / "rival" / "bot.py").write_text(BOT)
    (bots / "thief").symlink_to("rival")
    (bots / "copy.py").symlink_to("rival/bot.py")
    (bots / "inner").mkdir()
    (bots / "inner" / "bot.py").symlink_to("../rival/bot.py")
    found = {each.name: each for each in submissions(bots)}
    assert found["rival"].source is not None
    for name in ("thief", "copy", "inner"):
        assert found[name].source is None
        assert "is a link" in found[name].reason


def test_a_folder_that_is_swapped_for_a_link_after_it_was_looked_at_is_no_bot(tmp_path, monkeypatch):
    bots = tmp_path / "bots"
    for name in ("rival", "thief"):
        (bots / name).mkdir(parents=True)
        (bots / name / "bot.py").write_text(BOT)

    def swap_and_read(path, *rest, **options):
        if path.parent.name == "thief":
            (bots / "thief").rename(tmp_path / "gone")
            (bots / "thief").symlink_to("rival")
        return read_untrusted(path, *rest, **options)

    monkeypatch.setattr("noughts.course.handed_in.read_untrusted", swap_and_read)
    rival, thief = submissions(bots)
    assert rival.source is not None
    assert thief.source is None
    assert "cannot read it" in thief.reason
