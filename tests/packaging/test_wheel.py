"""The wheel holds the package whole, and nothing else; it works where only its own needs are installed."""

import importlib.util
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from helpers.project import ROOT

VERSIONS = ("3.11", "3.12", "3.13")
HERE = ".".join(map(str, sys.version_info[:2]))


def told(python, code, folder, **environment):
    """What the code, run by this interpreter in an empty folder, prints as JSON."""
    done = subprocess.run(
        [str(python), "-c", code], cwd=folder, capture_output=True, text=True, timeout=170, check=False,
        env={"PATH": os.environ["PATH"], **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_the_wheel_holds_the_package_whole_and_nothing_else(wheel):
    files = [path for path in (ROOT / "companion").rglob("*") if path.is_file()]
    expected = {str(path.relative_to(ROOT)) for path in files if "__pycache__" not in path.parts}
    names = set(zipfile.ZipFile(wheel).namelist())
    beside = {name for name in names if ".dist-info/" in name}
    assert names - beside == expected
    assert any(name.endswith("licenses/LICENSE") for name in beside)
    kinds = {".py", ".js", ".css", ".woff2", ".npz", ".json", ".txt", ".mplstyle"}
    assert {Path(name).suffix for name in expected} == kinds


BASE = """
import importlib.util, json
import numpy as np
from companion.exercises import check, exercise, ids
from companion.indices import topk
from companion.patterns import sinks, sliding_window
from companion.reference import attention, attend
q = np.eye(4)
pattern = sliding_window(2) | sinks(1)
shown = [exercise(id)._repr_mimebundle_()[0]["text/html"] for id in ids()]
print(json.dumps({
    "absent": [n for n in ("torch", "matplotlib", "pytest") if importlib.util.find_spec(n) is None],
    "out": attend(q[0], q[:1], q[:1]).tolist(),
    "rows": attention(q, q, q, pattern.mask(4)).sum(-1).round(12).tolist(),
    "allowed": pattern.indices(3).tolist(),
    "blocks": pattern.layout(4, block_size=2).pairs_bound,
    "top": topk(np.array([[0.0, 9.0], [1.0, 2.0]]), 1).array.tolist(),
    "exercises": len(shown),
    "shown": sum('data-mount="exercise"' in one for one in shown),
}))
"""


@pytest.mark.parametrize("version", VERSIONS)
def test_the_base_does_reference_patterns_and_exercises(clean, tmp_path, version):
    found = told(clean(version), BASE, tmp_path)
    assert found["absent"] == ["torch", "matplotlib", "pytest"]
    assert found["out"] == [1.0, 0.0, 0.0, 0.0] and found["rows"] == [1.0] * 4
    assert found["allowed"] == [0, 2, 3] and found["blocks"] == 12
    assert found["top"] == [[0], [1]]
    assert found["shown"] == found["exercises"] > 100


CHECK = """
import json
from companion.exercises import check
from companion.exercises.bank import find
from companion.exercises.checker import build
spec = find("ch07-sparse")
sources = spec.code, spec.stub, spec.mistakes[0].source
print(json.dumps([check("ch07-sparse", build(spec, source)).state for source in sources]))
"""


@pytest.mark.parametrize("version", VERSIONS)
def test_a_code_exercise_is_checked_without_torch(clean, tmp_path, version):
    assert told(clean(version), CHECK, tmp_path) == ["passed", "not attempted", "failed"]


@pytest.mark.parametrize(
    ("statement", "extra"),
    [
        ("import companion.attention", "torch"),
        ("import companion.merge", "torch"),
        ("import companion.cache", "torch"),
        ("import companion.device", "torch"),
        ("import companion.models.transformer", "torch"),
        ("import companion.models.recall", "torch"),
        ("import companion.bench.__main__", "torch"),
        ("from companion.clinic import examine; examine(lambda q, k, v: v, kind='torch')", "torch"),
        ("import companion.figures.weighted_sum", "book"),
    ],
)
def test_what_is_missing_names_its_extra(clean, tmp_path, statement, extra):
    code = f"import json\ntry:\n    {statement}\nexcept ModuleNotFoundError as e:\n"
    code += "    print(json.dumps(str(e)))"
    assert f"attention-token-by-token[{extra}]" in told(clean(HERE), code, tmp_path)


TORCH = """
import json
import torch
import companion
from companion.attention import attention
from companion.clinic import examine
from companion.patterns import causal, sliding_window
q, k, v = torch.randn(3, 1, 2, 40, 16, generator=torch.Generator().manual_seed(0)).unbind()
outs = [attention(q, k, v, sliding_window(8), backend=b) for b in ("dense", "blocks", "auto")]
def future(query, key, value):
    return torch.softmax(query @ key.mT / query.shape[-1] ** 0.5, dim=-1) @ value
print(json.dumps({
    "package": companion.__file__,
    "same": all(torch.allclose(outs[0], out, atol=1e-5) for out in outs),
    "healthy": examine(lambda q, k, v: attention(q, k, v, causal())).healthy,
    "ill": [finding.name for finding in examine(future).findings],
}))
"""


def test_with_torch_beside_it_there_is_attention_and_the_clinic(clean, tmp_path):
    """This environment's own torch, behind the clean one's packages."""
    python = clean(HERE)
    behind = Path(importlib.util.find_spec("torch").origin).parents[1]
    found = told(python, TORCH, tmp_path, PYTHONPATH=str(behind))
    assert Path(found["package"]).is_relative_to(python.parents[1])
    assert found["same"] and found["healthy"] and len(found["ill"]) == 1


@pytest.mark.parametrize("version", VERSIONS)
def test_every_extra_can_be_resolved(version):
    done = subprocess.run(
        [sys.executable, "-m", "uv", "pip", "compile", "--no-config", "--all-extras", "--only-binary=:all:",
         "--python-version", version, "--constraint", "requirements.txt", "pyproject.toml"],
        cwd=ROOT, capture_output=True, text=True, timeout=170, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "\ntorch==2.13.0" in done.stdout and "\nnumpy==" in done.stdout
