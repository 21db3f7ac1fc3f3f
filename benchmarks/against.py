"""Compares this working tree with an earlier commit, in turns: what got slower?

    python benchmarks/against.py COMMIT                        every probe, about eight minutes on two cores
    python benchmarks/against.py COMMIT --only search          one probe; `--list` names them
    python benchmarks/against.py COMMIT --allow first-use=2    a limit of its own for one probe
    python benchmarks/against.py COMMIT --wheel FILE           a wheel, installed, instead of the working tree
    python benchmarks/against.py COMMIT --json

Each probe is a few lines of public names, or a command, run in a new process for each version, in turns. A probe
prints seconds, so lower is better; the ratio is the median over the turns of now/then, with its smallest and largest
turn. The exit code is 1 if a ratio is over its limit (1.1, or what --allow says), or if a probe fails in either
version: a probe whose names have moved lists both places (`find`). Both versions run in this interpreter with the same
packages, each with a cache of compiled code of its own.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import resource
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIMIT = 1.1
"""A ratio beyond this is a regression."""

CLI = "import sys; from noughts.cli import main; sys.exit(main({!r}))"
FIND = """
from importlib import import_module
def find(*places):
    missing = []
    for place in places:
        module, name = place.split(":")
        try:
            return getattr(import_module(module), name)
        except (ImportError, AttributeError) as error:
            missing.append(str(error))
    raise ImportError("; ".join(missing))
"""
"""`find("new.module:Name", "old.module:Name")` returns the first that a version has."""
TIMED = """
import time
def best(work, repeats):
    work()
    seen = []
    for _ in range(repeats):
        started = time.process_time()
        work()
        seen.append(time.process_time() - started)
    return min(seen)
"""
MATCH = """
import contextlib, io, os, time
from noughts.cli import main
open("own.py", "w").write("def choose(state, clock):\\n    return state.legal_actions()[0]\\n")
open("course.py", "w").write(
    "class Team1:\\n    def __init__(self):\\n        pass\\n\\n    def move(self, board, old_move, flag):\\n"
    "        return board.find_valid_move_cells(old_move)[0]\\n"
)
def match(*names, games):
    started = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        code = main(["match", *names, "--games", str(games), "--seed", "1", "--json"])
    assert code == 0, code
    return time.perf_counter() - started
"""
ONE_CORE = "os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])\n"
DIFFERENCE = """
few, many = (
    min(match("{bot}", "random", "--game", "{game}", games=games) for _ in range(3)) for games in ({few}, {many})
)
print(max(many - few, 1e-9))
"""
COURSE_MOVES = DIFFERENCE.format(bot="course.py", game="extreme", few=2, many=12)
OWN_MOVES = DIFFERENCE.format(bot="own.py", game="extreme", few=2, many=12)
"""Ten games more: about 750 moves of the bot."""


@dataclass(frozen=True)
class Probe:
    """A measurement. code: prints seconds, unless what counts is the process itself: its processor time ("cpu")."""

    what: str
    code: str
    cpu: bool = False
    turns: int = 5
    cold: bool = False
    """Whether each turn starts with an empty cache of compiled code."""


PROBES = {
    "import": Probe("import noughts", "import noughts", cpu=True, turns=9),
    "version": Probe("noughts --version", CLI.format(["--version"]), cpu=True, turns=9),
    "show": Probe("noughts show extreme", CLI.format(["show", "extreme"]), cpu=True, turns=7),
    "playouts": Probe(
        "playouts of extreme, ultimate and classic",
        TIMED
        + "import noughts\n"
        + "counts = {'extreme': 6000, 'ultimate': 10000, 'classic': 60000}\n"
        + "work = [(noughts.load_game(name), count) for name, count in counts.items()]\n"
        + "print(sum(best(lambda: noughts.playouts(game, count, seed=1), 7) for game, count in work))",
    ),
    "perft": Probe(
        "perft of xtreme to depth 4",
        TIMED + "import noughts\ngame = noughts.load_game('xtreme')\nprint(best(lambda: noughts.perft(game, 4), 3))",
    ),
    "state": Probe(
        "a step from Python, extreme",
        TIMED
        + """
import random, noughts
game = noughts.load_game("extreme")
def play():
    choose = random.Random(1)
    for _ in range(20):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(choose.choice(state.legal_actions()))
print(best(play, 7))
""",
    ),
    # Nothing that prunes by estimates: which nodes are cheap would change with every margin, and with it the figure.
    "search": Probe(
        "20 million nodes of xtreme, nothing pruned by estimates",
        FIND
        + """
