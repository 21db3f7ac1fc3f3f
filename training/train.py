"""Trains a network on folders of positions, and writes it as a file for `alphabeta:network=FILE`.

    python training/train.py extreme extreme4.net data/extreme3 data/extreme4 --start extreme3.net --seconds 90

Needs PyTorch (`pip install noughts[train]`), and a GPU unless the data are few. The loss is the mean squared difference
between the network's expected result and a mix of the game's result and of the search's score, which is first replaced
by the mean result of positions with such a score at that phase of the game. Every batch is turned and mirrored at
random. With --contempt the network has two outputs more, which are trained at the same time: for a player who avoids
draws, and for one whose opponent does.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from positions import Positions

import noughts
from noughts.rules.spec import Rules
from noughts.search.kernels import layout as at
from noughts.search.kernels import network_layout as net_at
from noughts.search.network import (
    LARGEST_CONTEMPT,
    OUTPUT_UNIT,
    Network,
    load_network,
    quantised,
    row_limit,
    save_network,
    shapes,
)

SPREADS = {"patterns": 0.1, "matrices": 0.12, "closed": 0.1, "free": 0.05, "bonus": 0.05, "output": 0.1}
"""Standard deviations of the weights at the start."""
BOUNDS = (0.0, 1.0)
"""Limits of the lanes of a block's vector, in networks trained from random weights."""
OUTPUT = ("output", "output_bias")
"""Names of the weights behind the first layer."""
VIEW_WEIGHTS, VIEW_NAMES = (1.0, 0.5, 0.5), ("target", "avoids_draws", "seeks_draws")
"""By view of draws: weights in the loss, and names of the losses."""


class Model(torch.nn.Module):
    """The network in floats, with the names and shapes of `noughts.search.network`.

    draws: what a draw counts for the player to move, by view.
    """

    def __init__(self, rules: Rules, rank: int, contempt: float, bounds: tuple[float, float] = BOUNDS) -> None:
        super().__init__()
        self.rules, self.bounds, self.contempt = rules, bounds, contempt
        self.draws = (0.0, -contempt, contempt) if contempt else (0.0,)
        for name, shape in shapes(rules, rank, contempt > 0).items():
            self.register_parameter(name, torch.nn.Parameter(torch.randn(shape) * SPREADS.get(name, 0.0)))
        with torch.no_grad():
            self.vector_bias += 0.3
            self.bias += 0.3 + 0.2 * torch.randn_like(self.bias)
            self.output[:] = self.output[:1].clone()

    def forward(
        self,
        patterns: torch.Tensor,
        owners: torch.Tensor,
        destined: torch.Tensor,
        bonus: torch.Tensor,
        phase: torch.Tensor,
    ) -> torch.Tensor:
        """Returns logits, float[n, views].

        patterns int[n, blocks, parts]; owners int[n, blocks]: 0 open, 1 own, 2 other, 3 nobody.
        """
        n, blocks, parts = patterns.shape
        vectors = torch.nn.functional.embedding_bag(patterns.reshape(n * blocks, parts), self.patterns, mode="sum")
        vectors = (vectors.reshape(n, blocks, -1) + self.vector_bias).clamp(*self.bounds) * (owners == 0)[:, :, None]
        both = torch.cat([vectors, vectors * destined[:, :, None]], 2).reshape(n, -1)
        width = net_at.WIDTH
        weights = torch.cat([self.matrices[:, :, :width], self.matrices[:, :, width:]], 1).reshape(-1, width)
        closed = torch.nn.functional.one_hot(owners.long(), 4)[:, :, 1:].reshape(n, -1).to(both.dtype)
        total = both @ weights + closed @ self.closed.reshape(-1, width) + self.bias
        total = total + (~destined.any(1)).float()[:, None] * self.free + bonus[:, None] * self.bonus
        units = total.clamp(0, 1) ** 2
        places = [net_at.PHASES * view + phase for view in range(len(self.draws))]
        return torch.stack([(units * self.output[place]).sum(1) + self.output_bias[place] for place in places], 1)

    @torch.no_grad()
    def clip(self) -> None:
        """Keeps the weights within the range of a file's integers."""
        row = row_limit(self.rules) / net_at.HIDDEN_ONE
        for values in (self.closed, self.bias, self.free, self.bonus):
            values.clamp_(-row, row)
        most = net_at.LARGEST_OUTPUT / net_at.OUTPUT_ONE
        self.output.clamp_(-most, most)

    def network(self, training: dict[str, object]) -> Network:
        floats = {name: values.detach().cpu().numpy() for name, values in self.named_parameters()}
        floats["patterns"] = floats["patterns"] * ~closed_patterns(self.rules)[:, None]
        return quantised(self.rules, floats, self.bounds, training, round(self.contempt * at.RESULT_UNIT))


