"""The performance table: what it says and when it refuses. Times come from a clock that the tests turn."""

import importlib.util
import json
import re
import shutil
import warnings
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn.attention import flex_attention as torch_flex

from companion.bench import __main__ as command
from companion.bench import cases, contestants, memory
from companion.bench.contestants import Contestant, by_flex, local, ours, problem, sdpa_causal, sdpa_mask
from companion.bench.measure import Timing, measure
from companion.bench.plot import plot
from companion.bench.progress import Progress
from companion.bench.report import AT_LEAST, AT_MOST, Report, Row
from companion.bench.rows import best_flex, speedups
from companion.bench.settings import FULL, Settings
from companion.bench.table import table
from companion.bench.watch import SlowPath, no_slow_path
from companion.bench.zoo import zoo
from companion.patterns import sliding_window

TINY = Settings(
    tokens=256, long_tokens=512, window=16, layout_window=32, mask_tokens=256, heads=2, dim=8, repeats=2,
    flex_blocks=(32, 64), pattern_flex_blocks=(64,), scaling=(128, 256), quick=True,
)  # fmt: skip
compiled = pytest.mark.skipif(
    shutil.which("g++") is None, reason="compiling FlexAttention needs a C++ compiler (g++)"
)


class Clock:
    """Stands still until a fake contestant lets it run."""

    def __init__(self):
        self.now, self.order = 0.0, []

    def __call__(self):
        return self.now

    def contestant(self, name, seconds, prepare=0.0, value=1.0, **more):
        """One whose calls take these ``seconds`` in turn."""
        turns = iter(seconds)

        def call():
            self.order.append(name)
            self.now += next(turns)
            return (torch.tensor([value]),)

        def prepared():
            self.now += prepare
            return call

        return Contestant(name, prepared, **more)


