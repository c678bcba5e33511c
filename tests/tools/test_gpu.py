"""`make gpu`, rehearsed on a CPU, and each of its pieces."""

import json
import subprocess
import sys
import time
import zipfile
from functools import partial
from pathlib import Path

import pytest
import torch
from helpers.project import ROOT

from companion.bench.gpu import Measurement
from companion.bench.measure import Timing
from companion.bench.settings import GPU
from companion.patterns import causal
from tools.gpu import __main__ as command
from tools.gpu import benchmark, checks, environment, parts, results
from tools.gpu.parts import Outcome

ROW = {
    "case", "what", "tokens", "dtype", "heads", "batch", "dim", "density", "visited", "seconds",
    "compile_seconds", "notes",
}  # fmt: skip


def make_gpu(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "tools.gpu", *arguments], cwd=ROOT, capture_output=True, text=True,
        timeout=300, check=False, env={"PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "1", **environment},
    )  # fmt: skip


def test_the_rehearsal_runs_every_part_and_writes_the_file(tmp_path):
    """Without a C++ compiler, so that nothing is compiled and FlexAttention says that it cannot."""
    out = tmp_path / "new" / "results.json"
    done = make_gpu("--device", "cpu", "--out", str(out), CXX="no-such-compiler")
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(out.read_text())
    assert set(found) == {
        "device", "driver", "versions", "date", "checks", "notebooks", "incomplete", "rows", "fit",
    }  # fmt: skip
    assert set(found["versions"]) == {"python", "torch", "triton", "companion"}
    assert found["checks"]["passed"] >= 20 and found["checks"]["failed"] == 0
    assert found["notebooks"]["passed"] > 10 and found["notebooks"]["failed"] == 0
    assert found["incomplete"] == [] and len(found["rows"]) == 8
    assert all(set(row) == ROW and row["seconds"]["companion"] > 0 for row in found["rows"])
    first = found["rows"][0]
    assert "no-such-compiler" in first["notes"]["flex"] and first["seconds"]["flex"] is None
    assert [one["what"] for one in found["fit"]] == ["forward", "forward + backward"]


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_without_a_device_it_says_so_at_once(tmp_path):
    done = make_gpu("--out", str(tmp_path / "results.json"))
    assert done.returncode == 1 and done.stdout == "" and list(tmp_path.iterdir()) == []
    assert done.stderr == f"there is no CUDA device that PyTorch {torch.__version__} can use here\n"


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        (Outcome("checks", 3, 0, True, 0, 1.0), 0),
        (Outcome("checks", 3, 1, True, 1, 1.0), 1),
        (Outcome("checks", 0, 0, True, 4, 1.0), 1),
        (Outcome("checks", 3, 0, False, None, 1.0), 2),
        (Outcome("checks", 3, 0, False, 0, 1.0), 2),
        (Outcome("checks", 3, 1, False, None, 1.0), 1),
    ],
)
def test_the_exit_status_tells_wrong_from_incomplete(outcome, status, monkeypatch, tmp_path, capsys):
    asked, written = [], []

    def run(name, python_command, seconds, *rest):
        asked.append((name, seconds))
        written.append(out.exists() and len(json.loads(out.read_text())["incomplete"]))
        return outcome if name == "checks" else Outcome(name, 1, 0, True, 0, 1.0)

    monkeypatch.setattr(parts, "run", run)
    out = tmp_path / "results.json"
    assert command.main(["--device", "cpu", "--out", str(out)]) == status
    found = json.loads(out.read_text())
    assert found["checks"] == {"passed": outcome.passed + 1, "failed": outcome.failed}
    assert found["incomplete"] == ([] if outcome.whole else [str(outcome)])
    assert [name for name, _ in asked] == ["checks", "benchmark", "tests", "notebooks"]
    late = not outcome.whole
    assert written == [False, 3 + late, 2 + late, 1 + late], "what there is, is written after each part"
    assert all(0 < seconds <= command.TOTAL for _, seconds in asked) and asked[-1][1] > 470
    assert str(outcome) in capsys.readouterr().out


