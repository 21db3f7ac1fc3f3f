"""Finds bots that share code, by winnowing and an index of fingerprints.

1. Every run of K tokens is a k-gram, with a hash. Of every W neighbours the least hash is kept, a fingerprint
   (Schleimer, Wilkerson, Aiken 2003): two bots that share K + W - 1 tokens in a row share a fingerprint, whatever
   surrounds them.
2. K-grams of the template, or of more than a few bots, are common: they do not indicate copying.
3. An inverted index of the other fingerprints counts those shared by each two bots, without comparing all pairs.
4. The pairs that share most are compared token by token: how many tokens of each are in k-grams of the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from noughts.similarity._tokens import Tokens, tokens_of

K = 16
"""Tokens per k-gram: shorter runs match by chance. benchmarks/similarity.py compares with other tools."""
W = 8
"""Neighbours of which one is kept: a shared run of K + W - 1 = 23 tokens, two or three lines, is always found."""
COMMON_SHARE, COMMON_LEAST, COMMON_MOST = 0.1, 5, 50
"""A k-gram that more than this share of all bots have, within these bounds, is common."""
SMALLEST = 100
"""A bot with fewer tokens of its own counts as having this many: short code matches by chance."""
VARIED = 5
"""A k-gram of fewer different tokens, as in a long list of numbers or names, is ignored."""
CANDIDATES = 4
"""Number of pairs compared token by token for each pair of the result."""
PLACES = 64
"""Maximum places compared for a k-gram that a bot repeats."""

END = np.uint8(255)
"""A kind that no token has; it follows the last token."""
IGNORED = np.uint64(0)
"""The hash of all ignored k-grams; they are always common."""

Hashes = npt.NDArray[np.uint64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Code:
    """A bot's text. past: from another year, so it is compared only with bots of this year."""

    name: str
    text: str
    past: bool = False

    @cached_property
    def tokens(self) -> Tokens:
        return tokens_of(self.text)

    @cached_property
    def grams(self) -> Hashes:
        """Hashes of the k-grams, by their first tokens: uint64[n - K + 1]."""
        return hashes(self.tokens.kinds)


@dataclass(frozen=True)
class SharedRun:
    """A run of tokens that two bots share: its first token in each, and its length."""

    first: int
    second: int
    length: int


@dataclass(frozen=True)
class Alike:
    """Two bots that share code. shares: the share of each bot's own code (without common code) that is in the other; 1
    if they are the same. tokens: number of shared tokens of the first. same: whether all tokens are equal, so that the
    two differ at most in names, numbers, texts, comments and layout. parts: the shared runs.
    """

    first: Code
    second: Code
    shares: tuple[float, float]
    tokens: int
    same: bool
    parts: tuple[SharedRun, ...] = ()

    @property
    def rank(self) -> float:
        """The sort key of the list: the share of the smaller bot that is in the larger."""
        return max(self.shares)

    @property
    def longest(self) -> int:
        """The number of tokens in the longest part."""
        return max((part.length for part in self.parts), default=0)

    @cached_property
    def identical(self) -> bool:
        """Whether the two differ only in comments and layout."""
        return self.same and self.first.tokens.words == self.second.tokens.words

    @property
    def verdict(self) -> str:
        """A description of two bots with the same tokens; '' for others."""
        if not self.same:
            return ""
        return "the same" if self.identical else "the same but for names and values"


def hashes(kinds: npt.NDArray[np.uint8]) -> Hashes:
    """Returns the hash of every run of K tokens."""
    count = len(kinds) - K + 1
    if count <= 0:
        return np.zeros(0, np.uint64)
    found = np.zeros(count, np.uint64)
    with np.errstate(over="ignore"):
        for offset in range(K):
            found = found * np.uint64(0x100000001B3) + kinds[offset : offset + count] + np.uint64(1)
        # Mixed (splitmix64), so that each of several hashes is equally likely to be the least.
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            found = (found ^ (found >> np.uint64(shift))) * np.uint64(factor)
        found ^= found >> np.uint64(31)
    ordered = np.sort(np.lib.stride_tricks.sliding_window_view(kinds, K), axis=1)
    found[(ordered[:, 1:] != ordered[:, :-1]).sum(axis=1) + 1 < VARIED] = IGNORED
    return found