import time, noughts
bits = find("noughts.search:TECHNIQUE_NAMES")
exact = sum(bits[name] for name in bits if name not in ("reductions", "futility", "reverse-futility", "singular"))
engine = noughts.Engine(noughts.load_game("xtreme"), techniques=exact)
def seconds(nodes):
    engine.new_game()
    started = time.process_time()
    engine.search(engine.game.new_initial_state(), noughts.Limits(nodes=nodes))
    return time.process_time() - started
seconds(1000)
print(min(seconds(20_000_000) for _ in range(3)))
""",
    ),
    "solve": Probe(
        "solve classic, in a process that has solved it",
        TIMED + "import noughts\nprint(best(lambda: noughts.solve(noughts.load_game('classic'), fresh=True), 15))",
    ),
    "solve-numerical": Probe(
        "solve numerical, in a new process",
        "import noughts; noughts.solve(noughts.load_game('numerical'), fresh=True)",
        cpu=True,
        turns=5,
    ),
    "move-course": Probe("750 sandboxed moves, the course's interface, two cores", MATCH + COURSE_MOVES, turns=3),
    "move-course-one-core": Probe("the same on one core", MATCH + ONE_CORE + COURSE_MOVES, turns=3),
    "move-own": Probe("750 sandboxed moves, our interface, two cores", MATCH + OWN_MOVES, turns=3),
    "move-own-one-core": Probe("the same on one core", MATCH + ONE_CORE + OWN_MOVES, turns=3),
    "start": Probe(
        "starting bots: games of classic",
        MATCH + DIFFERENCE.format(bot="own.py", game="classic", few=2, many=42),
        turns=3,
    ),
    "episode": Probe(
        "the first 1,000 episodes of wild",
        FIND
        + """
import random, time
Episode = find("noughts.envs.episode:Episode")
choose = random.Random(1)
started = time.process_time()
episode = Episode("wild", opponent="random")
for seed in range(1000):
    episode.reset(seed=seed)
    while not episode.done:
        episode.step(choose.choice(episode.legal_moves()))
    episode.reward()
print(time.process_time() - started)
""",
    ),
    "vector": Probe(
        "200 steps of 512 games of extreme at once",
        FIND
        + TIMED
        + """
import warnings
warnings.simplefilter("ignore")
env = find("noughts.envs.vector:NoughtsVectorEnv")("extreme", 512)
env.reset(seed=1)
def steps():
    for _ in range(200):
        env.step(env.sample_legal())
print(best(steps, 3))
""",
    ),
    "tournament": Probe(
        "noughts tournament with its example bots",
        CLI.format(["tournament"]),
        cpu=True,
        turns=3,
    ),
    "first-use": Probe(
        "first move of the engine, nothing compiled",
        CLI.format(["analyze", "extreme", "--depth", "2"]),
        cpu=True,
        turns=2,
        cold=True,
    ),
}


class ProbeError(Exception):
    """A probe failed in one of the versions."""


class Version:
    """One of the two versions, with its own cache of compiled code. source: the folder that contains the package."""

    def __init__(self, name: str, source: Path, work: Path) -> None:
        self.name, self.source = name, source
        self.work = work / name.replace("/", "-")
        self.cache = self.work / "cache"
        self.cache.mkdir(parents=True)
        imported = Path(self.run("import noughts; print(noughts.__file__)")[0].strip())
        if not imported.is_relative_to(source):
            raise ProbeError(f"{name}: Python imports {imported} instead of the package in {source}")

    def run(self, code: str, cache: Path | None = None) -> tuple[str, float]:
        """Runs a program in a new interpreter; returns what it printed and its processor seconds."""
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("NOUGHTS_", "NUMBA_"))},
            "PYTHONPATH": str(self.source),
            "NOUGHTS_CACHE_DIR": str(cache or self.cache),
            "NOUGHTS_GAMES_DIR": str(self.work / "games"),
        }
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, cwd=self.work, text=True, capture_output=True, timeout=300
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise ProbeError(f"{self.name}: {reason}")
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return done.stdout, used

    def measure(self, probe: Probe) -> float:
        if not probe.cold:
            out, used = self.run(probe.code)
        else:
            with tempfile.TemporaryDirectory(dir=self.work) as empty:
                out, used = self.run(probe.code, Path(empty))
        return used if probe.cpu else float(out.split()[-1])


def checked_out(commit: str, folder: Path) -> Path:
    """Writes a commit's sources, and the bots that its demo plays, below a folder; returns the path of `src`."""
    packed = subprocess.run(["git", "archive", commit, "src", "examples"], cwd=ROOT, capture_output=True, check=False)
    if packed.returncode:
        sys.exit(f"against.py: git does not know {commit!r}: {packed.stderr.decode().strip()}")
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder / "src"


