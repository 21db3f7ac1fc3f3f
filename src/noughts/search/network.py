"""Networks for the learned evaluation: their files, and the arrays that the compiled search reads.

A file (.net):

    b"noughts network 2\\n"   what it is, and the version of the format
    32 bytes                 SHA-256 of all that follows
    4 bytes                  length of the header, little-endian
    header                   JSON: see below
    the rest                 the arrays one after the other, compressed by zlib: of each the low bytes of all numbers,
                             then the next ones, which makes a file a seventh smaller

The header has `game` (a name for people), `rules` (see `rules_hash`), `rank` (lanes of a block's vector), `vector` (the
two bounds of those lanes), `contempt` (see `set_contempt`; 0 without), and `training`: its origin, for people. The
arrays, in this order, with the units and limits of `kernels/network_layout.py`:

    patterns     int16[patterns of all parts, rank]
    vector_bias  int16[rank]
    matrices     int16[blocks, rank, 2 * WIDTH]
    closed       int16[blocks, 3, WIDTH]
    bias         int16[WIDTH]
    free         int16[WIDTH]
    bonus        int16[WIDTH]
    output       int16[views * PHASES, WIDTH]; VIEWS views with contempt, else one view
    output_bias  int32[views * PHASES]

The search uses the integers of the file as they are: loading rounds nothing.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from math import prod
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from noughts.files import seal, sealed
from noughts.games import data_of
from noughts.rules.spec import Rules, playing_facts, short_repr
from noughts.search.kernels import layout as at
from noughts.search.kernels import network_layout as net_at
from noughts.untrusted import FileKind, parse_json, unpack

MARK: Final = b"noughts network 2\n"
NETWORK: Final = FileKind("a network", 64 << 20)
HEADER: Final = FileKind("the header of a network", 1 << 20, nodes=20_000)
OUTPUT_UNIT: Final = (net_at.HIDDEN_ONE**2 >> net_at.SQUARE_SHIFT) * net_at.OUTPUT_ONE
"""The sum of the output that represents 1."""

END_WIN: Final = 85_000
END_MARGIN: Final = 10_000
"""Without a line, a win on points scores END_WIN, plus up to END_MARGIN for its margin, as in training."""
LARGEST_CONTEMPT: Final = at.RESULT_UNIT // 2
FIRST_KEYS: Final = (0x2545F4914F6CDD1D, 0x369DEA0F31A53F85)
"""Zobrist keys by the player with contempt; arbitrary numbers."""

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Network:
    """The contents of a file. training: its origin. vector: bounds of a vector's lanes. arrays: as in the file.
    contempt: see `set_contempt`.
    """

    game: str
    rules: str
    training: Mapping[str, Any]
    vector: tuple[int, int]
    arrays: Mapping[str, Array]
    contempt: int = 0

    @property
    def rank(self) -> int:
        return int(self.arrays["vector_bias"].shape[0])


def rules_hash(rules: Rules) -> str:
    """Returns the hash of the facts that determine values of positions, so that equivalent games share a network."""
    return hashlib.sha256(repr(playing_facts(rules)).encode()).hexdigest()[:16]


def shapes(rules: Rules, rank: int, contempt: bool = False) -> dict[str, tuple[int, ...]]:
    """Returns the shapes of a network's arrays for a game, in the order of the file."""
    width, blocks, outputs = net_at.WIDTH, rules.blocks, net_at.PHASES * (net_at.VIEWS if contempt else 1)
    return {
        "patterns": (sum(3 ** len(part) for part in net_at.PARTS_OF[rules.side]), rank),
        "vector_bias": (rank,),
        "matrices": (blocks, rank, 2 * width),
        "closed": (blocks, 3, width),
        "bias": (width,),
        "free": (width,),
        "bonus": (width,),
        "output": (outputs, width),
        "output_bias": (outputs,),
    }


def row_limit(rules: Rules) -> int:
    """Returns the bound of a row's lanes, so that the sum of all blocks, bias, bonus and two destined blocks fits in
    int16.
    """
    return 32_767 // (rules.blocks + 4)


def limits(rules: Rules) -> dict[str, int]:
    """Returns the largest integer of each array; see `network_layout.py`."""
    row = row_limit(rules)
    return {
        "patterns": net_at.LARGEST_PART,
        "vector_bias": net_at.LARGEST_PART,
        "matrices": 32_767,
        "closed": row,
        "bias": row,
        "free": row,
        "bonus": row,
        "output": net_at.LARGEST_OUTPUT,
        "output_bias": 1 << 30,
    }


def can_have_network(rules: Rules) -> bool:
    """Returns whether a game can have a network: it must be nested, with a mark per player, and lines must win."""
    fits = rules.side in net_at.PARTS_OF and rules.blocks <= net_at.MOST_BLOCKS
    fits = fits and rules.blocks * rules.cells <= net_at.MOST_MARKS
    plain = rules.own_marks and rules.line_sum is None and not rules.misere
    return rules.nested and rules.boards <= 2 and fits and plain


