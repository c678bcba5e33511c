"""The concept graph as SVG: the map whose nodes are links, and a strip that shows its shape."""

import textwrap
from collections import defaultdict
from html import escape

from .concept_layout import layers
from .solved import marked

__all__ = ["picture", "strip"]

# Pixels, at text of 12: a box's margin at its sides, a line, its padding, what lies between and above boxes.
MARGIN, LETTER, LINE, PAD, GAP, HEAD = 4, 7.4, 14, 6, 32, 44
DOT, STEP, LANE = 3, 16, 13


def picture(concepts, columns, cell, titles, address, exercises):
    """The map with so many columns of ``cell`` pixels, as one SVG.

    titles: page to chapter title. address: of a concept's section. exercises: the ids of its section.
    """
    names = {concept["id"]: concept for concept in concepts}
    wide = cell - 2 * MARGIN
    texts = {id: textwrap.wrap(concept["title"], int(wide / LETTER)) for id, concept in names.items()}
    heads, nodes, boxes = [], [], {}
    top, page = 0, None
    for layer in layers(concepts, columns):
        if layer.page != page:
            page = layer.page
            heads.append(head(titles[page], page, top, columns * cell))
            top += HEAD
        for id, slot in layer.slots.items():
            boxes[id] = (slot * cell + MARGIN, top, wide, len(texts[id]) * LINE + 2 * PAD)
            nodes.append(node(names[id], texts[id], boxes[id], address(names[id]), exercises(names[id])))
        top += max(boxes[id][3] for id in layer.slots) + GAP
    width, edges = columns * cell, drawn(links(concepts), boxes)
    return (
        f'<svg class="att-map" viewBox="0 0 {width} {top}" width="{width}" height="{top}"'
        f' role="group" aria-label="Concept map: {len(concepts)} concepts, each a link to its section">'
        f'<g class="att-edges">{"".join(edges)}</g><g class="att-heads">{"".join(heads)}</g>'
        f"{''.join(nodes)}</svg>"
    )


def links(concepts):
    """Every line of the map: what comes before, and each pair of related concepts once."""
    before = [("before", other, c["id"]) for c in concepts for other in c["learn_before"]]
    pairs = {tuple(sorted((c["id"], other))): None for c in concepts for other in c["related"]}
    known = {frozenset(pair) for _, *pair in before}
    return before + [("related", *pair) for pair in pairs if frozenset(pair) not in known]


def head(title, page, top, width):
    return (
        f'<path d="M0 {top + 8}H{width}"/>'
        f'<a href="../{page}.html"><text x="4" y="{top + 28}">{escape(title)}</text></a>'
    )


def node(concept, lines, box, address, exercises):
    left, top, width, height = box
    middle = left + width // 2
    # The spaces part the words of two lines for those who hear them.
    text = " ".join(
        f'<tspan x="{middle}" y="{top + PAD + 11 + LINE * row}">{escape(line)}</tspan>'
        for row, line in enumerate(lines)
    )
    solved = ""
    if exercises:
        solved = (
            f'<rect class="att-share" x="{left + 1}" y="{top + height - 4}" width="{width - 2}" height="3"/>'
            f'<text class="att-mark" aria-hidden="true" x="{left + width}" y="{top + height + 4}"></text>'
        )
    return (
        f'<a href="{escape(address)}" data-concept="{concept["id"]}"'
        f"{marked(exercises)}>"
        f'<rect x="{left}" y="{top}" width="{width}" height="{height}" rx="4"/>'
        f"<text>{text}</text>{solved}</a>"
    )


def drawn(lines, boxes):
    """Each line from the foot of the upper box to the head of the lower one, apart from its neighbours."""
    downward = [(kind, a, b, *sorted((a, b), key=lambda id: boxes[id][1])) for kind, a, b in lines]
    below, above = defaultdict(set), defaultdict(set)
    for *_, upper, lower in downward:
        below[upper].add(lower)
        above[lower].add(upper)
    paths = []
    for kind, a, b, upper, lower in downward:
        x, foot = port(upper, lower, below, boxes), boxes[upper][1] + boxes[upper][3]
        end, head = port(lower, upper, above, boxes), boxes[lower][1]
        bend = max(GAP, (head - foot) // 3)
        path = f"M{x} {foot}C{x} {foot + bend} {end} {head - bend} {end} {head}"
        if boxes[upper][1] == head:
            path = f"M{x} {foot}C{x} {foot + GAP} {end} {foot + GAP} {end} {head + boxes[lower][3]}"
        paths.append(f'<path class="att-{kind}" data-from="{a}" data-to="{b}" d="{path}"/>')
    return paths


def port(id, other, others, boxes):
    """Where a line meets a box: its lines share the side in the order of the boxes that they lead to."""
    left, _, width, _ = boxes[id]
    order = sorted(others[id], key=lambda name: boxes[name])
    return left + width * (order.index(other) + 1) // (len(order) + 1)


def strip(concepts, titles, columns=6):
    """The same graph from left to right, as dots without names: a picture of the book's shape."""
    at, bands = {}, {}
    for step, layer in enumerate(layers(concepts, columns)):
        bands.setdefault(layer.page, []).append(step)
        at |= {id: (STEP * step + STEP // 2, LANE * slot + LANE // 2) for id, slot in layer.slots.items()}
    width, height = STEP * (step + 1), LANE * columns
    ends = [(*at[a], *at[b]) for kind, a, b in links(concepts) if kind == "before"]
    lines = "".join(f"M{x} {y}C{x + STEP} {y} {u - STEP} {v} {u} {v}" for x, y, u, v in ends)
    dots = "".join(f'<circle cx="{x}" cy="{y}" r="{DOT}"/>' for x, y in at.values())
    numbers = "".join(
        f'<text x="{STEP * steps[0]}" y="{height + 16}">{escape(titles[page].split()[0])}</text>'
        f'<path class="att-band" d="M{STEP * steps[0]} {height + 3}H{STEP * (steps[-1] + 1) - 5}"/>'
        for page, steps in bands.items()
        if titles[page][0].isdigit()
    )
    return (
        f'<svg class="att-strip" viewBox="0 0 {width} {height + 22}" role="img" aria-label="Concept map:'
        f' {len(concepts)} concepts of {len(bands)} chapters, joined by what to learn before what">'
        f'<path class="att-lines" d="{lines}"/>{dots}{numbers}</svg>'
    )
