"""Finds copies among synthetic bots: which pairs are found and how long it takes, beside copydetect.

python benchmarks/similarity.py [--bots 1000] [--oracle 120]

--bots are generated from one grammar with the same template. Among them are ten copies of each of five kinds: renamed,
reordered, padded, merged from two, and all at once. A copy is found if it and its origin rank among the first N pairs,
where N is the number of copies. copydetect compares every pair, so it gets only --oracle bots; noughts gets those too.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from test_similarity import TEMPLATE, merged, padded, renamed, reordered, written

from noughts.similarity import Code, compare

COPIES = 10
KINDS: dict[str, Callable[[str, str], str]] = {
    "renamed": lambda text, _: renamed(text),
    "reordered": lambda text, _: reordered(text),
    "padded": lambda text, _: padded(text, 10**6 + len(text)),
    "merged": lambda text, other: merged(text, other),
    "all at once": lambda text, _: reordered(renamed(padded(text, 10**6 + len(text)))),
}


def a_class(bots: int, copies: int) -> tuple[list[Code], dict[str, list[tuple[str, str]]]]:
    """Returns bots, and for each kind of copy the pairs that should be found."""
    choose = random.Random(1)
    codes = [Code(f"bot{n}", written(n, functions=choose.randrange(5, 12))) for n in range(bots)]
    planted: dict[str, list[tuple[str, str]]] = {}
    for kind, dress in KINDS.items():
        for number in range(copies):
            one, other = choose.sample(range(bots), 2)
            name = f"{kind} {number}".replace(" ", "_")
            codes.append(Code(name, dress(codes[one].text, codes[other].text)))
            planted.setdefault(kind, []).append((f"bot{one}", name))
    return codes, planted


def found(pairs: list[tuple[str, str]], planted: dict[str, list[tuple[str, str]]]) -> str:
    # A merged bot has two origins, and both pairs are rightly at the top.
    most = sum(map(len, planted.values())) + len(planted["merged"])
    top = {frozenset(pair) for pair in pairs[:most]}
    return ", ".join(f"{kind} {sum(frozenset(p) in top for p in each)}/{len(each)}" for kind, each in planted.items())


def ours(codes: list[Code], planted: dict[str, list[tuple[str, str]]]) -> None:
    fresh = [Code(code.name, code.text) for code in codes]
    started = time.process_time()
    pairs = compare(fresh, TEMPLATE.format(name="Bot"), top=200)
    taken = time.process_time() - started
    tokens = sum(len(code.tokens.kinds) for code in fresh)
    names = [(pair.first.name, pair.second.name) for pair in pairs]
    print(
        f"  noughts     {taken:7.1f} s for {len(codes)} bots of {tokens // len(codes)} tokens; {found(names, planted)}"
    )


def theirs(codes: list[Code], planted: dict[str, list[tuple[str, str]]]) -> None:
    warnings.simplefilter("ignore")
    from copydetect import CopyDetector

    with tempfile.TemporaryDirectory() as folder:
        for code in codes:
            Path(folder, f"{code.name}.py").write_text(code.text)
        Path(folder, "boilerplate").mkdir()
        Path(folder, "boilerplate", "given.py").write_text(TEMPLATE.format(name="Bot"))
        detector = CopyDetector(
            test_dirs=[folder], extensions=["py"], display_t=0.0, silent=True, disable_filtering=False
        )
        detector.boilerplate_files = [str(Path(folder, "boilerplate", "given.py"))]
        detector.test_files = [path for path in detector.test_files if "boilerplate" not in path]
        detector.ref_files = list(detector.test_files)
        started = time.process_time()
        detector.run()
        pairs = [
            (max(first, second), Path(one).stem, Path(other).stem)
            for first, second, one, other, *_ in detector.get_copied_code_list()
        ]
        taken = time.process_time() - started
    names = [(one, other) for _, one, other in sorted(pairs, reverse=True)]
    print(f"  copydetect  {taken:7.1f} s for {len(codes)} bots; {found(names, planted)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bots", type=int, default=1000)
    parser.add_argument("--oracle", type=int, default=120)
    args = parser.parse_args()
    small, planted = a_class(args.oracle, 4)
    print(f"{args.oracle} bots and {len(small) - args.oracle} copies; processor time", flush=True)
    ours(small, planted)
    theirs(small, planted)
    codes, planted = a_class(args.bots, COPIES)
    print(f"{args.bots} bots and {len(codes) - args.bots} copies", flush=True)
    ours(codes, planted)


if __name__ == "__main__":
    main()
