"""Train the small model of companion.models and write its weights.

    python tools/train_small_model.py

One thread, fixed seeds: the same machine and the same torch give the same file. It takes about four minutes
on one core and prints the loss, in nats a character, on the way.
"""

import math
import sys

import torch

from companion.models.text import encode, held_out, training, vocabulary
from companion.models.transformer import FILE, Transformer, new_weights, save

STEPS, BATCH, LENGTH = 900, 12, 256
RATE, WARM = 4e-3, 60


def rate(step):
    """Rises over the first steps, then falls along half a cosine."""
    return RATE * min((step + 1) / WARM, 0.02 + 0.49 * (1 + math.cos(math.pi * step / STEPS)))


def batch(tokens, generator):
    """Texts of ``LENGTH`` predictions from random places: ``(BATCH, LENGTH + 1)``."""
    starts = torch.randint(len(tokens) - LENGTH, (BATCH, 1), generator=generator)
    return tokens[starts + torch.arange(LENGTH + 1)]


def held_out_loss(model):
    """The loss on the held-out text, cut into pieces that do not overlap."""
    tokens = torch.tensor(encode(held_out()))
    pieces = len(tokens) // (LENGTH + 1)
    with torch.no_grad():
        return model.loss(tokens[: pieces * (LENGTH + 1)].view(pieces, -1)).item()


def train(steps=STEPS):
    """A trained model."""
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    weights = {name: w.requires_grad_() for name, w in new_weights(len(vocabulary()), seed=0).items()}
    model = Transformer(weights)
    matrices = [w for w in weights.values() if w.ndim == 2]
    vectors = [w for w in weights.values() if w.ndim == 1]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}]
    optimiser = torch.optim.AdamW(groups, lr=RATE, betas=(0.9, 0.98))
    tokens = torch.tensor(encode(training()))
    generator = torch.Generator().manual_seed(1)
    for step in range(steps):
        for group in optimiser.param_groups:
            group["lr"] = rate(step)
        loss = model.loss(batch(tokens, generator))
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights.values(), 1.0)
        optimiser.step()
        if step % 150 == 0 or step == steps - 1:
            print(f"step {step:5}: loss {loss.item():.3f}, held out {held_out_loss(model):.3f}", flush=True)
    return model


if __name__ == "__main__":
    save(train())
    print(f"{FILE.name}: {FILE.stat().st_size:,} bytes", file=sys.stderr)
