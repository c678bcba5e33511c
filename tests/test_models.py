"""The small model: it loads, it is causal, it has learned, and its attention is that of the reference."""

import math

import numpy as np
import pytest
import torch

from companion.models import text
from companion.models.transformer import FILE, HEADS, Transformer, attention_inputs, load, new_weights, save
from companion.reference import attention

UNIGRAM = 3.0  # nats a character: the entropy of the letters' frequencies lies a little above


@pytest.fixture(scope="module")
def model():
    return load()


@pytest.fixture(scope="module")
def tokens():
    return text.encode(text.held_out()[:200])


def unigram_entropy():
    _, counts = np.unique(list(text.held_out()), return_counts=True)
    share = counts / counts.sum()
    return -(share * np.log(share)).sum()


def test_text_is_split_without_overlap_or_loss():
    assert text.training() + text.held_out() == text.novel()
    assert text.training().startswith("Chapter 1\n")
    assert text.held_out().startswith("Chapter 45\n")
    assert text.decode(text.encode(text.novel()[:1000])) == text.novel()[:1000]
    with pytest.raises(ValueError, match="'é'"):
        text.encode("café")


def test_weights_are_small_and_finite(model):
    assert FILE.stat().st_size < 2_000_000
    assert all(w.isfinite().all() for w in model.weights.values())
    assert (model.layers, model.heads, model.context) == (2, HEADS, 256)


def test_it_has_learned(model):
    pieces = torch.tensor(text.encode(text.held_out()[: 8 * 257])).view(8, 257)
    with torch.no_grad():
        loss = model.loss(pieces).item()
        untrained = Transformer(new_weights(len(text.vocabulary()), seed=0)).loss(pieces).item()
    assert loss < 1.7
    assert UNIGRAM < unigram_entropy() < untrained
    assert abs(untrained - math.log(len(text.vocabulary()))) < 1


@pytest.mark.parametrize("t", [0, 7, 198])
def test_a_token_changes_nothing_before_it(model, tokens, t):
    ids = torch.tensor([tokens])
    other = ids.clone()
    other[0, t] = (ids[0, t] + 1) % len(text.vocabulary())
    with torch.no_grad():
        gap = (model.logits(other) - model.logits(ids)).abs().amax(dim=2)[0]
    assert gap[:t].sum() == 0
    assert gap[t] > 1e-3


def test_attention_is_that_of_the_reference(model, tokens):
    tokens = tokens[:40]
    query, key, value = attention_inputs(model, tokens)
    assert query.shape == key.shape == value.shape == (2, HEADS, 40, 32)
    right = attention(query, key, value, np.tril(np.ones((40, 40), dtype=bool)))
    with torch.no_grad():
        x = model.weights["embed"][tokens] + model.weights["position"][:40]
        joined = torch.tensor(right[0]).transpose(0, 1).flatten(1)
        x = x + joined @ model.weights["0 output"]
        # What the first layer adds must lead to the queries of the second.
        y = gained(x, model.weights["0 gain 2"])
        x = x + torch.nn.functional.gelu(y @ model.weights["0 up"]) @ model.weights["0 down"]
        second = model.cut((gained(x, model.weights["1 gain 1"]) @ model.weights["1 query"])[None])[0]
    np.testing.assert_allclose(second.numpy(), query[1], rtol=0, atol=1e-11 * np.abs(query[1]).max())


def gained(x, gain):
    return gain * x / (x.square().mean(dim=-1, keepdim=True) + 1e-6).sqrt()


def test_save_and_load_keep_half_precision(tmp_path):
    weights = new_weights(10, seed=3)
    save(Transformer(weights), tmp_path / "w.npz")
    again = load(tmp_path / "w.npz")
    assert again.weights.keys() == weights.keys()
    for name, w in weights.items():
        assert again.weights[name].dtype == torch.float64
        assert torch.equal(again.weights[name], w.half().double())


def test_ids_that_are_none_are_refused(model):
    with pytest.raises(ValueError, match=r"\(batch, L\).*\(3,\)"):
        model.logits(torch.tensor([1, 2, 3]))
    with pytest.raises(ValueError, match="at most 256.*257"):
        model.logits(torch.zeros(1, 257, dtype=torch.long))


def test_a_step_of_training_lowers_the_loss():
    weights = {name: w.requires_grad_() for name, w in new_weights(5, seed=0).items()}
    fresh = Transformer(weights)
    ids = torch.arange(32).view(1, 32) % 5
    before = fresh.loss(ids)
    before.backward()
    with torch.no_grad():
        for w in weights.values():
            w -= 0.01 * w.grad
    assert fresh.loss(ids) < before