PART = """
import subprocess, sys, time
print("PASSED one: fine\\nFAILED two: not\\n[gw1] [ 50%] PASSED here\\n[gw0] [100%] ERROR there", flush=True)
print("a test that PASSED in a sentence, FAILED too", flush=True)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
print("child", child.pid, flush=True)
if len(sys.argv) > 1: time.sleep(60)
child.kill()
"""


def part(tmp_path, seconds, *arguments):
    python = [sys.executable, "-c", PART, *arguments]
    return parts.run("a part", python, seconds, tmp_path / "log", {}, tmp_path)


def test_a_part_is_counted_by_its_verdicts(tmp_path, capsys):
    found = part(tmp_path, 60)
    assert (found.passed, found.failed, found.whole, found.status) == (2, 2, True, 0) and not found.right
    assert "a sentence" in capsys.readouterr().out and "a sentence" in (tmp_path / "log").read_text()


def test_a_part_that_takes_too_long_is_stopped_with_its_children(tmp_path, capsys):
    began = time.monotonic()
    found = part(tmp_path, 3, "sleep")
    assert time.monotonic() - began < 20 and found.passed == 2
    assert not found.whole and found.status is None and "the rest of it did not run" in str(found)
    child = int(capsys.readouterr().out.split("child ")[1].split()[0])
    assert ended(child)


def ended(process, patience=10):
    """Whether it is gone, or goes within ``patience`` seconds; a zombie waits for init alone."""
    status = Path("/proc") / str(process) / "status"
    for _ in range(10 * patience):
        try:
            if "zombie" in status.read_text():
                return True
        except OSError:
            return True
        time.sleep(0.1)
    return False


def test_what_was_dropped_makes_a_part_incomplete(tmp_path):
    line = [sys.executable, "-c", "print('PASSED a\\nDROPPED b: no time left')"]
    found = parts.run("checks", line, 30, tmp_path / "log", {}, tmp_path)
    assert not found.whole and found.right and "dropped for lack of time" in str(found)


def formula(pattern, query, key, value, pull):
    """The answers of a kernel that is right: the formula's own."""
    (_, heads, L, _), S = query.shape, key.shape[2]
    mask = checks._mask(pattern, heads, L, S, "cpu")
    return checks._formula(mask, query, key, value, pull)


def off(which, factor, *given):
    found = formula(*given)
    found[which] = found[which] * factor
    return found


def by_strides(*given):
    return [x + (1e-6 if any(not y.is_contiguous() for y in given[1:4]) else 0.0) for x in formula(*given)]


def never_the_same(*given, calls=[]):  # noqa: B006  it counts
    calls.append(None)
    return [x + 1e-7 * len(calls) for x in formula(*given)]


PLANTED = {
    "output": (partial(off, 0, 1.0001), "largest error of out"),
    "log-sum-exp": (partial(off, 1, 1.0001), "largest error of lse"),
    "query gradient": (partial(off, 2, 1.0001), "largest error of dq"),
    "value gradient": (partial(off, 4, 0.9999), "largest error of dv"),
    "strides": (by_strides, "FAILED strides: dim before tokens"),
    "determinism": (never_the_same, "FAILED two runs are bit-identical"),
    "poison": (formula, "FAILED what lies outside G is not felt"),
}


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_found(fault, monkeypatch, capsys):
    ours, expected = PLANTED[fault]
    monkeypatch.setattr(checks, "_ours", ours)
    assert checks.main(["--device", "cpu"]) == 1
    assert expected in capsys.readouterr().out


def test_a_right_kernel_fails_nothing_but_what_needs_the_guard(monkeypatch, capsys):
    monkeypatch.setattr(checks, "_ours", formula)
    checks.main(["--device", "cpu"])
    count = parts.verdicts(capsys.readouterr().out)
    assert count["FAILED"] == 1 and count["PASSED"] == 20


def test_checks_that_have_no_time_say_so(capsys):
    assert checks.main(["--device", "cpu", "--seconds", "-1"]) == 0
    assert set(parts.verdicts(capsys.readouterr().out)) == {"DROPPED"}


