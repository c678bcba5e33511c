"""The chapters as their notebooks hold them, for the pages that are made from them."""

import json
import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["Caption", "Chapter", "anchor", "order", "read"]

HEADING = re.compile(r"(#{1,3}) (.+)")
CAPTION = re.compile(r"\*((Figure|Explorer) [\d.]*\d)\. (.+)\*")
MOUNT = re.compile(r'data-mount="(explorer-[\w-]+)"')
EXERCISE = re.compile(r'^exercise\("([\w-]+)"\)', re.M)


@dataclass(frozen=True)
class Caption:
    """label: "Figure 1.2". text: without the label. explorer: the kind of mount above it, or None."""

    label: str
    text: str
    explorer: str | None


@dataclass(frozen=True)
class Chapter:
    """page: "notebooks/01_the_weighted_sum". exercises: a heading to the ids under it and its subheadings."""

    page: str
    title: str
    captions: tuple[Caption, ...]
    exercises: dict[str, tuple[str, ...]]

    @property
    def all_exercises(self):
        return self.exercises.get(self.title, ())


def anchor(label):
    """The id of what a chapter numbers: ``"figure-1.2"`` for "Figure 1.2"."""
    return label.lower().replace(" ", "-")


def order(env):
    """The pages of all chapters in the book's order, which is that of their numbers."""
    stems = [path.stem for path in (Path(env.srcdir) / "notebooks").glob("*.ipynb")]
    return [f"notebooks/{stem}" for stem in sorted(stems, key=lambda stem: stem.partition("_")[0])]


def read(env):
    """All chapters in the book's order. The page that asks is written again when one of them changes."""
    paths = [Path(env.srcdir) / f"{page}.ipynb" for page in order(env)]
    for path in paths:
        env.note_dependency(str(path))
    return [chapter(path, path.stat().st_mtime_ns) for path in paths]


@cache
def chapter(path, changed):
    """One notebook; ``changed`` is the time of its last change, so that a new text is read anew."""
    headings, captions, exercises, explorer = {}, [], defaultdict(list), None
    for cell in json.loads(path.read_text())["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code":
            explorer = next(iter(MOUNT.findall(stored_html(cell))), explorer)
            for id in EXERCISE.findall(source):
                for heading in headings.values():
                    exercises[heading].append(id)
            continue
        for line in source.splitlines():
            if found := HEADING.fullmatch(line):
                level = len(found[1])
                headings = {above: text for above, text in headings.items() if above < level}
                headings[level] = found[2]
            elif found := CAPTION.fullmatch(line):
                captions.append(Caption(found[1], found[3], explorer if found[2] == "Explorer" else None))
    exercises = {heading: tuple(ids) for heading, ids in exercises.items()}
    return Chapter(f"notebooks/{path.stem}", headings[1], tuple(captions), exercises)


def stored_html(cell):
    return "".join("".join(output.get("data", {}).get("text/html", "")) for output in cell["outputs"])
