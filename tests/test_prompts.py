"""Every prompt, word for word, with its version: results of models can be compared only if they were asked alike.

A change that is meant gets a new version in `text/prompts.py`; then write the files anew:

    python tests/test_prompts.py

`prompts.txt` has today's texts. `prompt_versions.txt` has a hash of each text under each version, and only grows: the
command refuses a text that differs from the one recorded under its version.
"""

import hashlib
import sys
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

import noughts
from noughts.games.classic import RULES as CLASSIC
from noughts.suites.generator import draw_variants
from noughts.text.kaggle import KaggleEnv
from noughts.text.prompts import OTHER_VERSIONS, PROMPTS, changed_prompt, prompt, prompt_kind, system_prompt

FILE = Path(__file__).parent / "snapshots" / "prompts.txt"
VERSIONS = FILE.with_name("prompt_versions.txt")


def every_prompt():
    """Titles with their versions, and texts."""
    for name in noughts.game_names():
        rules = noughts.load_game(name).rules
        for player in (0, 1):
            yield f"{name}, player {player}", prompt_kind(rules), prompt(rules, player)
    wild = noughts.load_game("wild").rules
    yield "wild, full", prompt_kind(wild, full=True), prompt(wild, 0, full=True)
    for number, variant in enumerate(islice(draw_variants(3), 12)):
        yield f"variant {number}", prompt_kind(variant.rules), prompt(variant.rules, number % 2)
    notakto = replace(CLASSIC, marks="X", places=("X", "X"), misere=True)
    yield "one mark", prompt_kind(notakto), prompt(notakto, 0)
    yield "classic, listed", "listed", prompt(CLASSIC, 1, kind="listed", example=7)
    yield "changed", "changed", changed_prompt(CLASSIC, 0, prompt(replace(CLASSIC, misere=True), 0, example=2))
    for at in ([], [40], [40, 30]):
        env = KaggleEnv(noughts.load_game("ultimate"))
        env.reset()
        for action in at:
            env.play(action)
        yield f"kaggle, after {len(at)} moves", "kaggle", env.get_observation()[1]
    for take, allowance in (("last", 0), ("first", 2)):
        yield f"system, {take} move, {allowance} forgiven", "system", system_prompt(take, allowance)


def version_of(kind):
    return PROMPTS[kind].version if kind in PROMPTS else OTHER_VERSIONS[kind]


def snapshot(prompts):
    return "".join(f"=== {title}: {kind} version {version_of(kind)}\n{text}\n\n" for title, kind, text in prompts)


def recorded(lines):
    """Returns the hashes in the table of versions, by everything before them."""
    return dict(line.rsplit(" ", 1) for line in lines)


def with_versions(lines, prompts):
    """Returns the table of versions with these prompts. Raises ValueError for a text that changed under its version."""
    table = recorded(lines)
    for title, kind, text in prompts:
        key, digest = f"{kind} {version_of(kind)}, {title}:", hashlib.sha256(text.encode()).hexdigest()[:16]
        if table.setdefault(key, digest) != digest:
            raise ValueError(f"the text of {title} changed: raise the version of {kind!r} in text/prompts.py")
    return [f"{key} {digest}" for key, digest in table.items()]


def test_no_prompt_has_changed_without_a_new_version():
    lines = VERSIONS.read_text(encoding="utf-8").splitlines()
    assert with_versions(lines, every_prompt()) == lines, "new prompts: run python tests/make_fixtures.py"
    assert snapshot(every_prompt()) == FILE.read_text(encoding="utf-8")


def test_a_text_that_changes_under_its_version_is_refused_and_new_versions_are_added(monkeypatch):
    lines = VERSIONS.read_text(encoding="utf-8").splitlines()
    changed = [("wild, player 0", "wild", "another text")]
    with pytest.raises(ValueError, match="raise the version of 'wild'"):
        with_versions(lines, changed)
    monkeypatch.setitem(PROMPTS, "wild", PROMPTS["wild"]._replace(version=99))
    assert with_versions(lines, changed)[:-1] == lines


def test_every_prompt_has_a_version():
    assert {kind for _, kind, _ in every_prompt()} == {*PROMPTS, *OTHER_VERSIONS}


def write():
    lines = VERSIONS.read_text(encoding="utf-8").splitlines() if VERSIONS.exists() else []
    lines = with_versions(lines, every_prompt())
    VERSIONS.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    FILE.write_text(snapshot(every_prompt()), encoding="utf-8")


if __name__ == "__main__":
    try:
        write()
    except ValueError as error:
        sys.exit(f"test_prompts.py: {error}")
