"""The table on a GPU: what it measures, against whom, and the line through its times. No GPU is needed."""

import shutil
from dataclasses import replace

import numpy as np
import pytest
import torch

from companion.bench import __main__ as command
from companion.bench import contestants, gpu
from companion.bench.contestants import FLEX_LAYOUT, by_layout, problem, sdpa_kernels, sdpa_mask
from companion.bench.gpu import Measurement, fit, measurements, points
from companion.bench.measure import Timing, measure
from companion.bench.report import Report
from companion.bench.rows import best_of
from companion.bench.settings import GPU, GPU_QUICK
from companion.patterns import causal, sinks, sliding_window, strided

TINY = replace(
    GPU, tokens=192, long_tokens=256, window=32, batch=1, heads=1, dim=16, repeats=1, fit_windows=(64,),
    device="cpu", dtype="float32",
)  # fmt: skip


@pytest.mark.parametrize(("t0", "t_dense"), [(2e-4, 1e-2), (0.0, 3.0), (1e-3, 1e-3)])
def test_the_fit_recovers_the_line(t0, t_dense):
    density = np.array([0.01, 0.03, 0.1, 0.25, 0.5])
    np.testing.assert_allclose(fit(np.stack([density, t0 + density * t_dense], 1)), (t0, t_dense), atol=1e-12)


def test_the_fit_weighs_short_times_as_much_as_long_ones():
    """One time of 10 ms that is 3% off must not move a t0 of 0.2 ms by its 0.3 ms."""
    density = np.array([0.01, 0.03, 0.1, 0.25, 1.0])
    seconds = (2e-4 + density * 1e-2) * np.array([1, 1, 1, 1, 1.03])
    t0, t_dense = fit(np.stack([density, seconds], 1))
    assert abs(t0 - 2e-4) < 1e-5 and abs(t_dense - 1e-2) < 3e-4


@pytest.mark.parametrize("found", [[], [(0.1, 1.0)], [(0.1, 1.0), (0.1, 1.1)]])
def test_one_density_makes_no_line(found):
    with pytest.raises(ValueError, match="two densities"):
        fit(found)


def test_what_is_measured():
    asked = measurements(GPU)
    window, several = sliding_window(1024), sliding_window(1024) | sinks(4) | strided(1024)
    with_peers = {(one.pattern, one.tokens) for one in asked if one.peers}
    assert with_peers == {(window, 16_384), (window, 65_536), (several, 16_384), (causal(), 16_384)}
    assert {one.tokens * one.batch for one in asked} == {4 * 16_384}
    assert sum(one.backward for one in asked) == len(asked) / 2
    for backward in (False, True):
        visited = [x for x, _ in points([(one, 1.0) for one in asked], 16_384, backward)]
        assert len(visited) == 7 and min(visited) < 0.03 and max(visited) > 0.5


def test_visited_counts_blocks_and_not_pairs():
    assert Measurement(sliding_window(64), 1024, 1, False).visited == pytest.approx(31 / 256)  # blocks of 64
    assert sliding_window(64).density(1024) < 0.07


class Model:
    """Times that follow t0 + visited x t_dense, and peers that take so many times that."""

    t0, t_dense = 2e-4, 1e-2

    def __init__(self, monkeypatch, flex=1.5, sdpa=0.5):
        monkeypatch.setattr(Measurement, "times", lambda one, settings, tick=None: self.times(one))
        self.flex, self.sdpa = flex, sdpa

    def times(self, one):
        mine = (2 if one.backward else 1) * (self.t0 + one.visited * self.t_dense)
        found = {"companion": Timing(mine, None, 0.3)}
        if one.peers:
            found |= {} if one.dense else {"flex": Timing(self.flex * mine, None, 12.0)}
            found["sdpa"] = Timing(self.sdpa * mine)
        return found


def rows_of(settings):
    return [row for case in gpu.cases(settings) for row in case.rows(settings, lambda name: None)]


def test_targets_are_flex_in_sparse_rows_and_sdpa_in_dense_ones(monkeypatch):
    Model(monkeypatch)
    aimed = [row for row in rows_of(GPU) if row.target]
    assert {(row.against, row.target, row.reached, row.met) for row in aimed if "causal" in row.what} == {
        ("sdpa", 0.7, 0.5, False)
    }
    sparse = [row for row in aimed if "causal" not in row.what]
    assert len(sparse) == 6 and all((row.against, row.target) == ("flex", 1) for row in sparse)
    assert all(row.met and row.reached == pytest.approx(1.5) for row in sparse)
    assert not any(row.target for row in rows_of(GPU_QUICK))


def test_the_table_ends_with_the_lines_through_its_own_times(monkeypatch):
    Model(monkeypatch)
    fitted = [row.reached for row in rows_of(GPU) if "t0 + density" in row.what]
    np.testing.assert_allclose(fitted, [2e-4, 1e-2, 4e-4, 2e-2], rtol=1e-6)


def test_the_fastest_way_stands_for_all_and_says_its_name():
    times = {"SDPA, a": Timing(3.0), "SDPA, b": Timing(2.0), "other": Timing(1.0)}
    times["SDPA, c"] = Timing(note="no")
    assert best_of(times, "SDPA, ") == Timing(2.0, note="SDPA, b")
    assert best_of({"SDPA, c": Timing(note="no")}, "SDPA, ") == Timing(note="no")
    assert best_of(times, "Flex") is None


def test_cuda_kernels_are_not_asked_for_on_a_cpu():
    given = problem(TINY, causal(), 32)
    assert sdpa_kernels(given) == []


def test_each_fused_kernel_that_can_is_a_contestant(monkeypatch):
    given = problem(TINY, causal(), 32)
    monkeypatch.setattr(torch.Tensor, "device", torch.device("cuda"))
    monkeypatch.setattr(torch.backends.cuda, "can_use_flash_attention", lambda asked: True)
    monkeypatch.setattr(torch.backends.cuda, "can_use_cudnn_attention", lambda asked: False)
    assert [one.name for one in contestants.sdpa_kernels(given)] == ["SDPA, flash_attention"]


@pytest.mark.skipif(shutil.which("g++") is None, reason="compiling FlexAttention needs a C++ compiler (g++)")
def test_flex_under_our_layout_computes_the_same():
    given = problem(TINY, sliding_window(32) | sinks(4), 192)
    times = measure([sdpa_mask(given), by_layout(given, 128)], 1)
    assert times[FLEX_LAYOUT].compile > 0


def test_the_command_makes_this_table_where_the_device_is_a_gpu(monkeypatch, tmp_path, capsys):
    asked = []
    Model(monkeypatch)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(command, "cases", None)
    monkeypatch.setattr(command.machine, "describe", lambda device: {"gpu": "a GPU"})
    monkeypatch.setattr(contestants, "missing", lambda settings: asked.append(settings) or [])
    out = tmp_path / "bench.json"
    assert command.main(["--device", "cuda", "--out", str(out)]) == 0
    assert asked == [GPU] and "yes" in capsys.readouterr().out
    assert len(Report.from_json(out.read_text()).rows) == len(rows_of(GPU))
