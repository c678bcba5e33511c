"""The report: as text, as HTML, as JSON, as an error, and from the shell."""

import json
import re
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pytest
from clinic.test_clinic_adapt import attend, one_head

from companion.clinic import Finding, Report, Unhealthy, examine
from companion.clinic.__main__ import main
from companion.clinic.catalog import CATALOG
from companion.patterns import causal, sliding_window


def unscaled(q, k, v):
    """Overwrites its query, too."""
    q *= q.shape[-1] ** 0.5
    return attend(q, k, v)


def not_a_number(q, k, v):
    return attend(q, k, v) * np.nan


@pytest.fixture(scope="module")
def report():
    return examine(unscaled)


def test_a_finding_has_name_evidence_cause_and_chapter(report):
    assert isinstance(report, Report)
    for finding in report.findings:
        assert isinstance(finding, Finding)
        assert finding.cause == CATALOG[finding.name].cause
        assert re.fullmatch(r"\d+ [A-Z].*", finding.chapter)
    assert report.names == ("writes to its inputs", "no scale")
    assert not report.healthy


def test_the_evidence_is_the_smallest_input_and_the_two_outputs(report):
    evidence = report.findings[1].evidence
    assert evidence.case == "outputs: L = 2, D = 2, seed 0"
    assert evidence.where == "row 1 of the output"
    arrays = [np.array(evidence.inputs[name], np.float32) for name in ("query", "key", "value")]
    query, key, value = arrays
    expected = attend(query, key, value)
    np.testing.assert_allclose(evidence.expected, expected[0, 0, 1], rtol=1e-5)
    np.testing.assert_allclose(evidence.got, unscaled(query, key, value)[0, 0, 1], rtol=1e-5)


def test_text(report):
    text = str(report)
    assert text.startswith("unscaled(query, key, value), numpy, layout (B, H, L, D), held to causal()\n")
    assert "2 findings in" in text
    for finding in report.findings:
        assert finding.name in text
    assert max(map(len, text.splitlines())) <= 96
    assert repr(report) == text


def test_a_clean_bill_lists_what_was_tried():
    healthy = examine(attend)
    text = str(healthy)
    assert f"Healthy: nothing found in {sum(trial.cases for trial in healthy.tried)} cases." in text
    for part in (
        "determinism",
        "outputs",
        "decoding",
        "empty rows",
        "padding",
        "dtypes",
        "strides",
        "scores",
    ):
        assert re.search(rf"^  {part} +\d+ cases? +\S", text, re.MULTILINE), part
    healthy.raise_for_findings()


def test_what_was_skipped_or_not_reached_is_listed(report):
    outcomes = {trial.part: trial.outcome for trial in report.tried}
    assert outcomes["strides"] == "not examined: mend the outputs first"
    skipped = examine(attend, skip=["decoding", "strides"])
    assert {t.part for t in skipped.tried if t.outcome == "skipped"} == {"decoding", "strides"}


class Tags(HTMLParser):
    """Refuses what is not properly nested."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen = [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_html(report):
    html = report._repr_html_()
    assert Tags(html).seen.count("table") == 2
    assert "no scale" in html
    assert Tags(examine(attend)._repr_html_()).seen.count("table") == 1


def test_html_shows_a_name_as_text():
    def fn(q, k, v):
        raise ValueError("<script>alert(1)</script>")

    fn.__qualname__ = "<b>bold</b>"
    html = examine(fn)._repr_html_()
    assert not {"script", "b>bold"} & set(Tags(html).seen)
    assert "&lt;script&gt;" in html
    assert "&lt;b&gt;bold&lt;/b&gt;" in html


@pytest.mark.parametrize("fn", [attend, unscaled, not_a_number])
def test_json_is_strict_and_whole(fn):
    report = examine(fn)
    data = json.loads(report.to_json(), parse_constant=pytest.fail)
    assert data["healthy"] is report.healthy
    assert [finding["name"] for finding in data["findings"]] == list(report.names)
    assert [trial["part"] for trial in data["tried"]] == [trial.part for trial in report.tried]


def test_raise_for_findings(report):
    with pytest.raises(Unhealthy, match="no scale") as caught:
        report.raise_for_findings()
    assert isinstance(caught.value, AssertionError)


MODULE = """
import numpy as np
WINDOW = 64
def windowed(q, k, v, extra=0):
    L, S = q.shape[-2], k.shape[-2]
    i, j = np.arange(S - L, S)[:, None], np.arange(S)
    scores = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5
    scores = np.where((j <= i) & (j > i - WINDOW - extra), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v
class Wide:
    @staticmethod
    def windowed(q, k, v):
        return windowed(q, k, v, 1)
def broken(q, k, v):
    return None
"""


@pytest.mark.parametrize(
    "arguments, status, words",
    [
        (["mine:windowed", "--pattern", "sliding_window(64)"], 0, "Healthy"),
        (["mine:Wide.windowed", "--pattern", "sliding_window(64)"], 1, "window one key too many"),
        (["mine:windowed", "--pattern", "sliding_window(65)", "--seed", "3"], 1, "window one key too few"),
        (["mine:windowed", "--lengths", "5", "8", "--skip", "strides", "scores"], 0, "skipped"),
        (["mine:broken"], 2, "cannot be called"),
        (["mine:nothing"], 2, "nothing"),
        (["nowhere:windowed"], 2, "nowhere"),
        (["mine"], 2, "expected module:function"),
        (["mine:windowed", "--pattern", "sliding_window("], 2, "cannot be read"),
        (["mine:windowed", "--pattern", "sliding_window(0)"], 2, "w must be"),
        (["mine:windowed", "--pattern", "print(1)"], 2, "not part of a pattern"),
        (["mine:windowed", "--lengths", "0"], 2, "lengths must be at least 1, not 0"),
        (["mine:windowed", "--kind", "torch", "--device", "foo"], 2, "device 'foo' cannot be used: "),
    ],
)
def test_from_the_shell(arguments, status, words, tmp_path, monkeypatch, capsys):
    (tmp_path / "mine.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    assert main(arguments) == status
    printed = capsys.readouterr()
    assert words in printed.out + printed.err


def test_the_module_runs(tmp_path):
    (tmp_path / "mine.py").write_text(MODULE)
    command = [
        sys.executable,
        "-m",
        "companion.clinic",
        "mine:windowed",
        "--pattern",
        "sliding_window(63)",
        "--json",
    ]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 1
    assert json.loads(run.stdout)["findings"][0]["name"] == "window one key too many"


def test_a_whole_report_of_one_head():
    report = examine(one_head, sliding_window(4) | causal())
    assert report.healthy
    assert "batch and heads" not in {trial.part for trial in report.tried}