def quantised(
    rules: Rules,
    floats: Mapping[str, Array],
    bounds: tuple[float, float],
    training: Mapping[str, Any],
    contempt: int = 0,
) -> Network:
    """Returns a network with floats, of the same names and shapes, rounded to integers. bounds: of a vector's lanes.

    Patterns are rounded to even integers, which makes a file up to an eighth smaller.
    """
    most = limits(rules)
    ones = {"patterns": net_at.VECTOR_ONE, "vector_bias": net_at.VECTOR_ONE, "matrices": net_at.MATRIX_ONE}
    ones |= {"output": net_at.OUTPUT_ONE, "output_bias": OUTPUT_UNIT}
    arrays = {}
    for name, shape in shapes(rules, len(floats["vector_bias"]), contempt > 0).items():
        values = np.asarray(floats[name], np.float64)
        if values.shape != shape:
            raise ValueError(f"{name} of a network for {rules.name} has the shape {shape}, not {values.shape}")
        step = 2 if name == "patterns" else 1
        whole = step * np.rint(values * (ones.get(name, net_at.HIDDEN_ONE) / step))
        whole = np.clip(whole, -most[name], most[name])
        arrays[name] = whole.astype(np.int32 if name == "output_bias" else np.int16)
    low, top = (
        round(min(max(bound * net_at.VECTOR_ONE, -net_at.LARGEST_VECTOR), net_at.LARGEST_VECTOR)) for bound in bounds
    )
    return Network(rules.name, rules_hash(rules), dict(training), (low, top), arrays, contempt)


def save_network(path: Path, network: Network) -> None:
    """Writes a network's file."""
    header = {
        "game": network.game,
        "rules": network.rules,
        "rank": network.rank,
        "vector": list(network.vector),
        "contempt": network.contempt,
        "training": dict(network.training),
    }
    text = json.dumps(header).encode()
    arrays = b"".join(map(_byte_planes, network.arrays.values()))
    payload = len(text).to_bytes(4, "little") + text + zlib.compress(arrays, 9)
    seal(path, MARK, payload)


def _byte_planes(array: Array) -> bytes:
    """Returns the low bytes of all numbers of an array, then the next ones: they repeat more than whole numbers do."""
    return array.astype(array.dtype.newbyteorder("<")).view(np.uint8).reshape(-1, array.itemsize).T.tobytes()


def load_network(path: str | Path, rules: Rules) -> Network:
    """Returns the network of a file, for a game. Raises ValueError if it is missing, damaged, or for another game."""
    try:
        payload = sealed(path, MARK, NETWORK)
    except OSError as error:
        raise ValueError(f"the network {str(path)!r} cannot be read: {error.strerror or error}") from None
    try:
        length = int.from_bytes(payload[:4], "little")
        return _from_parts(parse_json(payload[4 : 4 + length], HEADER), payload[4 + length :], rules)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"the network {str(path)!r} cannot be used for {rules.name}: {error}") from None


def _from_parts(header: Mapping[str, Any], packed: memoryview, rules: Rules) -> Network:
    """Returns the network of a header and the compressed arrays, which are unpacked only to the expected size."""
    if header["rules"] != rules_hash(rules) or not can_have_network(rules):
        raise ValueError(f"it is for other rules, those of {short_repr(header['game'])}")
    rank, (low, top) = int(header["rank"]), map(int, header["vector"])
    if not 1 <= rank <= net_at.RANK or not -net_at.LARGEST_VECTOR <= low < top <= net_at.LARGEST_VECTOR:
        raise ValueError(f"rank {rank} or bounds {low} to {top} are out of range")
    contempt = int(header.get("contempt", 0))
    if not 0 <= contempt <= LARGEST_CONTEMPT:
        raise ValueError(f"its contempt is {short_repr(contempt)}; it must be 0 to {LARGEST_CONTEMPT}")
    kinds = {
        name: (np.dtype("<i4" if name == "output_bias" else "<i2"), shape)
        for name, shape in shapes(rules, rank, contempt > 0).items()
    }
    total = sum(kind.itemsize * prod(shape) for kind, shape in kinds.values())
    content = unpack(packed, replace(NETWORK, unpacked=total))
    if len(content) < total:
        raise ValueError(f"it has {len(content)} bytes of arrays; it must have {total}")
    arrays, place, most = {}, 0, limits(rules)
    for name, (kind, shape) in kinds.items():
        size = kind.itemsize * prod(shape)
        planes = np.frombuffer(content, np.uint8, size, place).reshape(kind.itemsize, -1)
        array = planes.T.copy(order="C").view(kind).reshape(shape).astype(kind.newbyteorder("="))
        if np.abs(array.astype(np.int64)).max() > most[name]:
            raise ValueError(f"{name} exceeds {most[name]}")
        arrays[name] = array
        place += size
    return Network(header["game"], header["rules"], header["training"], (low, top), arrays, contempt)


def shipped_network(rules: Rules) -> Network | None:
    """Returns the network of a game's data, if there is one. Loads it when first needed."""
    data = data_of(rules)
    return None if data.network is None else _loaded(data.network, data.rules)