@pytest.fixture
def without_compiler(monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")


def test_medians_preparation_and_compiling_are_told_apart():
    clock = Clock()
    times = measure(
        [
            clock.contestant("a", [5.0, 1.0, 9.0, 2.0], prepare=0.5, compiles=True),
            clock.contestant("b", [1.0, 4.0, 4.0, 4.0], prepares=False),
            Contestant("c", None, "no such thing here"),
        ],
        3,
        clock=clock,
    )
    assert times == {
        "a": Timing(2.0, 0.5, 3.0),
        "b": Timing(4.0),
        "c": Timing(note="no such thing here"),
    }


def test_repetitions_take_turns():
    clock = Clock()
    measure([clock.contestant(name, [1.0] * 4) for name in "abc"], 3, clock=clock)
    assert "".join(clock.order) == "abc" + "abc" * 3


def test_who_computes_something_else_is_found_out():
    clock = Clock()
    same, other = clock.contestant("a", [1.0] * 2), clock.contestant("b", [1.0] * 2, value=1.01)
    with pytest.raises(RuntimeError, match="a and b must compute the same"):
        measure([same, other], 1, clock=clock)
    with pytest.raises(RuntimeError, match="must compute the same"):
        measure([same, clock.contestant("b", [1.0] * 2, value=torch.nan)], 1, clock=clock)
    free = clock.contestant("b", [1.0] * 2, value=1.01, exact=False)
    assert measure([clock.contestant("a", [1.0] * 2), free], 1, clock=clock)["b"].seconds == 1.0


def test_an_unfused_call_is_an_error(monkeypatch):
    monkeypatch.setattr(torch_flex, "_WARNINGS_SHOWN", set())
    x = torch.randn(1, 1, 16, 16)
    with pytest.raises(SlowPath, match="unfused"), no_slow_path():
        torch_flex.flex_attention(x, x, x)


def test_too_many_versions_of_a_compiled_function_are_an_error():
    torch.compiler.reset()
    double = torch.compile(lambda x: 2 * x, backend="eager", dynamic=False)
    with pytest.raises(SlowPath, match="recompile_limit"), no_slow_path():
        for n in range(1, 12):
            double(torch.ones(n))
    torch.compiler.reset()


def test_other_warnings_pass():
    with pytest.warns(UserWarning) as caught, no_slow_path():
        warnings.warn("something else", stacklevel=1)
    assert [str(warning.message) for warning in caught] == ["something else"]


def test_a_slow_path_leaves_no_table(monkeypatch, capsys, tmp_path):
    def slow(settings, tick):
        raise SlowPath("torch._dynamo hit config.recompile_limit (8)")

    monkeypatch.setattr(command, "cases", lambda settings: [cases.Case("slow", slow)])
    out = tmp_path / "bench.json"
    assert command.main(["--quick", "--out", str(out)]) == 1
    printed = capsys.readouterr()
    assert "recompile_limit" in printed.err and printed.out == "" and not out.exists()


@pytest.mark.parametrize("window", [2, 5, 16])
def test_local_attention_has_the_keys_of_the_window(window):
    """Each key is counted by the value it lends: with values one-hot, row i of the output shows G_i."""
    L = 32
    given = problem(replace(TINY, heads=1, dim=L), sliding_window(window), L)
    given = replace(given, query=torch.zeros_like(given.query), value=torch.eye(L)[None, None])
    (weights,) = local(given).prepare()()
    np.testing.assert_array_equal(weights[0, 0] > 0, sliding_window(window).mask(L))


@pytest.mark.parametrize("backward", [False, True])
def test_contestants_compute_the_same(backward):
    """`measure` compares them; the causal baseline is the one that would not pass."""
    given = problem(TINY, sliding_window(TINY.window), TINY.tokens, backward=backward)
    same = [ours(given), ours(given, "blocks"), sdpa_mask(given), local(given)]
    measure([*same, sdpa_causal(given)], 1)
    with pytest.raises(RuntimeError, match="SDPA, is_causal must compute the same"):
        measure([*same, replace(sdpa_causal(given), exact=True)], 1)


@compiled
def test_flex_computes_the_same_and_says_how_long_it_compiled():
    given = problem(TINY, sliding_window(TINY.window), TINY.tokens)
    timing = measure([ours(given), by_flex(given, 64)], 1)["FlexAttention, block 64"]
    assert timing.compile > 0 and timing.prepare > 0


def test_flex_says_why_it_cannot_train_here():
    given = problem(TINY, sliding_window(4), 32, backward=True)
    assert by_flex(given, 64).prepare is None
    assert "no gradients on a CPU" in by_flex(given, 64).absent


def test_the_best_block_size_stands_for_all():
    sizes = {"FlexAttention, block 32": Timing(3.0), "FlexAttention, block 64": Timing(2.0)}
    folded = best_flex({"ours": Timing(1.0)} | sizes)
    assert folded == {"ours": Timing(1.0), "FlexAttention, block 64": Timing(2.0, note="block 32: 3 s")}
    ours_row, flex_row = speedups("what", folded, "FlexAttention, block 64")
    assert (ours_row.reached, flex_row.reached) == (2.0, 1.0)


def test_targets_met_missed_and_out_of_reach():
    assert Row("w", "c", 8.0, sense=AT_LEAST, target=8).met is True
    assert Row("w", "c", 7.9, sense=AT_LEAST, target=8).met is False
    assert Row("w", "c", 2.4, sense=AT_MOST, target=2.3).met is False
    assert Row("w", "c", 2.3, sense=AT_MOST, target=2.3).met is True
    assert Row("w", "c", None, sense=AT_MOST, target=2.3).met is None
    assert Row("w", "c", 1.0).met is None


def test_the_whole_table_without_a_compiler(without_compiler, monkeypatch, capsys, tmp_path):
    """Its rows say what is missing, so does the exit status, and the file holds what was printed."""
    asked = []

    def peak_bytes(setup, *arguments, device="cpu"):
        asked.append(setup.__name__)
        return 50_000_000 + 100_000 * len(asked)

    monkeypatch.setattr(memory, "peak_bytes", peak_bytes)
    monkeypatch.setattr(command, "QUICK", TINY)
    out, drawing = tmp_path / "new" / "bench.json", tmp_path / "new" / "bench.svg"
    assert command.main(["--quick", "--out", str(out), "--plot", str(drawing)]) == 2
    printed = capsys.readouterr()
    report = Report.from_json(out.read_text())

    assert printed.out.strip() == table(report)
    assert "there is no no-such-compiler" in printed.out.splitlines()[-1]
    flex = [row for row in report.rows if row.contestant.startswith("FlexAttention, block")]
    assert len(flex) == 2 + len(zoo(256, 16))
    assert all(row.reached is None and row.seconds is None and "FlexAttention" in row.note for row in flex)
    against = [row for row in report.rows if row.against.startswith("FlexAttention")]
    assert [(row.reached, row.met) for row in against] == [(None, None)] and "compiler" in against[0].note

    assert not any(row.target for row in report.rows)
    baselines = [row for row in report.rows if row.contestant == row.against]
    assert len(baselines) == 2 + len(zoo(256, 16)) and all(row.reached == 1.0 for row in baselines)
    assert asked == ["attending", "attending", "laying_out", "blocking", "attending"]
    (memory_growth,) = [row for row in report.rows if row.what.endswith("to 512, memory")]
    assert memory_growth.reached == pytest.approx(50.2 / 50.1)
    (long,) = [row for row in report.rows if row.what == "forward, window 16, L = 512"]
    assert long.reached == pytest.approx(50.5 - 512 * 2 * 8 * 4 / 1e6)
    assert {row.waste is not None for row in report.rows if "density" in row.what} == {True}

    measured = {name for name, _, _ in report.scaling}
    assert measured >= {"SDPA, is_causal", "SDPA, dense mask", "local-attention"}
    assert {tokens for _, tokens, _ in report.scaling} == {128, 256}
    assert drawing.read_text().count("<svg") == 1
    total = len(cases.cases(TINY)) + 1
    assert f"[{total}/{total}] scaling" in printed.err


def test_json_keeps_everything():
    rows = [
        Row("w", "a", 8.5, against="b", sense=AT_LEAST, target=8.0, seconds=0.1, prepare=0.2, compile=3.0),
        Row("w", "c", None, "MB", megabytes=1.5, waste=1.1, note="why"),
    ]
    report = Report({"threads": 2}, {"tokens": 8}, rows, ["one thing"], [["a", 8, 0.1]])
    assert Report.from_json(report.to_json()) == report
    assert [row["met"] for row in json.loads(report.to_json())["rows"]] == [True, None]


def test_the_table_shows_ratio_target_and_verdict_first():
    settings = {"device": "cpu", "dtype": "float32", "batch": 1, "heads": 8, "dim": 64, "repeats": 7}
    row = Row("forward", "ours", 8.4, against="theirs", sense=AT_LEAST, target=9, seconds=0.05)
    text = table(Report({"processor": "P", "threads": 2}, settings, [row, replace(row, reached=9.5)]))
    assert text.startswith("processor P, threads 2\n")
    assert text.count("\nforward\n") == 1
    lost, won = text.splitlines()[-2:]
    assert re.match(r" *8\.40 x +at least 9 x +NO +ours +theirs +0\.0500 ", lost)
    assert re.match(r" *9\.50 x +at least 9 x +yes ", won)


def test_targets_hold_for_the_full_run_on_a_cpu_in_float32():
    assert FULL.judged
    assert not any(
        replace(FULL, **other).judged
        for other in ({"device": "cuda"}, {"dtype": "bfloat16"}, {"quick": True})
    )


@pytest.mark.parametrize(
    ("name", "says"), [("cuda", "there is no CUDA device"), ("tpu", "must be cpu or cuda")]
)
def test_a_device_that_is_not_there_is_told_before_anything_is_measured(name, says, monkeypatch, capsys):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(SystemExit, match="2"):
        command.main(["--device", name])
    assert says in capsys.readouterr().err


def test_missing_names_each_thing(without_compiler, monkeypatch):
    monkeypatch.setattr(contestants, "find_spec", lambda name: None)
    flex, local_attention = contestants.missing(TINY)
    assert "C++ compiler" in flex and "not installed" in local_attention


def test_the_zoo_is_sparse_and_partly_scattered():
    patterns = zoo(8192, 256)
    wastes = {}
    for name, pattern in patterns.items():
        assert pattern.density(8192) <= 0.1, name
        wastes[name] = pattern.layout(8192, block_size=64).pairs_bound / pattern.pairs(8192)
    assert sum(waste <= 2 for waste in wastes.values()) >= 5
    assert sum(waste > 2 for waste in wastes.values()) >= 3


@pytest.mark.skipif(memory.reason("cpu") is not None, reason="peak memory is read from Linux's /proc")
def test_peak_memory_is_the_peak_and_not_what_stays():
    used = memory.peak_bytes(hungry, 40_000_000)
    assert 39_000_000 <= used < 45_000_000  # the kernel counts pages in batches


def hungry(size):
    """A call that takes and frees ``size`` bytes, after a set-up that took more."""
    np.ones(2 * size, np.uint8).sum()
    return lambda: int(np.ones(size, np.uint8).sum())


def test_a_bar_on_a_terminal_and_lines_elsewhere():
    class Stream(list):
        def __init__(self, terminal):
            super().__init__()
            self.isatty = lambda: terminal

        write = list.append

        def flush(self):
            pass

    for terminal, drawn in ((True, "[############............] 1/2 b: ours"), (False, "[2/2] b")):
        stream = Stream(terminal)
        progress = Progress(2, stream)
        progress.begin("a")
        progress.end()
        progress.begin("b")
        progress.tick("ours")
        assert drawn in "".join(stream)
        assert ("ours" in "".join(stream)) is terminal


def test_the_plot_labels_every_line(tmp_path):
    names = "companion, auto: blocks", "SDPA, is_causal", "FlexAttention, block 64"
    lengths = (512, 1024)
    points = [[name, L, (n + 1) * L / 1e6] for n, name in enumerate(names) for L in lengths]
    plot(points, tmp_path / "scaling.pdf")
    assert (tmp_path / "scaling.pdf").read_bytes().startswith(b"%PDF")


def test_local_attention_is_installed_where_the_book_is_tested():
    assert importlib.util.find_spec("local_attention")
