"""Records of self-play as tensors: the network's inputs for a position, and its targets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from kernels import selfplay

from noughts.rules.spec import Rules
from noughts.search.kernels import layout as at
from noughts.search.kernels import network_layout as net_at
from noughts.search.network import END_MARGIN, END_WIN

KEPT = 0.04
"""Share of held-out games: the last ones of each file."""
BINS, CALIBRATION_PHASES, PRIOR = 65, 4, 20.0
"""Bins of the calibration of scores. Each bin starts with PRIOR imaginary positions whose result equals the score."""


def turns(side: int) -> list[np.ndarray]:
    """The eight turns and mirrorings of a square: where each cell goes."""
    cells = np.arange(side * side).reshape(side, side)
    turned = [np.rot90(cells, quarter) for quarter in range(4)]
    return [square.ravel().copy() for each in turned for square in (each, each[:, ::-1])]


class Positions:
    """All positions of some folders, on a device.

    results, scores, calibrated: float[n], -1 to 1, for the player to move. kept, aside, proven: bool[n].
    """

    def __init__(self, rules: Rules, folders: list[Path], device: torch.device) -> None:
        self.rules, self.device = rules, device
        files = sorted(path for folder in folders for path in folder.glob("*.npy"))
        if not files:
            raise ValueError(f"there are no files of positions in {', '.join(map(str, folders))}")
        parts = [np.load(path) for path in files]
        kept = [np.arange(len(part)) >= len(part) * (1 - KEPT) for part in parts]
        self.kept = torch.from_numpy(np.concatenate(kept)).to(device)
        raw = np.concatenate(parts)
        del parts
        blocks = rules.blocks
        self.own = self._column(raw[:, :blocks])
        self.other = self._column(raw[:, blocks : 2 * blocks])
        words = self._column(raw[:, 2 * blocks :])
        numbers = torch.arange(blocks, device=device)

        def members(place: int) -> torch.Tensor:
            """Returns bool[n, blocks] for a mask in two words."""
            mask = (words[:, place].int() & 0xFFFF) | ((words[:, place + 1].int() & 0xFFFF) << 16)
            return ((mask[:, None] >> numbers) & 1).bool()

        owned, others, closed = (members(place) for place in (selfplay.OWNED, selfplay.OTHERS, selfplay.CLOSED))
        self.owners = torch.where(owned, 1, torch.where(others, 2, torch.where(closed, 3, 0))).to(torch.int8)
        del owned, others, closed
        sent = words[:, selfplay.SENT].int()[:, None] - 1
        self.destined = (numbers[None] % rules.cells == sent) & (self.owners == 0)
        self.bonus = words[:, selfplay.BONUS].float()
        marks = words[:, selfplay.MARKS].long()
        self.phase = torch.clamp(net_at.PHASES * marks // (blocks * rules.cells), max=net_at.PHASES - 1)
        kind = words[:, selfplay.KIND].int()
        self.aside = (kind & selfplay.ASIDE) != 0
        margins = words[:, selfplay.RESULT].float() - 1_024
        self.results = self._results(margins)
        self.scores = ((words[:, selfplay.SCORE].int() & 0xFFFF) - 32_768).float() * (4 / at.RESULT_UNIT)
        self.proven = (kind & selfplay.PROVEN) != 0
        self.calibrated = self._calibrated(self.results)
        self._make_symmetries()

    def __len__(self) -> int:
        return len(self.own)

    def _column(self, values: np.ndarray) -> torch.Tensor:
        """Words of 16 bits as int16: masks look negative, and are read back with & 0xFFFF."""
        return torch.from_numpy(np.ascontiguousarray(values).view(np.int16)).to(self.device)

    def _results(self, margins: torch.Tensor) -> torch.Tensor:
        """Returns results as in `end_score`: 1 for a line, else by who has more points and, slightly, by how many."""
        largest = self.rules.boards * sum(self.rules.block_points or ()) + 1
        by_points = margins.sign() * END_WIN / at.RESULT_UNIT + margins * (END_MARGIN / at.RESULT_UNIT / largest)
        return torch.where(margins.abs() == selfplay.LINE_MARGIN, margins.sign(), by_points)

    def _calibrated(self, results: torch.Tensor) -> torch.Tensor:
        """Returns for each score the mean result of games with such a score in that phase; the result if proven."""
        phases = self.phase * CALIBRATION_PHASES // net_at.PHASES
        bins = ((self.scores.clamp(-1, 1) + 1) / 2 * (BINS - 1)).round().long() + BINS * phases
        chosen = ~self.aside & ~self.kept
        nothing = torch.zeros(CALIBRATION_PHASES * BINS, device=self.device)
        total = nothing.index_add(0, bins[chosen], results[chosen])
        count = nothing.index_add(0, bins[chosen], torch.ones_like(results[chosen]))
        made_up = torch.linspace(-1, 1, BINS, device=self.device).repeat(CALIBRATION_PHASES)
        means = (total + PRIOR * made_up) / (count + PRIOR)
        return torch.where(self.proven, self.scores.sign(), means[bins])

    def targets(self, share: float, draw: float = 0.0) -> torch.Tensor:
        """Returns float[n], 0 to 1: `share` of the result, the rest of the score. Positions aside have no result.

        draw: what a draw counts for the player to move.
        """
        results = torch.where(self.results == 0, draw, self.results)
        calibrated = self._calibrated(results) if draw else self.calibrated
        shares = torch.where(self.aside, 0.0, share)
        return (1 + shares * results + (1 - shares) * calibrated) / 2

    def _make_symmetries(self) -> None:
        """Returns by symmetry the source of each block, and the image of each mask of cells."""
        rules, masks = self.rules, np.arange(1 << self.rules.cells)
        parts = net_at.PARTS_OF[rules.side]
        digits = [sum((masks >> cell & 1) * 3**digit for digit, cell in enumerate(part)) for part in parts]
        self._starts = torch.tensor(np.cumsum([0, *(3 ** len(part) for part in parts)])[:-1], device=self.device)
        self._digits: list[torch.Tensor] = []
        self._sources: list[torch.Tensor] = []
        for turn in turns(rules.side):
            moved = sum((masks >> cell & 1) << int(turn[cell]) for cell in range(rules.cells))
            turned = torch.tensor(np.stack([each[moved] for each in digits], 1), device=self.device)
            for swap in range(rules.boards):
                source = np.zeros(rules.blocks, np.int64)
                for block in range(rules.blocks):
                    board, place = divmod(block, rules.cells)
                    source[(board ^ swap) * rules.cells + turn[place]] = block
                self._sources.append(torch.tensor(source, device=self.device))
                self._digits.append(turned)

    @property
    def symmetries(self) -> int:
        return len(self._sources)

    def batch(self, index: torch.Tensor, symmetry: int) -> tuple[torch.Tensor, ...]:
        """Returns the inputs of `Model` for some positions, turned by a symmetry."""
        source, digits = self._sources[symmetry], self._digits[symmetry]
        own = self.own[index][:, source].int() & 0xFFFF
        other = self.other[index][:, source].int() & 0xFFFF
        patterns = digits[own] + 2 * digits[other] + self._starts
        return (
            patterns,
            self.owners[index][:, source],
            self.destined[index][:, source],
            self.bonus[index],
            self.phase[index],
        )
