"""The figures of chapter 3: what a row may read, where the mask stands, and what leaks."""

import numpy as np
from matplotlib.patches import Rectangle

from companion.figures.base import INK, Figure, canvas

__all__ = ["kept_mass", "mask_orders", "next_tokens", "sensitivity"]

LEAST = 5e-4  # what counts as moving: smaller numbers are rounding


def next_tokens(tokens) -> Figure:
    """One row a position: the tokens that it reads, and the next one, which it has to predict.

    ``tokens``: two or more words.
    """
    words = [str(word) for word in tokens]
    n = len(words)
    if n < 2:
        raise ValueError(f"tokens must hold two words or more, got {words}")
    with canvas(min(6.6, 1.1 * n + 1.6), 0.52 * n + 0.5) as drawing:
        axes = drawing.add_subplot()
        for i, j in np.ndindex(n, n + 1):
            if j <= i:
                cell(axes, i, j, facecolor="none", edgecolor=INK["edge"], linewidth=0.8)
                axes.text(j + 0.5, i + 0.5, words[j], ha="center", va="center")
            elif j == i + 1:
                cell(axes, i, j, facecolor=(INK["right"], 0.1), edgecolor=INK["right"], linewidth=1.8)
                target = words[j] if j < n else "?"
                style = {"color": INK["right"], "weight": "bold"}
                axes.text(j + 0.5, i + 0.5, target, ha="center", va="center", **style)
            elif j < n:
                hatch(axes, i, j)
        stair(axes, n)
        positions(axes, n + 1, n)
        axes.set_yticks(np.arange(n) + 0.5, [f"position {i}" for i in range(n)])
        axes.set_xticks(np.arange(n) + 0.5, [str(j) for j in range(n)])
    targets = [*(f'"{word}"' for word in words[1:]), "what is not known yet"]
    rows = "; ".join(
        f'position {i} reads "{" ".join(words[: i + 1])}" and predicts {targets[i]}' for i in range(n)
    )
    alt = f"A staircase, one row a position: {rows}. What lies beyond the target is hatched."
    return Figure("next-tokens", alt, drawing)


def mask_orders(weights) -> Figure:
    """Weights side by side, one triangle a way of masking, with the sum of each row.

    ``weights``: name -> ``(n, n)`` weights, all of one size.
    """
    panels = {name: np.asarray(matrix, float) for name, matrix in weights.items()}
    n = one_size("weights", panels)
    with canvas(6.8, 0.36 * n + 0.75) as drawing:
        for axes, (name, matrix) in zip(drawing.subplots(1, len(panels), squeeze=False)[0], panels.items()):
            for i, j in np.ndindex(n, n):
                if j > i and matrix[i, j] == 0:
                    hatch(axes, i, j)
                    continue
                axes.add_patch(Rectangle((j + 0.06, i + 0.66), 0.88, 0.2, facecolor=INK["rule"]))
                length = 0.88 * min(matrix[i, j], 1)
                axes.add_patch(Rectangle((j + 0.06, i + 0.66), length, 0.2, facecolor=INK["alpha"]))
                axes.text(j + 0.06, i + 0.54, f"{matrix[i, j]:.2f}", va="baseline", fontsize=8.5)
            for i, total in enumerate(matrix.sum(1)):
                whole = abs(total - 1) < LEAST
                style = {"color": INK["ink" if whole else "wrong"], "weight": "normal" if whole else "bold"}
                axes.text(n + 0.15, i + 0.54, f"sum {total:.3g}", va="center", fontsize=9, **style)
            stair(axes, n)
            positions(axes, n + 1.5, n)
            axes.set_xticks([])
            axes.set_yticks(np.arange(n) + 0.5, [f"$q_{i}$" for i in range(n)], color=INK["q"])
            axes.set_title(name, loc="left", fontsize=10)
    def told(matrix):
        return "; ".join(" ".join(f"{x:.2f}" for x in row) + f", sum {row.sum():.3g}" for row in matrix)

    listed = ". ".join(f"{name}: {told(matrix)}" for name, matrix in panels.items())
    return Figure("mask-orders", f"Triangles of weights side by side, one row a query. {listed}.", drawing)


