"""Real implementations: the healthy come out clean, and of the others is said what is known of them."""

import pytest
from clinic.implementations import (
    COMPILED,
    COMPILERS,
    HEALTHY,
    bucketed,
    local,
    multihead,
    sdpa_causal,
    x_transformers,
)

from companion.clinic import examine
from companion.patterns import sliding_window


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("implementation", HEALTHY, ids=lambda it: it.name)
def test_no_false_alarm(implementation, seed):
    report = examine(implementation.fn, implementation.pattern, seed=seed, **implementation.options)
    report.raise_for_findings()
    dtypes = next(trial.outcome for trial in report.tried if trial.part == "dtypes")
    assert dtypes == "float64 right, float16 right, bfloat16 right"


@pytest.mark.skipif(not COMPILERS, reason="compiled FlexAttention needs a C++ compiler: g++ or clang++")
def test_flex_attention_compiled():
    """Seeds in one test: they share the compiled code. Whether float64 is compiled or refused, torch decides."""
    for seed in range(3):
        report = examine(COMPILED.fn, COMPILED.pattern, seed=seed, **COMPILED.options)
        report.raise_for_findings()
        outcomes = {trial.part: trial.outcome for trial in report.tried}
        assert outcomes["dtypes"].endswith("float16 right, bfloat16 right")
        assert outcomes["outputs"] == outcomes["decoding"] == outcomes["scores"] == "right"


def test_local_attention_has_one_key_more_than_it_says():
    """Its exact window of 4 holds 5 keys."""
    assert examine(local(4, exact=True), sliding_window(4)).names == ("window one key too many",)


def test_sdpa_causal_is_aligned_top_left():
    """pytorch/pytorch#108108."""
    report = examine(sdpa_causal)
    assert report.names == ("aligned top-left",)
    assert "L = 1, S = 5" in report.findings[0].evidence.case


def test_sdpa_lets_a_hidden_nan_in():
    """pytorch/pytorch#101967: counted when asked for."""
    assert examine(sdpa_causal, skip=["decoding"], strict=True).names == ("NaN outside G reaches in",)


def test_multihead_attention_gives_nan_on_empty_rows():
    """pytorch/pytorch#41508, on the path that returns weights."""
    assert examine(multihead).names == ("NaN on empty rows",)


def test_x_transformers_tiles_its_kv_heads():
    assert examine(x_transformers).names == ("kv heads tiled",)


def test_memory_efficient_attention_is_aligned_top_left():
    """Its two functions differ: the one that works in buckets counts queries from 0."""
    assert examine(bucketed).names == ("aligned top-left",)
