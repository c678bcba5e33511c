"""The rooms of the package as a picture and as a list, both from what the files import."""

from html import escape

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from .package import code_marked, rooms
from .room_layout import Layout

__all__ = ["setup"]

# Pixels: a box, its share of a floor and that of an arrow passing through, a box's height and a floor's.
BOX, PITCH, PASS, TALL, HIGH = 84, 96, 24, 34, 88


class RoomsPicture(SphinxDirective):
    def run(self):
        return [nodes.raw("", picture(noted(self.env)), format="html")]


class RoomsList(SphinxDirective):
    """The picture in words: each room, what it is for, what it imports; the upper floors first."""

    def run(self):
        package = noted(self.env)
        floors = Layout(package).floors
        order = sorted(package.values(), key=lambda room: (-floors[room.name], room.name))
        return [nodes.definition_list("", *map(item, order))]


def noted(env):
    """The rooms; the page that asks is written again when a file of theirs changes."""
    package = rooms()
    for room in package.values():
        for file in room.files:
            env.note_dependency(str(file))
    return package


def item(room):
    told = [nodes.paragraph("", "", *code_marked(room.summary))]
    for label, others in (("Imports", room.imports), ("When needed", room.later)):
        if others:
            told.append(nodes.paragraph("", f"{label}: {', '.join(sorted(others))}."))
    term = nodes.term("", "", nodes.literal(room.name, room.name))
    return nodes.definition_list_item("", term, nodes.definition("", *told))


def picture(package):
    layout = Layout(package)
    top = len(layout.rows) - 1
    shares = [[PITCH if node in package else PASS for node in row] for row in layout.rows]
    width, height = max(map(sum, shares)), top * HIGH + TALL + 2

    def centre(node):
        floor = layout.floor(node)
        place, share = layout.rows[floor].index(node), shares[floor]
        x = (width - sum(share)) / 2 + sum(share[:place]) + share[place] / 2
        return x, (top - floor) * HIGH + 1

    arrows = "".join(arrow(chain, package[chain[0]].later, centre) for chain in layout.chains)
    boxes = "".join(box(name, *centre(name)) for name in sorted(package))
    alt = "; ".join(" ".join(sorted(n for n in row if n in package)) for row in reversed(layout.rows))
    words = f"The rooms of the package on {top + 1} floors, from the top: {alt}. Every arrow points down."
    return (
        '<div class="att-plate" tabindex="0" role="region" aria-label="The rooms of the package">'
        f'<svg class="att-rooms" viewBox="0 0 {width} {height}" role="img" aria-label="{escape(words)}">'
        '<defs><marker id="att-head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"'
        f' orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>{arrows}{boxes}</svg></div>'
    )


def arrow(chain, later, centre):
    """A line from a room through the gaps that the layout leaves it, down to a room that it imports."""
    points = [centre(node) for node in chain]
    x, y = points[0][0], points[0][1] + TALL
    path = [f"M{x:g} {y:g}"]
    for place, (below, top) in enumerate(points[1:], 1):
        middle = (y + top) / 2
        path.append(f"C{x:g} {middle:g} {below:g} {middle:g} {below:g} {top:g}")
        x, y = below, top
        if place < len(points) - 1:
            y += TALL
            path.append(f"V{y:g}")
    dashed = ' class="att-later"' if chain[-1] in later else ""
    ends = f'data-from="{chain[0]}" data-to="{chain[-1]}"'
    return f'<path{dashed} {ends} d="{"".join(path)}" marker-end="url(#att-head)"/>'


def box(name, x, y):
    return (
        f'<rect data-room="{name}" x="{x - BOX / 2:g}" y="{y:g}" width="{BOX}" height="{TALL}" rx="4"/>'
        f'<text x="{x:g}" y="{y + 22:g}">{name}</text>'
    )


def setup(app):
    app.add_directive("rooms-picture", RoomsPicture)
    app.add_directive("rooms-list", RoomsList)
