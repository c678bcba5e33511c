"""Associative recall: a task whose answer lies a known distance back, and a small model that learns it.

A text holds 16 pairs of a key and a value, side by side, and 16 questions, in random order. A question is a
key that came before; its answer is the value that stood next to that key. Values are drawn independently, so
a model that does not know a pair can only guess one of 16. (After multi-query recall, Arora et al. 2023.)

The model has two layers of attention with one head each, on a residual stream with a norm before each part,
and no MLP. It reads through `companion.attention`, under one pattern a layer: its schedule, layer 0 first.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from companion.extras import extra

with extra("torch"):
    import torch
    import torch.nn.functional as F

from companion.attention import attention
from companion.models.transformer import norm, waves
from companion.patterns import Pattern, causal, chunks, sinks, sliding_window, strided

__all__ = [
    "ROUTES", "SCHEDULES", "Texts", "accuracy", "hits", "logits", "new_weights", "results", "routes",
    "tested", "texts", "train",
]  # fmt: skip

FILE = Path(__file__).parent / "recall.json"
KINDS, PAIRS = 16, 16  # different keys, and as many different values; pairs, and as many questions, in a text
LENGTH = 3 * PAIRS
WIDTH, BATCH, STEPS, RATE, WARM = 64, 32, 900, 3e-3, 50
TESTED = 2000  # texts that a trained model is tested on, the same for all

_local, _mixed = sliding_window(16), sliding_window(8) | strided(8)
#: The patterns of layer 0 and layer 1, by name.
SCHEDULES = {
    "full, full": (causal(), causal()),
    "window 16, window 16": (_local, _local),
    "window 2, window 16": (sliding_window(2), _local),
    "window 16, full": (_local, causal()),
    "full, window 16": (causal(), _local),
    "window 8 | strided 8, twice": (_mixed, _mixed),
    "chunks 24, twice": (chunks(24), chunks(24)),
    "window 16 | sinks 4, twice": (_local | sinks(4), _local | sinks(4)),
}

#: What the masks of two layers let a question have.
ROUTES = (
    "no path from the value",
    "a path from the value, none from its key",
    "paths from both",
    "layer 0 joins the pair at its value, layer 1 reads it there",
)


@dataclass(frozen=True)
class Texts:
    """Some texts and what is asked in them, as whole numbers.

    ids: ``(batch, 48)``, keys from 0 to 15, values from 16 to 31. asked: ``(batch, 16)``, the positions of
    the questions. keys: the positions of the keys asked for; each value stands one further. answers: the
    values, from 0 to 15.
    """

    ids: torch.Tensor
    asked: torch.Tensor
    keys: torch.Tensor
    answers: torch.Tensor

    @property
    def distance(self) -> torch.Tensor:
        """From each question back to the value that answers it, ``(batch, 16)``; 1 at least."""
        return self.asked - self.keys - 1


def texts(batch: int, generator: torch.Generator) -> Texts:
    """Random texts. A question asks for one of the pairs before it, all equally likely."""
    # Which of the items of a text are questions; the first never is.
    question = torch.rand(batch, 2 * PAIRS - 1, generator=generator).argsort(dim=1) < PAIRS
    question = F.pad(question, (1, 0))
    length = 2 - question.long()
    start = length.cumsum(dim=1) - length
    pairs, asked = start[~question].view(batch, PAIRS), start[question].view(batch, PAIRS)
    keys = torch.rand(batch, KINDS, generator=generator).argsort(dim=1)[:, :PAIRS]
    values = torch.randint(KINDS, (batch, PAIRS), generator=generator)
    known = (~question).cumsum(dim=1)[question].view(batch, PAIRS)
    chosen = (torch.rand(batch, PAIRS, generator=generator) * known).long()
    ids = torch.zeros(batch, LENGTH, dtype=torch.long)
    ids.scatter_(1, pairs, keys)
    ids.scatter_(1, pairs + 1, KINDS + values)
    ids.scatter_(1, asked, keys.gather(1, chosen))
    return Texts(ids, asked, pairs.gather(1, chosen), values.gather(1, chosen))


def new_weights(seed: int) -> dict[str, torch.Tensor]:
    """Random weights in float32; position vectors start as sines and cosines, and are learned on."""
    generator = torch.Generator().manual_seed(seed)

    def random(rows, columns):
        return torch.randn(rows, columns, generator=generator) / rows**0.5

    weights = {
        "embed": random(2 * KINDS, WIDTH) * (2 * KINDS) ** 0.5,
        "position": waves(LENGTH, WIDTH),
        "unembed": random(WIDTH, KINDS) / 2,
    }
    for n in range(2):
        weights |= {f"{n} {name}": random(WIDTH, WIDTH) for name in ("query", "key", "value")}
        weights[f"{n} output"] = random(WIDTH, WIDTH) / 2
    return weights


def logits(weights: dict, ids: torch.Tensor, schedule: tuple[Pattern, Pattern]) -> torch.Tensor:
    """Scores of the 16 values at every position: ``(batch, 48)`` to ``(batch, 48, 16)``."""
    x = weights["embed"][ids] + weights["position"]
    for n, pattern in enumerate(schedule):
        y = norm(x, 1)
        query, key, value = ((y @ weights[f"{n} {name}"])[:, None] for name in ("query", "key", "value"))
        x = x + attention(query, key, value, pattern)[:, 0] @ weights[f"{n} output"]
    return norm(x, 1) @ weights["unembed"]


def answered(weights, sample, schedule):
    """The logits at the questions alone, ``(batch, 16, 16)``."""
    rows = sample.asked[..., None].expand(-1, -1, KINDS)
    return logits(weights, sample.ids, schedule).gather(1, rows)


def train(schedule: tuple[Pattern, Pattern], seed: int, steps: int = STEPS) -> dict[str, torch.Tensor]:
    """Weights of a model trained under ``schedule`` on fresh texts in each step, on the CPU in float32."""
    weights = {name: w.requires_grad_() for name, w in new_weights(seed).items()}
    optimiser = torch.optim.AdamW(weights.values(), betas=(0.9, 0.98), weight_decay=0)
    generator = torch.Generator().manual_seed(1000 + seed)
    for step in range(steps):
        rate = RATE * min((step + 1) / WARM, 1) * (1 - step / steps) ** 0.5
        for group in optimiser.param_groups:
            group["lr"] = rate
        sample = texts(BATCH, generator)
        loss = F.cross_entropy(answered(weights, sample, schedule).flatten(0, 1), sample.answers.flatten())
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights.values(), 1.0)
        optimiser.step()
    return {name: w.detach() for name, w in weights.items()}


def tested() -> Texts:
    """The texts that every model is tested on; training never draws from their generator."""
    return texts(TESTED, torch.Generator().manual_seed(999))


def hits(weights: dict, schedule: tuple[Pattern, Pattern], sample: Texts) -> np.ndarray:
    """Which questions are answered rightly, ``(batch, 16)``, boolean."""
    with torch.no_grad():
        return (answered(weights, sample, schedule).argmax(dim=-1) == sample.answers).numpy()


def routes(schedule: tuple[Pattern, Pattern], sample: Texts) -> np.ndarray:
    """What the masks say of each question, ``(batch, 16)``: a place in `ROUTES`."""
    first, second = (pattern.mask(LENGTH) | np.eye(LENGTH, dtype=bool) for pattern in schedule)
    path = (second.astype(int) @ first) > 0
    t, k = sample.asked.numpy(), sample.keys.numpy()
    value, key, paired = path[t, k + 1], path[t, k], first[k + 1, k] & second[t, k + 1]
    return np.where(paired, 3, np.where(value & key, 2, value))


def accuracy(hit: np.ndarray, group: np.ndarray, groups: int) -> np.ndarray:
    """The share of hits in each group from 0 to ``groups - 1``; NaN where a group is empty."""
    count = np.bincount(group.ravel(), minlength=groups)
    right = np.bincount(group.ravel(), weights=hit.ravel(), minlength=groups)
    return np.divide(right, count, out=np.full(groups, np.nan), where=count > 0)


def results(file: Path = FILE) -> dict:
    """What `tools/train_recall.py` found: settings, and for each schedule a list of runs, one a seed."""
    return json.loads(file.read_text())
