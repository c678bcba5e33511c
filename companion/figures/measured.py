"""The table of times on a GPU, from the file that ``make gpu`` writes, or that there is none yet."""

import json
from pathlib import Path

__all__ = ["Measured", "measured"]

ABSENT = "Not measured yet: `make gpu`, on a machine with a CUDA device, writes `book/gpu_results.json`."


class Measured:
    """A text in Markdown, which can be read as it stands."""

    def __init__(self, text: str):
        self.text = text

    def __repr__(self):
        return self.text

    def _repr_markdown_(self):
        return self.text


def measured(path: Path) -> Measured:
    """The results in the JSON file ``path``: device, versions, checks, and milliseconds of each case.

    Where there is no such file it says so. ValueError, with the path, where it is no such JSON.
    """
    if not path.exists():
        return Measured(ABSENT)
    try:
        found = json.loads(path.read_text())
        versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
        lines = [
            f"{found['device']}, driver {found['driver']}, {versions}, {found['date']}. Checks passed:"
            f" {found['checks']['passed']}, failed: {found['checks']['failed']}. Cells of the chapters that"
            f" gave the stored output: {found['notebooks']['passed']}, others:"
            f" {found['notebooks']['failed']}. Milliseconds:",
            "",
            "| pattern | pass | tokens | shape | density | companion | FlexAttention | SDPA |",
            "| --- | --- | ---: | --- | ---: | ---: | ---: | ---: |",
            *map(row, found["rows"]),
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"path must name a file of results of make gpu, {path} is not: {error!r}") from error
    return Measured("\n".join(lines))


def row(case):
    """One case as a row of the table; a peer that did not run is a dash."""
    times = [case["seconds"].get(name) for name in ("companion", "flex", "sdpa")]
    shown = ["–" if time is None else f"{1e3 * time:.3g}" for time in times]
    shape = f"{case['dtype']}, {case['batch']} x {case['heads']} heads, D = {case['dim']}"
    pattern = case["case"].replace("|", r"\|")  # or it would end the column
    parts = [f"`{pattern}`", case["what"], f"{case['tokens']:,}", shape, f"{case['density']:.3f}"]
    return f"| {' | '.join(parts + shown)} |"
