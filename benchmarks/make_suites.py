"""Makes the suites that come with the package: src/noughts/suites/made.

    python benchmarks/make_suites.py     about 7 minutes of CPU, 1.1 GB

A test makes the first questions of each suite again and compares them with these files.
"""

from __future__ import annotations

import resource
import time

from noughts.progress import progress
from noughts.suites.questions import Suite
from noughts.suites.suite import SHIPPED, SIZES, file_name, make_questions, write_suite

SEED = 1


def main() -> None:
    SHIPPED.mkdir(exist_ok=True)
    for size in SIZES:
        started = time.process_time()
        with progress(f"making the {size} suite") as tick:
            suite = Suite(size, SEED, tuple(make_questions(SIZES[size], SEED, tick)))
        path = SHIPPED / file_name(size, SEED)
        write_suite(suite, path)
        print(
            f"{path.name}: {len(suite.questions):,} questions, hash {suite.hash}, {path.stat().st_size:,} bytes, "
            f"{time.process_time() - started:.0f} s of CPU, "
            f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB at most"
        )


if __name__ == "__main__":
    main()
