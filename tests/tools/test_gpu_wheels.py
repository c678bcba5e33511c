"""`make gpu-wheels`: what is carried to the machine with the device, and how much."""

import re

import pytest
from helpers.project import ROOT

from tools.gpu import wheels
from tools.gpu.environment import _CARRIED


def test_what_is_carried_is_what_the_lock_says_and_no_more():
    locked = {line.split(" ;")[0] for line in (ROOT / "requirements.txt").read_text().splitlines()}
    found = wheels.pins("3.12")
    names = {re.split("==", pin)[0] for pin in found}
    assert {pin.split(" ;")[0] for pin in found} <= locked
    assert names >= set(wheels.DIRECT) | {"traitlets", "pillow", "execnet"}
    assert names.isdisjoint({"torch", "triton", "numpy", "debugpy", "jedi"})
    assert {name.removeprefix("pytest-") for name in wheels.DIRECT} >= set(_CARRIED) - {"pytest"}


def test_the_folder_holds_the_wheels_and_nothing_older(tmp_path):
    (tmp_path / "iniconfig-1.0-py3-none-any.whl").write_bytes(b"old")
    size = wheels.download(["iniconfig==2.3.1"], "3.13", tmp_path)
    (wheel,) = tmp_path.iterdir()
    assert wheel.name.startswith("iniconfig-2.3.1") and size == wheel.stat().st_size / 1e6


@pytest.mark.parametrize(("size", "status"), [(39.9, 0), (40.1, 1)])
def test_above_the_limit_it_says_so_and_leaves_nothing(size, status, monkeypatch, tmp_path, capsys):
    asked = []

    def download(pins, python, folder):
        asked.append((pins, python))
        folder.mkdir()
        (folder / "a.whl").touch()
        return size

    monkeypatch.setattr(wheels, "pins", lambda python, has: [python, *has])
    monkeypatch.setattr(wheels, "download", download)
    out = tmp_path / "wheels"
    assert wheels.main(["--python", "3.11", "--has", "torch", "triton", "--out", str(out)]) == status
    assert asked == [(["3.11", "torch", "triton"], "3.11")] and out.exists() == (status == 0)
    printed = capsys.readouterr().out
    assert f"1 wheels for Python 3.11, {size} MB of at most 40" in printed
    assert ("Too large" in printed) == (status == 1)
