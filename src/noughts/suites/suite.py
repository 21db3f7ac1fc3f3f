"""The suite of variants: positions of generated games, of games whose rules change, of classic and its disguise.

    variant     positions of newly generated games
    unchanged   positions of such games, each again in the next part
    clash       the same positions after a change of rules: every move that was best before is wrong now
    classic     positions of tic-tac-toe, its lines listed by their cells
    disguised   the same positions with the cells renumbered: an equivalent game, described alike

In each the choice matters: some legal move gives away value. The same size and seed give the same questions,
which the hash printed with every result confirms. The suites of seed 1 come with the package
(`benchmarks/make_suites.py` writes them); a suite of another seed is cached on disk.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, count, islice
from pathlib import Path

from noughts.cache import PACKAGE, cache_folder, source_hash, use
from noughts.files import write_whole
from noughts.game import Game, State
from noughts.games.classic import RULES as CLASSIC
from noughts.progress import Tick
from noughts.rules.spec import Rules
from noughts.solving import TooLarge, solve
from noughts.solving.codes import most_positions, used_symmetries
from noughts.suites.generator import MARKINGS, Marking, Variant, distinct, draw_variants, make_variant, shapes_on
from noughts.suites.interest import Insight, refusal
from noughts.suites.questions import Question, Suite, question_from
from noughts.untrusted import FileKind, parse_json, read_untrusted, unpack

SHIPPED = PACKAGE / "suites" / "made"
"""Folder of the suites that come with the package."""
LARGEST = 1_200_000
"""Maximum positions of a game in a suite, up to symmetry: it takes a second or two to solve."""
WALKS = 60
"""Random games in which the positions of a variant are searched."""
SUITE = FileKind("a suite", 32 << 20, nodes=1 << 22, unpacked=200 << 20)
"""Size limits of a cached suite."""


@dataclass(frozen=True)
class Size:
    """The size of a suite: variants x positions questions on generated games; positions before and after a change of
    the rules; classic positions, plain and in disguise.
    """

    variants: int
    positions: int
    clashes: int
    classic: int

    @property
    def questions(self) -> int:
        return self.variants * self.positions + 2 * self.clashes + 2 * self.classic


SIZES = {"small": Size(120, 4, 60, 30), "full": Size(640, 4, 480, 120)}

STRATA: dict[str, tuple[tuple[str, ...], int]] = {
    "own": (("own",), 3),
    "wild": (("wild", "half-wild-first", "half-wild-second", "three-marks"), 3),
    "sums": (("sum-12", "sum-123", "sum-13-24"), 3),
    "once": (("once-odd-even", "once-low-high", "once-mixed"), 3),
    "4x4": (("own", "wild"), 4),
}
"""Equally large parts of the variants: ways of marking, and the side of the board."""


def make_suite(size: str = "small", seed: int = 1, tick: Tick | None = None) -> Suite:
    """Returns the suite of a seed: from the package, or from disk if it was generated before.

    tick: called with the share of the work done.
    """
    if size not in SIZES:
        raise ValueError(f"the size of a suite must be {' or '.join(SIZES)}, not {size!r}")
    kept = _load(size, seed)
    if kept is not None:
        return kept
    suite = Suite(size, seed, tuple(make_questions(SIZES[size], seed, tick)))
    path = _cached(size, seed)
    with suppress(OSError):
        use(path.parent)
        write_suite(suite, path)
    return suite


def make_questions(size: Size, seed: int, tick: Tick | None = None) -> Iterator[Question]:
    """Yields the newly generated questions of a seed."""
    streams = question_streams(size, seed).values()
    for done, question in enumerate(chain.from_iterable(streams), 1):
        yield question
        if tick:
            tick(done / size.questions)


def question_streams(size: Size, seed: int) -> dict[str, Iterator[Question]]:
    """Returns the questions by source, generated on demand: a stream does not depend on how much was taken from
    another.
    """
    streams = {stratum: _variant_questions(stratum, size, seed) for stratum in STRATA}
    return streams | {"clash": _clash_questions(size, seed), "classic": _classic_questions(size, seed)}


def asked_values(insight: Insight, state: State) -> dict[int, int]:
    """Returns the value of every legal action of a position; empty if they are all the same."""
    values = insight.solution.action_values(state)
    return values if len(set(values.values())) > 1 else {}


def random_positions(insight: Insight, draw: random.Random) -> Iterator[State]:
    """Yields positions of random games in which the choice matters, without symmetric ones, in order of the games."""
    seen: set[int] = set()
    for _ in range(WALKS):
        state, met = insight.solution.game.new_initial_state(), []
        while not state.is_terminal():
            met.append(state.clone())
            state.apply_action(draw.choice(state.legal_actions()))
        draw.shuffle(met)
        for state in met:
            node = insight.graph.node(state)
            if node not in seen:
                seen.add(node)
                if asked_values(insight, state):
                    yield state


def insight_of(variant: Variant) -> Insight | None:
    """Returns the facts of a variant, if it is worth asking about and small enough; else None."""
    rules = variant.rules
    try:
        if sum(most_positions(rules)) > LARGEST * len(used_symmetries(rules)) * (4 if rules.line_sum else 1):
            return None
        insight = Insight(solve(Game(rules), keep=False))
    except TooLarge:
        return None
    return insight if refusal(insight.figures()) is None else None


def _markings(stratum: str) -> tuple[tuple[Marking, ...], int]:
    families, side = STRATA[stratum]
    return tuple(marking for marking in MARKINGS if marking.family in families), side


def _variant_questions(stratum: str, size: Size, seed: int) -> Iterator[Question]:
    """Yields the questions of a stratum: its share of the variants, with losing lines in at most half of them."""
    share = size.variants // len(STRATA)
    markings, side = _markings(stratum)
    taken = losing = 0
    for variant in distinct(draw_variants(f"{seed} {stratum}", markings, side)):
        if taken == share:
            break
        if variant.rules.misere and losing >= share // 2:
            continue
        insight = insight_of(variant)
        if insight is None:
            continue
        draw = random.Random(f"{seed} {stratum} {taken}")
        found = list(islice(random_positions(insight, draw), size.positions))
        if len(found) < size.positions:
            continue
        group = f"{stratum}-{taken}"
        taken += 1
        losing += variant.rules.misere
        for state in found:
            yield _question("variant", group, variant.family, insight, state)


def _question(
    part: str,
    group: str,
    family: str,
    insight: Insight,
    state: State,
    before: Rules | None = None,
    change: str = "",
) -> Question:
    values = asked_values(insight, state)
    depth = insight.depth_needed(state)
    return Question(part, group, family, state.game.rules, state.to_string(), values, depth, before, change)


CHANGES = ("goal", "goal", "target", "lines")
"""The kinds of change in mid-game, in turn: the goal (in half of the games), the sum, all lines."""


def _clash_questions(size: Size, seed: int) -> Iterator[Question]:
    draw = random.Random(f"{seed} clash")
    for number in range(size.clashes):
        change = CHANGES[number % len(CHANGES)]
        for attempt in count():
            found = _clash(change, f"{seed} clash {number} {attempt}", draw)
            if found is not None:
                (old, before), (new, after) = found
                group, family = f"clash-{number}", new.solution.game.name
                yield _question("unchanged", group, family, old, before, change=change)
                yield _question("clash", group, family, new, after, before.game.rules, change)
                break


def _clash(change: str, seed: str, draw: random.Random) -> tuple[tuple[Insight, State], ...] | None:
    """Returns one position under two rules without a common best move; None if there is none.

    Their order is random, so that both are equally hard on average for a player who only follows the current rules.
    """
    small = ("own", "wild", "sum-12", "sum-123")
    markings = tuple(m for m in MARKINGS if m.family in small and (change != "target" or m.sums != (None,)))
    variant = next(draw_variants(seed, markings, 3))
    changed = _changed(variant, change, draw)
    if changed is None:
        return None
    old, new = insight_of(variant), insight_of(changed)
    if old is None or new is None:
        return None
    for state in random_positions(new, draw):
        try:
            before = old.solution.game.from_string(state.to_string())
        except ValueError:
            continue  # a position in which the game was over under the old rules
        if before.is_terminal():
            continue
        was, now = old.solution.action_values(before), new.solution.action_values(state)
        best, truth = max(was.values()), max(now.values())
        if all(now[action] < truth for action, value in was.items() if value == best):
            found = ((old, before), (new, state))
            return found[::-1] if draw.random() < 0.5 else found
    return None


def _changed(variant: Variant, change: str, draw: random.Random) -> Variant | None:
    rules = variant.rules
    if change == "goal":
        return replace(variant, rules=replace(rules, misere=not rules.misere))
    marking = next(m for m in MARKINGS if m.marks == rules.marks and m.places == rules.places and m.once == rules.once)
    shapes, target = variant.shapes, rules.line_sum
    if change == "target":
        target = draw.choice([total for total in marking.sums if total != target])
    else:
        others = [name for name in shapes_on(rules.side) if name not in variant.shapes]
        shapes = tuple(draw.sample(others, 2))
    try:
        changed = make_variant(rules.side, shapes, marking, target, rules.misere)
    except ValueError:
        return None
    if change == "lines" and set(changed.rules.lines) & set(rules.lines):
        return None
    return changed


DISGUISED_TITLE = "a generated game"
DISGUISES = 6
"""Number of renumberings of classic's cells in a suite, each for its share of the positions."""