def test_workers_do_each_check_once_and_one_that_fails_counts(monkeypatch, capfd):
    told = []
    for workers in ("1", "4"):
        assert checks.main(["--device", "cpu", "--seconds", "-1", "--workers", workers]) == 0
        told.append(sorted(capfd.readouterr().out.splitlines()))
    assert told[0] == told[1] and len(told[0]) > 20
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)  # without it there are no kernels on a CPU
    assert checks.main(["--device", "cpu", "--workers", "2"]) == 1
    assert set(parts.verdicts(capfd.readouterr().out)) == {"FAILED"}


def timed(measurement, settings):
    if measurement.backward:
        raise RuntimeError("two of them must compute the same")
    return {"companion": Timing(1e-4 + measurement.visited * 1e-2, None, 0.5), "sdpa": Timing(note="none")}


def test_figures_are_kept_though_some_measurements_fail(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(Measurement, "times", timed)
    out = tmp_path / "figures.json"
    assert benchmark.main(["--out", str(out), "--device", "cpu"]) == 1
    count, found = parts.verdicts(capsys.readouterr().out), json.loads(out.read_text())
    assert (count["PASSED"], count["FAILED"]) == (5, 5) and len(found["rows"]) == 4
    (fitted,) = found["fit"]
    assert (fitted["t0"], fitted["t_dense"]) == pytest.approx((1e-4, 1e-2))


def test_a_row_says_at_what_sizes_it_was_measured():
    figures = benchmark.Figures(GPU)
    one = Measurement(causal(), 16_384, 4, True)
    figures.add(one, {"companion": Timing(0.01, None, 0.3), "sdpa": Timing(0.008, note="SDPA, cudnn")})
    (row,) = json.loads(figures.json())["rows"]
    assert (row["case"], row["what"], row["batch"], row["heads"], row["dtype"]) == (
        "causal()", "forward + backward", 4, 16, "bfloat16",
    )  # fmt: skip
    assert row["seconds"] == {"companion": 0.01, "sdpa": 0.008}
    assert row["compile_seconds"] == {"companion": 0.3} and row["notes"] == {"sdpa": "SDPA, cudnn"}
    assert row["density"] == pytest.approx(0.5, abs=1e-3) and json.loads(figures.json())["fit"] == []


def test_the_file_can_be_written_without_figures(tmp_path):
    found = json.loads(results.to_json({"device": "a GPU"}, [], tmp_path / "none.json"))
    assert found["rows"] == found["fit"] == [] and found["notebooks"] == {"passed": 0, "failed": 0}


@pytest.fixture
def small_wheel(tmp_path):
    """A package that is nowhere else."""
    path = tmp_path / "carried_along-1.0-py3-none-any.whl"
    info = "carried_along-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("carried_along.py", "here = True\n")
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: carried-along\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return path


def test_the_environment_holds_the_wheels_and_this_machines_torch(small_wheel, tmp_path):
    made = environment.make(tmp_path / "venv", [small_wheel])
    code = "import carried_along, numpy, sys, torch; print(sys.prefix, torch.__file__, sep='\\n')"
    run = subprocess.run([made, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == [str(tmp_path / "venv"), torch.__file__]


def test_a_wheel_for_another_python_is_refused(small_wheel, tmp_path):
    other = small_wheel.rename(tmp_path / "carried_along-1.0-cp27-none-any.whl")
    with pytest.raises(environment.Lacking, match="must be those for Python 3"):
        environment.make(tmp_path / "venv", [other])


def test_an_environment_is_made_only_where_something_is_missing(monkeypatch, tmp_path):
    assert environment.python(tmp_path, tmp_path) == Path(sys.executable)
    monkeypatch.setattr(environment, "_CARRIED", ("no_such_package",))
    with pytest.raises(environment.Lacking, match="no wheels in .*make gpu-wheels"):
        environment.python(tmp_path, tmp_path)
    monkeypatch.setattr(environment, "_THERE", ("torch", "no_such_torch"))
    with pytest.raises(environment.Lacking, match="has no no_such_torch; name another with PYTHON"):
        environment.python(tmp_path, tmp_path)
