"""Finds bots that look alike: winnowing fingerprints over tokens, and a ranked list for human review, never a
verdict."""

from noughts.similarity._compare import Alike, Code, SharedRun, compare
from noughts.similarity._files import codes_in, export
from noughts.similarity._page import page
from noughts.similarity._tokens import Tokens, tokens_of

__all__ = ["Alike", "Code", "SharedRun", "Tokens", "codes_in", "compare", "export", "page", "tokens_of"]