def installed(wheel: Path, folder: Path) -> Path:
    """Installs a wheel, without its dependencies, to a folder; returns the folder."""
    options = ["--quiet", "--no-deps", "--no-index", "--disable-pip-version-check", "--target", str(folder)]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", *options, str(wheel)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"against.py: pip cannot install {wheel}: {done.stderr.strip()}")
    return folder


def own_limit(text: str) -> tuple[str, float]:
    """Returns the probe and the limit of NAME=RATIO."""
    name, _, ratio = text.partition("=")
    if name not in PROBES:
        raise argparse.ArgumentTypeError(f"there is no probe {name!r}; choose from {', '.join(PROBES)}")
    try:
        limit = float(ratio)
    except ValueError:
        limit = 0.0
    if not LIMIT < limit < float("inf"):
        raise argparse.ArgumentTypeError(f"the limit of {name} must be a number over {LIMIT}, not {ratio!r}")
    return name, limit


def compare(probe: Probe, now: Version, then: Version) -> dict[str, object]:
    """Runs a probe in turns; returns the seconds of both versions and the ratios of the turns."""
    for version in (now, then):
        if not probe.cold:
            version.measure(probe)  # compiles and fills the caches of files
    pairs = []
    for turn in range(probe.turns):
        order = (now, then) if turn % 2 == 0 else (then, now)
        seen = {version.name: version.measure(probe) for version in order}
        pairs.append((seen[now.name], seen[then.name]))
    ratios = sorted(mine / other for mine, other in pairs)
    return {
        "now": statistics.median(mine for mine, _ in pairs),
        "then": statistics.median(other for _, other in pairs),
        "ratio": statistics.median(ratios),
        "least": ratios[0],
        "most": ratios[-1],
    }


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit", nargs="?", metavar="COMMIT", help="the version to compare with")
    parser.add_argument("--only", nargs="+", choices=PROBES, metavar="NAME", help="run only these probes")
    parser.add_argument(
        "--allow", nargs="+", type=own_limit, default=[], metavar="NAME=RATIO", help=f"limits other than {LIMIT}"
    )
    parser.add_argument("--wheel", type=Path, metavar="FILE", help="measure this wheel instead of the working tree")
    parser.add_argument("--list", action="store_true", help="list the probes")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    args = parser.parse_args(argv)
    if args.list or args.commit is None:
        for name, probe in PROBES.items():
            print(f"{name:22}{probe.what}")
        return 0 if args.list else parser.error("name a commit")
    limits = dict.fromkeys(args.only or PROBES, LIMIT) | dict(args.allow)
    results: dict[str, dict[str, object]] = {}
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        source = installed(args.wheel, work / "installed") if args.wheel else ROOT / "src"
        try:
            then = Version(args.commit, checked_out(args.commit, work / "sources"), work)
            now = Version("now", source, work)
        except ProbeError as error:
            sys.exit(f"against.py: {error}")
        if not args.json:
            print(f"{'seconds, lower is better':54} {'now':>9} {args.commit[:9]:>9}   ratio (turns)")
        for name in args.only or PROBES:
            probe = PROBES[name]
            try:
                results[name] = {**compare(probe, now, then), "limit": limits[name]}
            except ProbeError as error:
                results[name] = {"failed": str(error)}
            if not args.json:
                print(line(probe, results[name]), flush=True)
    slower = [name for name, figures in results.items() if is_slower(figures)]
    failed = [name for name, figures in results.items() if "failed" in figures]
    if args.json:
        print(json.dumps({"commit": args.commit, "probes": results, "slower": slower, "failed": failed}, indent=1))
    else:
        print(
            f"{time.monotonic() - started:.0f} s; "
            + (f"slower: {', '.join(slower)}" if slower else "nothing is slower")
            + (f"; not compared: {', '.join(failed)}" if failed else "")
        )
    return 1 if slower or failed else 0


def is_slower(figures: dict[str, object]) -> bool:
    ratio, limit = figures.get("ratio", 0.0), figures.get("limit", LIMIT)
    assert isinstance(ratio, float)
    assert isinstance(limit, float)
    return ratio > limit


def line(probe: Probe, figures: dict[str, object]) -> str:
    if "failed" in figures:
        return f"{probe.what:54} not compared: {figures['failed']}"
    limit = "" if figures["limit"] == LIMIT else f"  limit {figures['limit']}"
    mark = "  SLOWER" if is_slower(figures) else ""
    return (
        f"{probe.what:54} {figures['now']:9.4f} {figures['then']:9.4f}   "
        f"{figures['ratio']:.2f} ({figures['least']:.2f} to {figures['most']:.2f}){limit}{mark}"
    )


if __name__ == "__main__":
    sys.exit(main())
