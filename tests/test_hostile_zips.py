"""No zip of a student costs more than its limit, stops the others, or ends in anything but a reason."""

import os
import tempfile
import tracemalloc
from collections import Counter
from pathlib import Path

import pytest
from hostile_zips import BOT, DEFLATED, File, hostile_zips, mutations, zip_of
from tournament_play import tournament_in

from noughts.course.handed_in import handed_in, one_submission
from noughts.course.submissions import submissions, sync_folder
from noughts.similarity import codes_in

HOSTILE = {name: (data, words) for name, data, words in hostile_zips()}
PEAK = 48 << 20
"""Bytes of Python's objects. A zip of 4 MB with a directory of 1 MB may take more than half of it; one path of 3,000
folders would take more than all of it."""


@pytest.fixture
def measured_memory():
    tracemalloc.start()
    yield lambda: tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()


@pytest.fixture
def hostile_class(tmp_path):
    folder = tmp_path / "bots"
    folder.mkdir()
    for name, (data, _) in HOSTILE.items():
        (folder / f"{name}.zip").write_bytes(data)
    (folder / "honest.zip").write_bytes(zip_of(File(b"team/bot.py", BOT, DEFLATED)))
    return folder


def collect(folder):
    found = submissions(folder)
    return [each.name for each in found if each.source], {each.name: each.reason for each in found if each.reason}


def similarity(folder):
    codes, refused = codes_in(folder)
    return [code.name for code in codes], dict(refused)


def tournament_run(folder):
    with tournament_in(folder.parent / "class.noughts", players=()).file as file:
        tournament = file.tournament()
        sync_folder(tournament, folder)
        reasons = {entry.name: entry.reason for entry in tournament.entries.all()}
        return [name for name in reasons if not reasons[name]], {
            name: reasons[name] for name in reasons if reasons[name]
        }


def autograder(folder):
    found = {path.stem: path for path in folder.iterdir()}
    accepted, reasons = [], {}
    for name, path in found.items():
        alone = folder.parent / "alone" / name
        alone.mkdir(parents=True)
        os.link(path, alone / path.name)
        submission = one_submission(alone)
        if submission.source:
            accepted.append(name)
        else:
            reasons[name] = submission.reason
    return accepted, reasons


@pytest.mark.parametrize("reader", [collect, similarity, tournament_run, autograder])
def test_every_hostile_zip_is_refused_in_words_and_the_honest_one_plays(hostile_class, measured_memory, reader):
    accepted, reasons = reader(hostile_class)
    assert measured_memory() < PEAK
    assert accepted == ["honest"]
    assert set(reasons) == set(HOSTILE)
    assert not {name: reason for name, reason in reasons.items() if HOSTILE[name][1] not in reason}
    assert all(len(reason) < 500 and reason.isprintable() for reason in reasons.values())


def test_an_export_that_is_hostile_itself_is_refused_or_read(tmp_path):
    results = Counter()
    for name, (data, _) in HOSTILE.items():
        if name == "many":  # an export may have so many files
            continue
        path = tmp_path / "export.zip"
        path.write_bytes(data)
        try:
            found, refusal = handed_in(path), ""
        except ValueError as error:
            found, refusal = [], str(error)
        assert not refusal or str(path) in refusal or "maximum for its directory" in refusal, name
        assert all(bool(each.reason) != bool(each.source) for each in found), name
        results["refused" if refusal else "read"] += 1
    assert min(results["refused"], results["read"]) >= 10


def test_damaged_zips_are_read_or_refused_in_words(tmp_path):
    accepted = 0
    for data in mutations(300, seed=1):
        (tmp_path / "team.zip").write_bytes(data)
        submission = one_submission(tmp_path)
        assert bool(submission.source) != bool(submission.reason)
        accepted += submission.source is not None
    assert 10 < accepted < 290


def test_a_submission_of_many_zips_is_refused_unread(tmp_path):
    for number in range(51):
        (tmp_path / f"{number}.zip").write_bytes(b"no zip")
    assert "contains 51 zips" in one_submission(tmp_path).reason


def test_an_autograder_refuses_a_folder_of_too_many_files(tmp_path, monkeypatch):
    """An exception would tell the staff that the autograder failed, and the student nothing."""
    monkeypatch.setattr("noughts.course.handed_in.MOST_FILES", 10)
    for number in range(12):
        (tmp_path / f"{number}.py").write_bytes(BOT)
    assert "more than 10 files" in one_submission(tmp_path).reason


def test_a_time_outside_the_calendar_stops_no_class(tmp_path):
    folder = Path("/dev/shm") if os.path.isdir("/dev/shm") else tmp_path  # most disks store no such time
    with tempfile.TemporaryDirectory(dir=folder) as bots:
        path = Path(bots, "late.py")
        path.write_bytes(BOT)
        os.utime(path, (1 << 40, 1 << 40))
        (submission,) = submissions(bots)
    assert submission.source is not None
