"""Every prompt, word for word, with its version: results of models can be compared only if they were asked alike.

A change that is meant gets a new version in `text/prompts.py`; then write the file anew:

    python tests/test_prompts.py
"""

from dataclasses import replace
from itertools import islice
from pathlib import Path

import noughts
from noughts.rules.variants import CLASSIC
from noughts.suites.generator import draw_variants
from noughts.text.kaggle import KaggleEnv
from noughts.text.prompts import OTHER_VERSIONS, PROMPTS, changed_prompt, prompt, prompt_kind, system_prompt

FILE = Path(__file__).parent / "snapshots" / "prompts.txt"


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


def snapshot():
    versions = {kind: each.version for kind, each in PROMPTS.items()} | OTHER_VERSIONS
    return "".join(f"=== {title}: {kind} version {versions[kind]}\n{text}\n\n" for title, kind, text in every_prompt())


def test_no_prompt_has_changed_without_a_new_version():
    assert snapshot() == FILE.read_text(encoding="utf-8")


def test_every_prompt_has_a_version():
    assert {kind for _, kind, _ in every_prompt()} == {*PROMPTS, *OTHER_VERSIONS}


if __name__ == "__main__":
    FILE.write_text(snapshot(), encoding="utf-8")
