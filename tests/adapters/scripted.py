"""A policy without a model: it thinks aloud, names a wrong move first, and ends with one that the text lists."""

import random
import re


class Scripted:
    def __init__(self, seed=0, wrong=0.0):
        self._random = random.Random(seed)
        self._wrong = wrong
        self.asked = 0

    def reply(self, text):
        self.asked += 1
        if self._random.random() < self._wrong:
            return "I resign"
        listed = re.findall(r"\[[^\]]*\]", text.rpartition("Available Moves:")[2])
        return f"Thinking [99 99] ... {self._random.choice(listed)}"
