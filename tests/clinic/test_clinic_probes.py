"""Variants of the faults, in other clothes than the planted ones, and limits of what is called a fault."""

import functools

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from clinic.test_clinic_adapt import attend

from companion import reference
from companion.clinic import examine
from companion.patterns import causal, dilated, full, sinks, sliding_window


def plain(q, k, v, mask, hide=-np.inf, scale=None, axis=-1):
    """Masked attention without any guard."""
    scores = np.where(mask, q @ k.swapaxes(-1, -2) * (scale or q.shape[-1] ** -0.5), hide)
    weights = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return weights / weights.sum(axis=axis, keepdims=True) @ v


def lower(q, k):
    L, S = q.shape[-2], k.shape[-2]
    return np.arange(S) <= np.arange(S - L, S)[:, None]


def found(fn, pattern=causal(), **options):
    return examine(fn, pattern, **options).names


def test_a_mask_that_is_ignored_leaks_the_future():
    assert found(lambda q, k, v: plain(q, k, v, True)) == ("leaks the future",)
    assert found(lambda q, k, v, mask: attend(q, k, v, np.ones_like(mask))) == ("leaks the future",)


@pytest.mark.parametrize("axis", [-2, -3, -4])
def test_every_wrong_axis(axis):
    assert found(lambda q, k, v: plain(q, k, v, True, axis=axis), full()) == ("softmax over the wrong axis",)


def test_a_mask_multiplied_into_the_scores():
    def scored(q, k, v, mask):
        scores = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5 * mask
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return weights / weights.sum(axis=-1, keepdims=True) @ v

    assert found(scored) == ("mask used as numbers",)


@pytest.mark.parametrize("more, name", [(1, "window one key too many"), (-1, "window one key too few")])
@pytest.mark.parametrize(
    "told, made",
    [
        (sliding_window(100), lambda n: sliding_window(100 + n)),
        (sliding_window(1000), lambda n: sliding_window(1000 + n)),
        (dilated(4, 3), lambda n: dilated(4 + n, 3)),
        (sliding_window(5) | sinks(2), lambda n: sliding_window(5 + n) | sinks(2)),
    ],
    ids=lambda value: repr(value) if not callable(value) or hasattr(value, "mask") else "",
)
def test_windows_of_all_sizes(told, made, more, name):
    def own(q, k, v):
        L, S = q.shape[-2], k.shape[-2]
        return plain(q, k, v, made(more).mask(L, S, query_offset=S - L))

    assert found(own, told) == (name,)


def test_a_window_too_long_to_be_seen_is_mentioned():
    report = examine(attend, sliding_window(5000), style="mask")
    assert report.tried[0].part == "window"
    assert "not reached" in report.tried[0].outcome


def test_a_finite_number_in_a_mask_is_the_one_cause_of_the_mean():
    assert found(functools.partial(plain, hide=-1e9), style="mask") == ("finite sentinel",)
    assert found(functools.partial(plain, hide=np.finfo(np.float32).min), style="mask", skip=["dtypes"]) == (
        "mean of V on empty rows",
    )


def test_adding_a_large_negative_number_is_a_finite_sentinel_too():
    def biased(q, k, v):
        scores = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5 - 1e4 * ~lower(q, k)
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return (weights / weights.sum(axis=-1, keepdims=True) @ v).astype(q.dtype)

    assert found(biased) == ("finite sentinel",)


def test_keys_added_to_fill_a_block():
    def padded(q, k, v):
        more = [(0, 0)] * (k.ndim - 2) + [(0, -k.shape[-2] % 8), (0, 0)]
        return plain(q, np.pad(k, more), np.pad(v, more), True)

    assert found(padded, full()) == ("padding attended",)


@pytest.mark.parametrize("block", [2, 8, 64])
def test_blocks_of_other_sizes(block):
    def cut(q, k, v):
        output = plain(q, k, v, lower(q, k))
        output[..., output.shape[-2] // block * block :, :] = 0
        return output

    assert found(cut) == ("right only for multiples of a block",)


def test_heads_mixed_on_the_way_out():
    def merged(q, k, v):
        B, H, L, _ = q.shape
        return plain(q, k, v, lower(q, k)).reshape(B, L, H, -1).swapaxes(1, 2)

    assert found(merged) == ("heads mixed by a reshape",)


def test_dropout_inside_a_fused_function():
    def dropping(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=0.2)

    assert found(dropping) == ("dropout left on",)


def test_a_mask_that_is_written_to():
    def fills(q, k, v, mask):
        mask |= ~mask.any(axis=-1, keepdims=True)
        return attend(q, k, v, mask)

    report = examine(fills, skip=["empty rows"])
    assert report.names == ("writes to its inputs",)
    assert report.findings[0].evidence.note == "mask changed during the call"


def test_a_dtype_that_changes_in_half_precision_only():
    def promoted(q, k, v):
        return attend(q, k, v).astype(np.float32 if q.dtype == np.float16 else q.dtype)

    report = examine(promoted)
    assert report.names == ("changes the dtype",)
    assert report.findings[0].evidence.note == "float16 went in, float32 came out"


def test_a_function_of_half_precision_alone():
    def half(q, k, v):
        if q.dtype != torch.float16:
            raise TypeError("float16 only")
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)

    report = examine(half, skip=["decoding"])
    assert report.healthy
    assert {t.part: t.outcome for t in report.tried}["dtypes"] == (
        "float32 refused, float64 refused, bfloat16 refused"
    )
    unscaled = found(lambda q, k, v: half(q.shape[-1] ** 0.5 * q, k, v), skip=["decoding"], kind="torch")
    assert unscaled == ("no scale",)