def closed_patterns(rules: Rules) -> npt.NDArray[np.bool_]:
    """bool[patterns of all parts]: those with a line or without an empty cell, which no open block has.

    They are never trained and never read. As zeros they cost nothing in a file.
    """
    found = []
    for part in net_at.PARTS_OF[rules.side]:
        digits = np.arange(3 ** len(part))[:, None] // 3 ** np.arange(len(part)) % 3
        closed = (digits > 0).all(1) & (len(part) == rules.cells)
        for line in rules.lines:
            marks = [digits[:, part.index(cell)] for cell in line if cell in part]
            for player in (1, 2):
                closed |= (len(marks) == len(line)) & np.all([mark == player for mark in marks], axis=0)
        found.append(closed)
    return np.concatenate(found)


def model_of(network: Network, rules: Rules, rank: int, contempt: float) -> Model:
    """Returns a model with the weights of a file. It may be of a higher rank: new lanes have no effect at first.

    New outputs start as copies of the neutral ones.
    """
    low, top = (bound / net_at.VECTOR_ONE for bound in network.vector)
    model = Model(rules, rank, contempt, (low, top))
    ones = {"patterns": net_at.VECTOR_ONE, "vector_bias": net_at.VECTOR_ONE, "matrices": net_at.MATRIX_ONE}
    ones |= {"output": net_at.OUTPUT_ONE, "output_bias": OUTPUT_UNIT}
    with torch.no_grad():
        for name, values in model.named_parameters():
            given = torch.from_numpy(network.arrays[name] / ones.get(name, net_at.HIDDEN_ONE))
            if name in ("output", "output_bias") and len(given) != len(values):
                given = torch.cat([given[: net_at.PHASES]] * len(model.draws))
            if name in ("vector_bias", "matrices"):
                values.zero_()
            values[tuple(map(slice, given.shape))] = given
    return model


