"""Real implementations: the healthy come out clean, and of the others is said what is known of them."""

from shutil import which

import pytest
from clinic.implementations import HEALTHY, bucketed, flex, local, multihead, sdpa_causal, x_transformers

from companion.clinic import examine
from companion.patterns import sliding_window

COMPILERS = [name for name in ("g++", "clang++", "c++") if which(name)]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("implementation", HEALTHY, ids=lambda it: it.name)
def test_no_false_alarm(implementation, seed):
    report = examine(implementation.fn, implementation.pattern, seed=seed, **implementation.options)
    report.raise_for_findings()
    dtypes = next(trial.outcome for trial in report.tried if trial.part == "dtypes")
    assert dtypes == "float64 right, float16 right, bfloat16 right"


@pytest.mark.skipif(not COMPILERS, reason="compiled FlexAttention needs a C++ compiler: g++ or clang++")
def test_flex_attention_compiled():
    parts = [
        "decoding",
        "value width",
        "head width",
        "grouped heads",
        "dtypes",
        "strides",
        "scores",
        "gradient",
    ]
    report = examine(
        flex(sliding_window(4), compiled=True), sliding_window(4), kind="torch", layout="BHLD", lengths=(64,),
        seconds=170, skip=[*parts, "outside G"],
    )  # fmt: skip
    report.raise_for_findings()
    assert sum(trial.cases for trial in report.tried) >= 4


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
