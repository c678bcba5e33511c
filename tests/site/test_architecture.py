"""The picture of the rooms: all of them, and arrows that point down, from imports that are there."""

import ast
import re

from helpers.pages import SITE, words
from test_imports import FLOORS, PACKAGE, imported_rooms, room_of

HTML = (SITE / "book" / "architecture.html").read_text()
# Dashed or not, from, to, where the arrow starts, and where it ends.
ARROWS = re.findall(
    r'<path( class="att-later")? data-from="(\w+)" data-to="(\w+)" d="M(\S+) ([\d.]+).* (\S+) (\S+)" marker',
    HTML.replace("/><", "/>\n<"),
)
BOX = re.compile(r'data-room="(\w+)" x="(\S+)" y="(\S+)" width="(\d+)" height="(\d+)"')
BOXES = {name: tuple(map(float, sides)) for name, *sides in BOX.findall(HTML)}


def imports():
    """Pairs of a room and another that it imports: when it is loaded, and when it needs it."""
    at_once, anywhere = set(), set()
    for path in PACKAGE.rglob("*.py"):
        found = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)]
        names = [f"{node.module}.{alias.name}".split(".") for node in found for alias in node.names]
        at_once |= {(room_of(path), other) for other in imported_rooms(path)}
        anywhere |= {(room_of(path), other) for root, other, *_ in names if root == "companion"}
    own = {(room, room) for room in FLOORS}
    return at_once - own, anywhere - at_once - own


AT_ONCE, LATER = imports()


def test_every_room_stands_in_picture_and_list():
    assert sorted(BOXES) == sorted(FLOORS)
    listed = re.findall(r'<dt><code class="[\w ]+"><span class="pre">(\w+)</span>', HTML)
    assert sorted(listed) == sorted(FLOORS)


def test_every_arrow_is_an_import_and_dashed_where_it_is_made_when_needed():
    assert len(ARROWS) > 15
    wrong = [(a, b) for dashed, a, b, *_ in ARROWS if (a, b) not in (LATER if dashed else AT_ONCE)]
    assert wrong == []


def test_every_import_is_an_arrow_or_a_way_of_arrows():
    below = {}
    for _, upper, lower, *_ in ARROWS:
        below.setdefault(upper, set()).add(lower)

    def reached(room):
        return below.get(room, set()).union(*(reached(other) for other in below.get(room, ())))

    assert [(room, other) for room, other in AT_ONCE | LATER if other not in reached(room)] == []


def test_every_arrow_goes_down_from_its_room_to_the_other():
    wrong = []
    for _, a, b, *points in ARROWS:
        x, foot, end, head = map(float, points)
        (left, top, wide, high), (other, under, *_) = BOXES[a], BOXES[b]
        if not (foot == top + high < head == under and left < x < left + wide and other < end < other + wide):
            wrong.append((a, b))
    assert wrong == []


def test_the_list_says_what_each_room_imports():
    entries = dict(re.findall(r"<dt><code.*?>(\w+)</span></code></dt><dd>(.*?)</dd>", HTML, re.S))
    for label, pairs in (("Imports", AT_ONCE), ("When needed", LATER)):
        for room, entry in entries.items():
            others = sorted(other for upper, other in pairs if upper == room)
            said = re.search(rf"{label}: ([\w, ]+)\.", words(entry))
            assert (said[1].split(", ") if said else []) == others, room