def fingerprints(grams: Hashes) -> Hashes:
    """Returns the least hash of every W neighbours, without duplicates."""
    if len(grams) <= W:
        return np.unique(grams[:1] if len(grams) == 0 else grams.min(keepdims=True))
    windows = np.lib.stride_tricks.sliding_window_view(grams, W)
    return np.unique(windows.min(axis=1))


def compare(codes: Sequence[Code], template: str = "", top: int = 50) -> list[Alike]:
    """Returns up to `top` pairs with the largest shares, largest first. Leaves out pairs that share nothing."""
    common = _common(codes, template)
    candidates = _candidates(codes, common, CANDIDATES * top)
    found = [_compared(codes[a], codes[b], common) for a, b in candidates]
    found = [pair for pair in found if pair.tokens or pair.same]
    found.sort(key=lambda pair: (-pair.rank, -pair.same, -pair.tokens, pair.first.name, pair.second.name))
    return [replace(pair, parts=_parts(pair.first, pair.second, common)) for pair in found[:top]]


def _common(codes: Sequence[Code], template: str) -> Hashes:
    """Returns the k-grams that are common."""
    most = max(COMMON_LEAST, min(COMMON_MOST, int(COMMON_SHARE * len(codes))))
    seen = [np.unique(code.grams) for code in _different(codes)]
    every, counts = np.unique(np.concatenate([np.zeros(0, np.uint64), *seen]), return_counts=True)
    return np.union1d(every[counts > most], np.append(Code("", template).grams, IGNORED))


def _different(codes: Sequence[Code]) -> Iterator[Code]:
    """Yields the codes without exact copies: fifty copies would make their code common."""
    seen = set()
    for code in codes:
        key = code.tokens.kinds.tobytes()
        if key not in seen:
            seen.add(key)
            yield code