def _classic_questions(size: Size, seed: int) -> Iterator[Question]:
    """Yields positions of classic, and each again with the cells renumbered."""
    draw = random.Random(f"{seed} classic")
    plain = Insight(solve(Game(replace(CLASSIC, title=DISGUISED_TITLE, summary=""))))
    seen: dict[str, State] = {}
    while len(seen) < size.classic:
        for state in random_positions(plain, draw):
            if len(seen) < size.classic:
                seen.setdefault(state.canonical().to_string(), state)
    disguises = [_disguise(f"{seed} disguise {number}") for number in range(DISGUISES)]
    for number, state in enumerate(seen.values()):
        yield _question("classic", f"classic-{number}", "classic", plain, state)
        insight, cell_to = disguises[number % DISGUISES]
        cells = [cell for row in state.to_string().split(" ")[0].split("/") for cell in row]
        moved = "".join(cells[cell_to.index(cell)] for cell in range(len(cells)))
        rows = "/".join(moved[start : start + CLASSIC.side] for start in range(0, len(moved), CLASSIC.side))
        hidden = insight.solution.game.from_string(f"{rows} {state.to_string().split(' ')[1]}")
        yield _question("disguised", f"classic-{number}", "disguised", insight, hidden)


def _disguise(seed: str) -> tuple[Insight, list[int]]:
    """Returns classic with its cells renumbered so that no line stays a line, and where each cell went."""
    draw, lines = random.Random(seed), {frozenset(line) for line in CLASSIC.lines}
    while True:
        cell_to = list(range(CLASSIC.cells))
        draw.shuffle(cell_to)
        moved = tuple(tuple(sorted(cell_to[cell] for cell in line)) for line in CLASSIC.lines)
        if not lines & {frozenset(line) for line in moved}:
            rules = replace(CLASSIC, name="disguised", title=DISGUISED_TITLE, summary="", lines=moved)
            return Insight(solve(Game(rules))), cell_to


# On disk.


def write_suite(suite: Suite, path: Path) -> None:
    """Writes the questions of a suite, atomically."""
    data = json.dumps([question.as_data() for question in suite.questions]).encode()
    write_whole(path, gzip.compress(data, mtime=0))


def file_name(size: str, seed: int) -> str:
    return f"{Suite.name}-{size}-{seed}.json.gz"


def _cached(size: str, seed: int) -> Path:
    version = source_hash([PACKAGE / part for part in ("rules", "solving", "suites", "text")])
    return cache_folder("suites", version) / file_name(size, seed)


def _load(size: str, seed: int) -> Suite | None:
    path = SHIPPED / file_name(size, seed)
    if not path.is_file():
        path = _cached(size, seed)
    try:
        data = parse_json(unpack(read_untrusted(path, SUITE), SUITE), SUITE)
        return Suite(size, seed, tuple(map(question_from, data)))
    except (OSError, ValueError, KeyError, TypeError):
        return None
