"""The explorers' front end, put together from its files: what a widget and the site load."""

from pathlib import Path

__all__ = ["source", "sources", "stylesheets"]

HERE = Path(__file__).parent

# kind of mount: the files that make its module, in order; the last one ends in the export.
MODULES = {
    "explorer-weighted-sum": ("shared.js", "simplex.js", "plane.js", "weighted_sum.js"),
    "explorer-temperature": ("shared.js", "temperature.js"),
    "explorer-reshape": ("shared.js", "reshape.js"),
    "explorer-leak": ("shared.js", "leak.js"),
    "explorer-budget": ("shared.js", "budget.js"),
    "explorer-decoding": ("shared.js", "decoding.js"),
    "explorer-pattern": (
        "shared.js", "pattern_rules.js", "pattern_picture.js", "pattern_controls.js", "pattern.js",
    ),  # fmt: skip
    "explorer-index-set": ("shared.js", "index_set.js"),
    "explorer-selection": ("shared.js", "selection.js"),
    "explorer-reach": ("shared.js", "reach.js"),
    "explorer-tiles": ("shared.js", "tiles.js"),
    "explorer-blocks": ("shared.js", "pattern_rules.js", "blocks.js"),
    "explorer-addresses": ("shared.js", "addresses.js"),
}


def source(kind: str) -> str:
    """The JavaScript module of one kind of mount."""
    if kind not in MODULES:
        raise ValueError(f"kind must be one of {', '.join(MODULES)}, got {kind!r}")
    return "\n".join((HERE / name).read_text() for name in MODULES[kind])


def sources() -> dict[str, str]:
    """Every kind of mount and its module."""
    return {kind: source(kind) for kind in MODULES}


def stylesheets() -> list[Path]:
    """The style sheets that the explorers need beside the colours."""
    return [HERE / "explorers.css"]