def kept_mass(past, marks) -> Figure:
    """Share of the softmax that stays with the past as one future score grows.

    ``past``: scores of the positions that may be read; ``marks``: future scores whose points are labelled.
    """
    past = np.asarray(past, float)
    reach = np.linspace(min(-4, *marks), max(6, *marks), 201)

    def kept(future):
        """Written so that no exponential can overflow."""
        return 1 / (1 + np.exp(np.asarray(future) - np.log(np.exp(past).sum())))

    with canvas(6.2, 2.9) as drawing:
        axes = drawing.add_subplot()
        axes.axhline(1, color=INK["right"], linewidth=1.8)
        axes.text(reach[-1], 1.03, "masked before the softmax", color=INK["right"], ha="right", va="bottom")
        axes.plot(reach, kept(reach), color=INK["wrong"], linestyle=(0, (6, 2)))
        late = "masked after it,\nnot renormalised"
        axes.text(reach[-1], 0.2, late, color=INK["wrong"], ha="right", va="bottom")
        for mark in marks:
            axes.plot(mark, kept(mark), "o", color=INK["wrong"], markersize=7)
            axes.text(mark + 0.25, kept(mark), f"{kept(mark):.2f}", va="bottom", weight="bold")
        axes.set(xlim=(reach[0], reach[-1]), ylim=(0, 1.16), yticks=[0, 0.5, 1])
        axes.set_xlabel("score of the future key, which the output must not depend on")
        axes.set_ylabel("sum of the weights")
    points = ", ".join(f"{kept(mark):.2f} at {mark:g}" for mark in marks)
    alt = (
        f"The sum of the weights against the score of a future key, the past scores being"
        f" {', '.join(f'{s:g}' for s in past)}. Masked before the softmax it is the line at 1. Masked"
        f" after it, it falls from near 1 towards 0 as the future score grows: {points}."
    )
    return Figure("kept-mass", alt, drawing)


def sensitivity(keys, values) -> Figure:
    """How strongly each output follows each key (upper row) and each value (lower row); leaks are framed.

    ``keys``, ``values``: name -> ``(n, n)`` non-negative numbers, row i for output i, column j for position
    j; both with the same names.
    """
    rows = [
        ("k", {name: np.asarray(matrix, float) for name, matrix in keys.items()}),
        ("v", {name: np.asarray(matrix, float) for name, matrix in values.items()}),
    ]
    n = one_size("keys and values", [*rows[0][1].values(), *rows[1][1].values()])
    if list(keys) != list(values):
        raise ValueError(f"keys and values must have the same names, got {list(keys)} and {list(values)}")
    with canvas(6.9, 2 * (0.34 * n + 0.5)) as drawing:
        grid = drawing.subplots(2, len(keys), squeeze=False)
        for line, (letter, panels) in zip(grid, rows):
            for axes, (name, matrix) in zip(line, panels.items()):
                for i, j in np.ndindex(n, n):
                    sensitivity_cell(axes, i, j, matrix[i, j])
                stair(axes, n)
                positions(axes, n, n)
                heads = [f"${letter}_{j}$" for j in range(n)]
                axes.set_xticks(np.arange(n) + 0.5, heads, color=INK[letter])
                outputs = [f"$o_{i}$" for i in range(n)] if axes is line[0] else [""] * n
                axes.set_yticks(np.arange(n) + 0.5, outputs, color=INK["v"])
                if letter == "k":
                    axes.set_title(name, fontsize=9.5)
    told = []
    for letter, panels in rows:
        for name, matrix in panels.items():
            found = [f"o_{i} by {letter}_{j}" for i, j in np.argwhere(np.triu(matrix, 1) > LEAST)]
            told.append(f"{name}, {'keys' if letter == 'k' else 'values'}: {', '.join(found) or 'none'}")
    alt = (
        "Grids of numbers, one for each way of masking: how strongly output i follows the key (upper row) and"
        " the value (lower row) of position j. Leaks, numbers above the diagonal, are framed."
        f" {'; '.join(told)}."
    )
    return Figure("sensitivity", alt, drawing)


def sensitivity_cell(axes, i, j, number):
    leak = j > i and number > LEAST
    if j > i and not leak:
        hatch(axes, i, j)
        return
    if leak:
        cell(axes, i, j, facecolor=(INK["wrong"], 0.12), edgecolor=INK["wrong"], linewidth=1.4)
    style = {"color": INK["wrong" if leak else "ink"], "weight": "bold" if leak else "normal"}
    shown = f"{number:.2f}" if number > LEAST else "0"
    axes.text(j + 0.5, i + 0.5, shown, ha="center", va="center", fontsize=8, **style)


def one_size(name, panels):
    """The n of square matrices that all are (n, n); a ValueError for others."""
    matrices = list(panels.values()) if isinstance(panels, dict) else panels
    shapes = [matrix.shape for matrix in matrices]
    if not shapes or any(shape != (len(matrices[0]),) * 2 for shape in shapes):
        raise ValueError(f"{name} must be square and of one size, got shapes {shapes}")
    return len(matrices[0])


def cell(axes, i, j, **style):
    axes.add_patch(Rectangle((j + 0.05, i + 0.08), 0.9, 0.84, **style))


def hatch(axes, i, j):
    style = {"facecolor": "none", "edgecolor": INK["masked"], "hatch": "////", "linewidth": 0}
    axes.add_patch(Rectangle((j, i), 1, 1, **style))


def stair(axes, n):
    """The line between what a row may read and its future."""
    steps = np.repeat(np.arange(n + 1), 2)[1:-1]
    axes.plot(steps[1:], steps[:-1], color=INK["ink"], linewidth=1.4)


def positions(axes, width, n):
    """Rows from the top, columns from the left, and no frame."""
    axes.set(xlim=(0, width), ylim=(n, 0))
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
