"""Random numbers, as in Python 2."""

from __future__ import annotations

import random as py2_random_module
from typing import Any


def py2_sample(values: Any, number: int) -> list[Any]:
    """random.sample, which also accepts sets."""
    return py2_random_module.sample(values if hasattr(values, "__getitem__") else tuple(values), number)


class Py2Random(py2_random_module.Random):
    """Python 2's random numbers: equal for equal seeds."""

    def seed(self, a: Any = None, version: int = 2) -> None:
        if isinstance(a, str):
            value = ord(a[0]) << 7 if a else 0
            for letter in a:
                value = (1000003 * value ^ ord(letter)) & 0xFFFFFFFFFFFFFFFF
            value ^= len(a)
            a = 0xFFFFFFFFFFFFFFFE if value == 0xFFFFFFFFFFFFFFFF else value
        super().seed(a)

    def randrange(self, start: Any, stop: Any = None, step: Any = 1) -> int:
        numbers = range(int(start)) if stop is None else range(int(start), int(stop), int(step))
        if not numbers:
            raise ValueError("empty range for randrange()")
        return numbers[int(self.random() * len(numbers))]

    def randint(self, a: Any, b: Any) -> int:
        return self.randrange(a, b + 1)

    def choice(self, seq: Any) -> Any:
        return seq[int(self.random() * len(seq))]

    def shuffle(self, x: Any, random: Any = None) -> None:
        for i in range(len(x) - 1, 0, -1):
            j = int((random or self.random)() * (i + 1))
            x[i], x[j] = x[j], x[i]

    def sample(self, population: Any, k: int) -> list[Any]:  # type: ignore[override]
        size = len(population)
        if not 0 <= k <= size:
            raise ValueError("sample larger than population")
        few = 21
        while k > 5 and few - 21 < 3 * k:
            few = 21 + (4 * (few - 21) or 4)
        pool = list(population)
        taken: set[int] = set()
        result = []
        for i in range(k):
            if size <= few:
                j = int(self.random() * (size - i))
                result.append(pool[j])
                pool[j] = pool[size - i - 1]
                continue
            j = int(self.random() * size)
            while j in taken:
                j = int(self.random() * size)
            taken.add(j)
            result.append(pool[j])
        return result


py2_random = Py2Random()  # type: Py2Random
"""The instance behind the functions of the module `random`."""
