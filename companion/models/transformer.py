"""A small transformer: the machine that the chapters describe, with several heads a layer.

Weights are a dictionary of tensors, so that nothing is hidden. Vectors are rows; an array ``ids`` is
``(batch, L)``, tokens from 0 to vocabulary - 1, and every text starts at position 0.
"""

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from companion.extras import extra

with extra("torch"):
    import torch
    import torch.nn.functional as F

__all__ = ["HEADS", "Transformer", "attention_inputs", "load", "new_weights", "save"]

FILE = Path(__file__).parent / "weights.npz"
LAYERS, HEADS, WIDTH, CONTEXT = 2, 4, 128, 256


@dataclass(frozen=True)
class Transformer:
    """A causal transformer with layers of attention and MLP on a residual stream.

    weights: tensors of one dtype, as `new_weights` makes them. heads: attention heads in each layer.
    """

    weights: dict[str, torch.Tensor]
    heads: int = HEADS

    @property
    def layers(self) -> int:
        """The number of layers."""
        return sum(name.endswith(" query") for name in self.weights)

    @property
    def context(self) -> int:
        """The most tokens that a text may have."""
        return len(self.weights["position"])

    def logits(self, ids: torch.Tensor) -> torch.Tensor:
        """Scores of every next token: ``(batch, L)`` to ``(batch, L, vocabulary)``."""
        return self.run(ids)[0]

    def loss(self, ids: torch.Tensor) -> torch.Tensor:
        """Mean of -ln of the probability given to the tokens that came, position 1 to the last; in nats."""
        return F.cross_entropy(self.logits(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())

    def run(self, ids: torch.Tensor) -> tuple[torch.Tensor, list]:
        """The logits, and for each layer its query, key and value, ``(batch, heads, L, D)`` each.

        ValueError for ids that are not ``(batch, L)``, or longer than the context.
        """
        if ids.ndim != 2 or ids.shape[1] > self.context:
            raise ValueError(
                f"ids must be (batch, L), L at most {self.context}; got shape {tuple(ids.shape)}"
            )
        w = self.weights
        x = w["embed"][ids] + w["position"][: ids.shape[1]]
        seen = []
        for n in range(self.layers):
            y = norm(x, w[f"{n} gain 1"])
            query, key, value = (self.cut(y @ w[f"{n} {name}"]) for name in ("query", "key", "value"))
            seen.append((query, key, value))
            output = F.scaled_dot_product_attention(query, key, value, is_causal=True)
            x = x + output.transpose(1, 2).flatten(2) @ w[f"{n} output"]
            y = norm(x, w[f"{n} gain 2"])
            x = x + F.gelu(y @ w[f"{n} up"]) @ w[f"{n} down"]
        return norm(x, w["gain"]) @ w["unembed"], seen

    def cut(self, x: torch.Tensor) -> torch.Tensor:
        """``(batch, L, heads * D)`` to ``(batch, heads, L, D)``."""
        return x.unflatten(2, (self.heads, -1)).transpose(1, 2)


def norm(x, gain):
    """Each vector divided by its root mean square, times a learned gain (Zhang and Sennrich 2019)."""
    return gain * x * (x.square().mean(dim=-1, keepdim=True) + 1e-6).rsqrt()


def attention_inputs(model: Transformer, tokens) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Query, key and value of every head on one text: three arrays ``(layers, heads, L, D)``.

    ``tokens``: a sequence of L tokens. The model divides products by the root of D, as usual. With the layers
    in the place of a batch the arrays can be given to any attention of this package.
    """
    with torch.no_grad():
        _, seen = model.run(torch.as_tensor(tokens)[None])
    query, key, value = (torch.cat(parts).numpy() for parts in zip(*seen, strict=True))
    return query, key, value


def new_weights(vocabulary: int, seed: int) -> dict[str, torch.Tensor]:
    """Random weights in float32: matrices divided by the root of their rows, positions sines and cosines."""
    generator = torch.Generator().manual_seed(seed)

    def random(rows, columns):
        return torch.randn(rows, columns, generator=generator) / rows**0.5

    weights = {
        "embed": random(vocabulary, WIDTH) * vocabulary**0.5,
        "position": waves(CONTEXT, WIDTH),
        "unembed": random(WIDTH, vocabulary),
        "gain": torch.ones(WIDTH),
    }
    for n in range(LAYERS):
        weights |= {f"{n} {name}": random(WIDTH, WIDTH) for name in ("query", "key", "value")}
        # What is added to the stream starts small, so that the stream does not grow with depth.
        weights[f"{n} output"] = random(WIDTH, WIDTH) / (2 * LAYERS) ** 0.5
        weights[f"{n} up"] = random(WIDTH, 4 * WIDTH)
        weights[f"{n} down"] = random(4 * WIDTH, WIDTH) / (2 * LAYERS) ** 0.5
        weights |= {f"{n} gain 1": torch.ones(WIDTH), f"{n} gain 2": torch.ones(WIDTH)}
    return weights


def waves(length, width):
    """Sines and cosines of each position at falling frequencies (Vaswani et al. 2017, section 3.5)."""
    rate = torch.exp(torch.arange(0, width, 2) * (-math.log(10_000) / width))
    angle = torch.arange(length)[:, None] * rate
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


def save(model: Transformer, file: Path = FILE):
    """Write the weights as float16."""
    np.savez_compressed(file, **{name: w.detach().half().numpy() for name, w in model.weights.items()})


def load(file: Path = FILE) -> Transformer:
    """The trained model, in float64 on the CPU: its numbers are the same on every machine, up to rounding."""
    with np.load(file) as stored:
        return Transformer({name: torch.tensor(stored[name], dtype=torch.float64) for name in stored.files})