def _candidates(codes: Sequence[Code], common: Hashes, most: int) -> list[tuple[int, int]]:
    """Returns pairs by shared fingerprints, relative to the smaller bot; pairs with the same tokens come first."""
    prints = [np.setdiff1d(fingerprints(code.grams), common, assume_unique=True) for code in codes]
    sizes = np.array([max(len(each), SMALLEST // W) for each in prints])
    owners = np.repeat(np.arange(len(codes)), [len(each) for each in prints])
    every = np.concatenate([np.zeros(0, np.uint64), *prints])
    order = np.argsort(every, kind="stable")
    keys, counts = _shared(every[order], owners[order], len(codes))
    first, second = np.divmod(keys, max(1, len(codes)))
    past = np.array([code.past for code in codes], bool)
    ours = ~(past[first] & past[second])
    first, second, counts = first[ours], second[ours], counts[ours]
    best = np.argsort(-counts / np.minimum(sizes[first], sizes[second]), kind="stable")[:most]
    pairs = list(zip(first[best].tolist(), second[best].tolist(), strict=True))
    return list(dict.fromkeys([*_same(codes, most), *pairs]))


def _same(codes: Sequence[Code], most: int) -> list[tuple[int, int]]:
    """Returns pairs with the same tokens, each with the one before it: a chain for a group."""
    latest: dict[bytes, int] = {}
    pairs = []
    for number, code in enumerate(codes):
        key = code.tokens.kinds.tobytes()
        if key in latest and len(code.grams) and not (code.past and codes[latest[key]].past):
            pairs.append((latest[key], number))
        latest[key] = number
    return pairs[:most]


def _shared(every: Hashes, owners: npt.NDArray[np.int64], bots: int) -> tuple[npt.NDArray[np.int64], ...]:
    """Returns (first * bots + second, shared fingerprints) of each two bots that share any; `every` is sorted."""
    starts = np.flatnonzero(np.concatenate(([True], every[1:] != every[:-1]))) if len(every) else np.zeros(0, np.int64)
    lengths = np.diff(np.append(starts, len(every)))
    keys = [np.zeros(0, np.int64)]
    for length in range(2, int(lengths.max(initial=1)) + 1):
        groups = owners[starts[lengths == length][:, None] + np.arange(length)]
        left, right = np.triu_indices(length, 1)
        keys.append((groups[:, left] * bots + groups[:, right]).ravel())
    return np.unique(np.concatenate(keys), return_counts=True)


# Two bots, token by token.


def _compared(first: Code, second: Code, common: Hashes) -> Alike:
    own = [~np.isin(code.grams, common) for code in (first, second)]
    shared = [
        np.isin(first.grams, second.grams) & own[0],
        np.isin(second.grams, first.grams) & own[1],
    ]
    inside = [int(_covered_tokens(mask).sum()) for mask in shared]
    sizes = [max(int(_covered_tokens(mask).sum()), SMALLEST) for mask in own]
    same = first.tokens.kinds.tobytes() == second.tokens.kinds.tobytes()
    shares = (1.0, 1.0) if same else (inside[0] / sizes[0], inside[1] / sizes[1])
    return Alike(first, second, shares, inside[0], same)


def _covered_tokens(grams: Mask) -> Mask:
    """Returns the tokens that are in one of these k-grams: bool[n]."""
    edges = np.zeros(len(grams) + K, np.int64)
    edges[:-K] += grams
    edges[K:] -= grams
    return np.cumsum(edges)[:-1] > 0 if len(grams) else np.zeros(0, bool)


def _parts(first: Code, second: Code, common: Hashes) -> tuple[SharedRun, ...]:
    """Returns shared runs in the order of the first; each is as long as possible."""
    shared = np.isin(first.grams, second.grams) & ~np.isin(first.grams, common)
    where: dict[int, list[int]] = {}
    for place, gram in enumerate(second.grams.tolist()):
        places = where.setdefault(gram, [])
        if len(places) < PLACES:
            places.append(place)
    ours, theirs = first.tokens.kinds, np.append(second.tokens.kinds, END)
    parts: list[SharedRun] = []
    at = 0
    grams = first.grams.tolist()
    for start in np.flatnonzero(shared).tolist():
        if start < at:
            continue
        length, place = _longest(ours, theirs, start, np.array(where[grams[start]]))
        if length >= K:  # otherwise only the hashes are equal
            parts.append(SharedRun(start, place, length))
            at = start + length - K + 1
    return tuple(_without_overlap(parts))


def _longest(
    ours: npt.NDArray[np.uint8], theirs: npt.NDArray[np.uint8], start: int, places: npt.NDArray[np.int64]
) -> tuple[int, int]:
    """Returns the length of the longest match of `start` with one of these places, and the first best place.

    It compares growing numbers of tokens at a time, so that the work depends on the longest run, not on the texts.
    theirs: with END at its end.
    """
    length, ahead = 0, 4 * K
    while start + length < len(ours):
        wanted = ours[start + length : start + length + ahead]
        differ = theirs.take(places[:, None] + np.arange(length, length + len(wanted)), mode="clip") != wanted
        same = np.where(differ.any(axis=1), differ.argmax(axis=1), len(wanted))
        best = int(same.max())
        places = places[same == best]
        length += best
        if best < len(wanted):
            break
        ahead = min(2 * ahead, 4096)
    return length, int(places[0])


def _without_overlap(parts: Sequence[SharedRun]) -> Iterator[SharedRun]:
    """Yields the parts without overlaps with the part before; a rest shorter than half a k-gram is dropped."""
    at = 0
    for part in parts:
        cut = max(0, at - part.first)
        if part.length - cut >= K // 2:
            yield SharedRun(part.first + cut, part.second + cut, part.length - cut)
            at = part.first + part.length