_loaded = cache(load_network)


def cache_rows(rules: Rules) -> int:
    """Returns the number of slots of the row cache."""
    return rules.blocks << (net_at.SLOT_BITS + 2)


def network_array(network: Network, rules: Rules, params: npt.NDArray[np.int64]) -> npt.NDArray[np.int16]:
    """Returns the array of a network in the layout of `network_layout.py`, aligned to cache lines.

    Also writes the network's parameters for a search.
    """
    arrays, width, rank = network.arrays, net_at.WIDTH, network.rank
    parts = net_at.PARTS_OF[rules.side]
    patterns_at = net_at.BEHIND
    matrices_at = patterns_at + arrays["patterns"].shape[0] * net_at.RANK
    cache_at = matrices_at + rules.blocks * net_at.RANK * 2 * width
    raw = np.empty(cache_at + cache_rows(rules) * 2 * width + 32, np.int16)
    # NumPy requests large pages only for memory that the system does not zero. They make row lookups a little faster.
    raw.fill(0)
    skip = -(raw.ctypes.data // 2) % 32
    net = raw[skip : len(raw) - 32 + skip]
    for place, name in (
        *((net_at.FREE_CHOICE, "free"), (net_at.BONUS_MOVE, "bonus"), (net_at.BIAS, "bias")),
        *((net_at.VECTOR_BIAS, "vector_bias"), (net_at.OUTPUT, "output"), (net_at.CLOSED, "closed")),
    ):
        net[place : place + arrays[name].size] = arrays[name].ravel()
    net[patterns_at:matrices_at].reshape(-1, net_at.RANK)[:, :rank] = arrays["patterns"]
    matrices = np.zeros((rules.blocks, net_at.RANK, 2 * width), np.int16)
    matrices[:, :rank] = arrays["matrices"]
    net[matrices_at:cache_at] = matrices.reshape(rules.blocks, -1, 2, 2 * width).swapaxes(2, 3).ravel()

    params[at.EVALUATED] = at.LEARNED
    largest_margin = rules.boards * sum(rules.block_points or ())
    params[at.END_UNIT], params[at.END_WIN] = END_MARGIN // (largest_margin + 1), END_WIN
    params[net_at.VECTOR_LOW], params[net_at.VECTOR_TOP] = network.vector
    params[net_at.ROW_LIMIT] = row_limit(rules)
    params[net_at.MATRICES_AT], params[net_at.CACHE_AT] = matrices_at, cache_at
    _set_parts(params, parts, patterns_at)
    params[net_at.SQUASH :] = _squash_table()
    set_contempt(params, network, rules, None)
    return net


def set_contempt(params: npt.NDArray[np.int64], network: Network, rules: Rules, player: int | None) -> None:
    """Gives a player contempt: a draw costs them `network.contempt`, which the other gains.

    The network has a trained output for each of the two. None: draws are neutral.
    """
    assert player is None or network.contempt
    marks = np.arange(net_at.STAGES)
    phase = np.minimum(net_at.PHASES - 1, net_at.PHASES * marks // (rules.blocks * rules.cells))
    views = (0, 0) if player is None else (1, 2) if player == 0 else (2, 1)
    outputs = np.concatenate([net_at.PHASES * view + phase for view in views])
    params[net_at.OUTPUT_AT : net_at.OUTPUT_BIAS] = net_at.OUTPUT + net_at.WIDTH * outputs
    params[net_at.OUTPUT_BIAS : net_at.SQUASH] = network.arrays["output_bias"][outputs]
    worth = (0, -network.contempt, network.contempt)
    params[at.DRAW_SCORES : at.DRAW_SCORES + 2] = [worth[view] for view in views]
    params[at.FIRST_KEY] = 0 if player is None else FIRST_KEYS[player]


def _set_parts(params: npt.NDArray[np.int64], parts: tuple[tuple[int, ...], ...], patterns_at: int) -> None:
    """Sets the start of each part's patterns, and the digits of its cells."""
    params[net_at.PATTERNS_AT : net_at.PART_LOW] = net_at.NOTHING
    masks = np.arange(256)
    for number, part in enumerate(parts):
        params[net_at.PATTERNS_AT + number] = patterns_at
        patterns_at += 3 ** len(part) * net_at.RANK
        for digit, cell in enumerate(part):
            table = (net_at.PART_LOW if cell < 8 else net_at.PART_HIGH) + 256 * number
            params[table : table + 256] += (masks >> cell % 8 & 1) * 3**digit


def _squash_table() -> npt.NDArray[np.int64]:
    """Returns the scores for sums of the output, SQUASH_STEPS below and above 0, and one step more."""
    steps = np.arange(2 * net_at.SQUASH_STEPS + 2) - net_at.SQUASH_STEPS
    logits = steps * (1 << net_at.SQUASH_SHIFT) / OUTPUT_UNIT
    scores: npt.NDArray[np.int64] = np.rint(at.MAX_EVAL * np.tanh(logits / 2)).astype(np.int64)
    return scores
