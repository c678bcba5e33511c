"""The table of times: from a file of results, and without one."""

import json

import pytest

from companion.figures.measured import measured

RESULTS = {
    "device": "NVIDIA H200",
    "driver": "570.1",
    "versions": {"python": "3.12.3", "torch": "2.11.0", "triton": "3.6.0", "companion": "0.1.0"},
    "date": "2026-12-01",
    "checks": {"passed": 123, "failed": 0},
    "notebooks": {"passed": 600, "failed": 2},
    "rows": [
        {"case": "sliding_window(1024) | sinks(4)", "what": "forward + backward", "tokens": 16384, "dtype": "bfloat16",
         "heads": 16, "batch": 4, "dim": 128, "density": 0.0615,
         "seconds": {"companion": 0.0012, "flex": 0.00144, "sdpa": None}},
    ],
}  # fmt: skip


def test_without_a_file_it_says_how_to_get_one(tmp_path):
    text = repr(measured(tmp_path / "none.json"))
    assert text.startswith("Not measured yet") and "make gpu" in text and "|" not in text


def test_a_file_becomes_a_table(tmp_path):
    path = tmp_path / "results.json"
    path.write_text(json.dumps(RESULTS))
    text = measured(path)._repr_markdown_()
    assert text.startswith("NVIDIA H200, driver 570.1, python 3.12.3")
    assert "passed: 123, failed: 0" in text and "output: 600, others: 2" in text
    head, rule, row = (line for line in text.splitlines() if line.startswith("|"))
    assert head.count("|") == rule.count("|") == row.replace("\\|", "").count("|")
    assert row == (
        "| `sliding_window(1024) \\| sinks(4)` | forward + backward | 16,384 | bfloat16, 4 x 16 heads, D = 128"
        " | 0.061 | 1.2 | 1.44 | – |"
    )


@pytest.mark.parametrize("text", ["no JSON", "{}", '{"rows": 1}', "[]"])
def test_another_file_is_refused(tmp_path, text):
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(ValueError, match="path must name a file of results of make gpu, .*other.json is not"):
        measured(path)