def train(
    model: Model,
    positions: Positions,
    *,
    share: float,
    epochs: float,
    seconds: float,
    batch: int,
    rate: float,
    first: float,
    seed: int,
    say: Callable[[str], None] = print,
) -> dict[str, float]:
    """Trains a model; returns the losses on held-out positions.

    share: weight of the game's result in the target. first: rate of the first layer, as a share of `rate`.
    """
    torch.manual_seed(seed)
    chance = np.random.default_rng(seed)
    targets = torch.stack([positions.targets(share, draw) for draw in model.draws], 1)
    weights = torch.tensor(VIEW_WEIGHTS[: len(model.draws)], device=positions.device)
    chosen, kept = (~positions.kept).nonzero()[:, 0], positions.kept.nonzero()[:, 0]
    fused = positions.device.type == "cuda"
    groups = [
        {"params": [values for name, values in model.named_parameters() if (name in OUTPUT) == behind], "most": most}
        for behind, most in ((True, rate), (False, rate * first))
    ]
    optimizer = torch.optim.AdamW(groups, lr=rate, weight_decay=1e-4, fused=fused)
    steps = max(1, int(epochs * len(chosen) / batch))
    say(f"{len(chosen):,} positions, {len(kept):,} kept aside, {steps:,} steps of {batch:,}")
    say(f"before: {losses_text(losses(model, positions, targets, kept))}")
    begun, order, place = time.time(), chosen, len(chosen)
    for step in range(steps):
        progress = max(step / steps, (time.time() - begun) / seconds)
        if progress >= 1:
            break
        if place + batch > len(chosen):
            order, place = chosen[torch.randperm(len(chosen), device=chosen.device)], 0
        index = order[place : place + batch]
        place += batch
        for group in optimizer.param_groups:
            group["lr"] = group["most"] * min(1.0, (step + 1) / 100) * (0.02 + 0.49 * (1 + np.cos(np.pi * progress)))
        logits = model(*positions.batch(index, int(chance.integers(positions.symmetries))))
        loss = (((torch.sigmoid(logits) - targets[index]) ** 2) @ weights).mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        model.clip()
        if (step + 1) % max(1, steps // 4) == 0:
            say(f"step {step + 1}: {losses_text(losses(model, positions, targets, kept))}")
    found = losses(model, positions, targets, kept)
    say(f"after {step + 1} steps, {time.time() - begun:.0f} s: {losses_text(found)}")
    return found | {"steps": step + 1}


@torch.no_grad()
def losses(model: Model, positions: Positions, targets: torch.Tensor, kept: torch.Tensor) -> dict[str, float]:
    """Returns the mean squared errors on held-out positions, of expected results from -1 to 1."""
    logits = torch.cat([model(*positions.batch(index, 0)) for index in kept.split(65_536)])
    from_targets = ((torch.tanh(logits / 2) + 1 - 2 * targets[kept]) ** 2).mean(0)
    expected, aside = torch.tanh(logits[:, 0] / 2), positions.aside[kept]
    errors = (expected - positions.results[kept]) ** 2
    return {
        **{name: float(value) for name, value in zip(VIEW_NAMES, from_targets, strict=False)},
        "result": float(errors[~aside].mean()),
        "score": float((expected - positions.calibrated[kept])[~aside].square().mean()),
        "score_aside": float((expected - positions.calibrated[kept])[aside].square().mean()) if aside.any() else 0.0,
    }


def losses_text(found: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.4f}" for name, value in found.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("network", type=Path, help="file to write")
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--start", type=Path, help="network to go on from (none: random weights)")
    parser.add_argument("--rank", type=int, help=f"lanes of a block's vector (as in --start, or {net_at.RANK})")
    parser.add_argument("--share", type=float, default=0.4, help="of the result in the target (0.4)")
    parser.add_argument("--epochs", type=float, default=20)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so long")
    parser.add_argument("--batch", type=int, default=16_384)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--first", type=float, default=1.0, help="rate of the first layer, as a part of --rate (1)")
    parser.add_argument("--contempt", type=float, help="what a draw costs who avoids it, 0 to 0.5 (as in --start)")
    parser.add_argument("--generation", type=int, default=0, help="a number for the file's header")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.backends.cuda.matmul.allow_tf32 = True
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    rules = noughts.load_game(args.game).rules
    start = None if args.start is None else load_network(args.start, rules)
    contempt = args.contempt if args.contempt is not None else start.contempt / at.RESULT_UNIT if start else 0.0
    if not 0 <= contempt <= LARGEST_CONTEMPT / at.RESULT_UNIT:
        parser.error(f"--contempt must be 0 to {LARGEST_CONTEMPT / at.RESULT_UNIT}, not {contempt}")
    contempt = round(contempt, 3)
    least, usual = (start.rank, start.rank) if start else (1, net_at.RANK)
    rank = usual if args.rank is None else args.rank
    if not least <= rank <= net_at.RANK:
        parser.error(f"--rank must be {least} to {net_at.RANK}, not {rank}")
    model = model_of(start, rules, rank, contempt) if start else Model(rules, rank, contempt)
    positions = Positions(rules, args.folders, device)

    def say(text: str) -> None:
        print(f"{args.game}: {text}", flush=True)

    options = {name: getattr(args, name) for name in ("share", "epochs", "seconds", "batch", "rate", "first", "seed")}
    found = train(model.to(device), positions, say=say, **options)
    facts = {name: round(value, 5) for name, value in found.items()}
    training = {"generation": args.generation, "positions": len(positions), "share": args.share, "losses": facts}
    save_network(args.network, model.network(training | {"start": args.start.name if args.start else None}))
    say(f"{args.network}, {args.network.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
