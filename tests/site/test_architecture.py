"""The picture of the rooms: all of them, and arrows that point down, from imports that are there."""

import re

from helpers.pages import SITE
from helpers.project import ROOT
from test_imports import FLOORS, imported_rooms

HTML = (SITE / "book" / "architecture.html").read_text()
ARROWS = re.findall(r'data-from="(\w+)" data-to="(\w+)" d="M[\d.]+ ([\d.]+).*?,?([\d.]+)" marker-end', HTML)


def loaded():
    """Room to the rooms that its files import when they are loaded."""
    found = {room: set() for room in FLOORS}
    for room in FLOORS:
        for path in [ROOT / "companion" / f"{room}.py", *(ROOT / "companion" / room).rglob("*.py")]:
            if path.exists():
                found[room] |= set(imported_rooms(path)) - {room}
    return found


def test_every_room_stands_in_picture_and_list():
    drawn = re.findall(r'<rect data-room="(\w+)"', HTML)
    assert sorted(drawn) == sorted(FLOORS)
    listed = re.findall(r'<dt><code class="[\w ]+"><span class="pre">(\w+)</span>', HTML)
    assert sorted(listed) == sorted(FLOORS)


def test_every_arrow_points_down():
    assert len(ARROWS) > 15
    assert [arrow for arrow in ARROWS if not float(arrow[2]) < float(arrow[3])] == []


def test_every_import_is_an_arrow_or_a_way_of_arrows():
    below = {}
    for upper, lower, *_ in ARROWS:
        below.setdefault(upper, set()).add(lower)

    def reached(room):
        return below.get(room, set()).union(*(reached(other) for other in below.get(room, ())))

    missing = {room: others - reached(room) for room, others in loaded().items()}
    assert {room: others for room, others in missing.items() if others} == {}