def test_products_in_half_precision_are_for_the_strict():
    """float16, query and key 300, D = 64: a raw score is 5.8e6 (huggingface/transformers#17437)."""

    def in_half(q, k, v):
        allowed = torch.arange(k.shape[-2]) <= torch.arange(k.shape[-2] - q.shape[-2], k.shape[-2])[:, None]
        scores = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(~allowed, -torch.inf)
        return scores.softmax(-1) @ v

    assert found(in_half) == ()
    report = examine(in_half, strict=True, skip=["outside G"])
    assert report.names == ("overflows",)
    assert report.findings[0].evidence.note == "float16, scores up to 7.2e+05"


def test_scores_that_are_cut_off():
    def cut(q, k, v):
        scores = np.where(lower(q, k), q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5, -np.inf)
        weights = np.exp(np.minimum(scores, 80))
        return weights / weights.sum(axis=-1, keepdims=True) @ v

    report = examine(cut, skip=["dtypes"])
    assert report.names == ("differs from the reference",)
    assert report.findings[0].evidence.note == "float32, scores up to 200"


def test_a_gradient_that_is_nan_on_an_empty_row():
    def patched(q, k, v, mask):
        scores = q @ k.mT / q.shape[-1] ** 0.5 + torch.where(mask, 0.0, -torch.inf).to(q.dtype)
        return scores.softmax(-1).nan_to_num(0) @ v

    report = examine(patched)
    assert report.names == ("wrong gradient",)
    assert "empty rows" in report.findings[0].evidence.case
    assert np.isnan(report.findings[0].evidence.got).all()


def test_a_part_that_is_detached():
    def detached(q, k, v):
        return F.scaled_dot_product_attention(q, (k + k.detach()) / 2, v, is_causal=True)

    report = examine(detached, skip=["decoding"])
    assert report.names == ("wrong gradient",)
    assert "gradient of key" in report.findings[0].evidence.where


def test_a_gradient_by_hand_of_the_wrong_shape():
    def shapeless(grad, q, k, v):
        return q, k, v[..., 0]

    report = examine(lambda q, k, v: plain(q, k, v, True), full(), gradient=shapeless)
    assert report.names == ("wrong gradient",)


@pytest.mark.parametrize(
    ("gradient", "words"),
    [
        (lambda grad, q, k, v: (q, k), "returned 2 arrays, expected 3"),
        (lambda *given: None, "TypeError"),
        (lambda grad, q, k, v: 1 / 0, "ZeroDivisionError"),
        (lambda grad, q, k, v: ("q", "k", "v"), "ValueError"),
    ],
)
def test_a_gradient_by_hand_that_gives_none(gradient, words):
    report = examine(lambda q, k, v: plain(q, k, v, True), full(), gradient=gradient)
    assert report.names == ("raises",)
    assert words in report.findings[0].evidence.note


def test_a_function_without_gradient_is_no_fault():
    def silent(q, k, v):
        return F.scaled_dot_product_attention(q.detach(), k.detach(), v.detach(), is_causal=True)

    report = examine(silent, skip=["decoding"])
    assert report.healthy
    assert {t.part: t.outcome for t in report.tried}["gradient"] == "the output carries no gradient"


def test_a_view_that_is_refused_is_no_fault():
    def contiguous(q, k, v):
        flat = [x.view(-1, *x.shape[-2:]) for x in (q, k, v)]
        return F.scaled_dot_product_attention(*flat, is_causal=True).view(q.shape)

    report = examine(contiguous, skip=["decoding", "value width"])
    assert report.healthy
    assert "transposed refused" in {t.part: t.outcome for t in report.tried}["strides"]


def test_an_unknown_fault_of_a_pattern_that_hides_nothing():
    assert found(lambda q, k, v: plain(q, k, v, True) + 1, full()) == ("differs from the reference",)


def test_a_fault_that_one_of_a_pair_explains_alone_is_not_called_a_pair():
    def misaligned(query, key, value, indices):
        """Weights over G, times the first values."""
        output = np.zeros((len(query), value.shape[1]), value.dtype)
        for i, row in enumerate(indices):
            G = np.unique(row[row >= 0])
            if len(G):
                output[i] = reference.attend(query[i], key[G], value[: len(G)])
        return output

    assert found(misaligned, style="indices", layout="LD", kind="numpy") == ("differs from the reference",)


def test_a_wrong_half_precision_names_it():
    def coarse(q, k, v):
        return attend(q, k, v) * (np.float16(1.5) if q.dtype == np.float16 else 1)

    report = examine(coarse)
    assert report.names == ("differs from the reference",)
    assert report.findings[0].evidence.note == "right in float32, wrong in float16"


def test_a_finding_in_words():
    report = examine(lambda q, k, v: plain(q, k, v, lower(q, k), scale=1.0), lengths=(5,))
    assert examine(attend).in_words() is None
    assert report.in_words().startswith(
        "No scale (decoding: L = 1, S = 5, D = 4, seed 0). Row 0 of the output"
    )
    assert report.in_words().endswith(report.findings[0].cause)


@pytest.mark.parametrize("cut", ["query", "key", "value"])
def test_a_gradient_that_stops_on_the_way_to_one_input(cut):
    def detached(query, key, value):
        given = {"query": query, "key": key, "value": value}
        given[cut] = given[cut].detach()
        return F.scaled_dot_product_attention(*given.values(), is_causal=True)

    report = examine(detached, skip=["decoding"])
    assert report.names == ("wrong gradient",)
    assert f"gradient of {cut}" in report.findings[0].evidence.where
