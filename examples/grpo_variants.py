"""A GRPO run of TRL on generated games: a tiny model with random weights, on one CPU.

    pip install '.[train]' trl datasets
    python examples/grpo_variants.py --steps 100 --out curve.csv

The model is a transformer with two layers. Its tokens are words and each move is one token, so that replies are moves
often enough to start learning. It trains on positions of the split `train` and is tested on held-out games. For a real
run see docs/guides/train-a-model.md.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from pathlib import Path

import torch
from datasets import Dataset
from tokenizers import Regex, Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast, TrainerCallback
from trl import GRPOConfig, GRPOTrainer

from noughts.envs.trl import position_reward, position_rows
from noughts.suites import create_dataset, score_answer

WORDS = r"\[[^\[\]\s]{1,4}\]|\w+|[^\w\s]"
"""Matches a token: a move, a word or a punctuation mark."""
LAYERS, HEADS, WIDTH, LONGEST = 2, 4, 64, 512


def make_tokenizer(texts: list[str]) -> PreTrainedTokenizerFast:
    words = sorted({word for text in texts for word in re.findall(WORDS, text)})
    vocabulary = {word: number for number, word in enumerate(["<pad>", "<end>", "<unknown>", *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unknown>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(WORDS), "removed", invert=True)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<end>", unk_token="<unknown>", padding_side="left"
    )


def tested(model: GPT2LMHeadModel, tokenizer: PreTrainedTokenizerFast, entries: list[dict]) -> float:
    """Returns the expected score of the model's replies, averaged over the questions."""
    total = 0.0
    with torch.no_grad():
        for entry in entries:
            read = tokenizer(entry["question"], return_tensors="pt", truncation=True, max_length=LONGEST - 4)
            chances = model(input_ids=read.input_ids).logits[0, -1].softmax(-1)
            for each in entry["metadata"]["moves"]:
                (token,) = tokenizer.convert_tokens_to_ids([each["move"]])
                total += float(chances[token]) * score_answer(each["move"], entry)
    return total / len(entries)


def at_random(entries: list[dict]) -> float:
    """Returns the same for a player that picks a random legal move."""
    scores = [[score_answer(each["move"], entry) for each in entry["metadata"]["moves"]] for entry in entries]
    return sum(sum(each) / len(each) for each in scores) / len(scores)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--positions", type=int, default=400)
    parser.add_argument("--difficulty", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--test-every", type=int, default=25)
    parser.add_argument("--out", type=Path, default=Path("curve.csv"))
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    train = create_dataset(size=args.positions, seed=args.seed, difficulty=args.difficulty)
    held_out = list(create_dataset(size=80, seed=args.seed, difficulty=args.difficulty, split="held-out"))
    print(f"a random legal move scores {at_random(held_out):.3f} on held-out games", file=sys.stderr)
    table = [row | {"prompt": row["prompt"][0]["content"]} for row in position_rows(train)]
    tokenizer = make_tokenizer([row["prompt"] for row in table])
    config = GPT2Config(
        vocab_size=len(tokenizer),
        n_positions=LONGEST,
        n_embd=WIDTH,
        n_layer=LAYERS,
        n_head=HEADS,
        bos_token_id=1,
        eos_token_id=1,
        pad_token_id=0,
    )
    model = GPT2LMHeadModel(config)
    curve: list[dict[str, float]] = []

    class Curve(TrainerCallback):
        def on_log(self, _args, state, _control, logs=None, **_):
            if logs and "reward" in logs:
                row = {"step": state.global_step, "reward": round(logs["reward"], 4)}
                if state.global_step % args.test_every == 0 or state.global_step == 1:
                    row["held_out"] = round(tested(model, tokenizer, held_out), 4)
                curve.append(row)
                print(row, file=sys.stderr, flush=True)

    settings = GRPOConfig(
        output_dir=str(args.out.with_suffix("")),
        max_steps=args.steps,
        per_device_train_batch_size=64,
        num_generations=8,
        max_completion_length=1,
        learning_rate=2e-3,
        beta=0.0,
        temperature=1.0,
        logging_steps=1,
        save_strategy="no",
        report_to=[],
        use_cpu=True,
        seed=args.seed,
        disable_tqdm=True,
    )
    trainer = GRPOTrainer(
        model=model,
        reward_funcs=position_reward,
        args=settings,
        train_dataset=Dataset.from_list(table),
        processing_class=tokenizer,
        callbacks=[Curve()],
    )
    trainer.train()
    with args.out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["step", "reward", "held_out"])
        writer.writeheader()
        writer.writerows(curve)


if __name__ == "__main__":
    main()
