"""The figures of chapter 2: from a query and keys to weights, and what makes the weights sharp or flat."""

import numpy as np
from matplotlib.patches import Polygon, Rectangle

from companion.figures.base import INK, Figure, canvas
from companion.figures.plane import corners, diamond, label, plane_canvas, points_of_the_plane, vector
from companion.reference import attend, attention_weights, softmax, weighted_sum

__all__ = ["one_token", "saturation", "temperature_path", "two_keys"]

DIVISORS = {
    "not divided": lambda D: 1,
    r"divided by $\sqrt{D}$": lambda D: D**0.5,
    r"divided by $D$": lambda D: D,
}


def one_token(q, K, V, tokens) -> Figure:
    """The way from one query and the keys to the output, one column a key, with every number on it.

    ``q``: ``(D,)``; ``K``: ``(n, D)``; ``V``: ``(n, 2)``; ``tokens``: n words. The query is the last of them.
    """
    q, K, V = (np.asarray(x, float) for x in (q, K, V))
    n, D = K.shape
    if len(tokens) != n or V.shape != (n, 2):
        raise ValueError(f"tokens and V must hold {n} rows, V two columns; got {len(tokens)} and {V.shape}")
    alpha, output = attention_weights(q, K), attend(q, K, V)
    products = K @ q
    scores = products / D**0.5
    powers = np.exp(scores)
    i = n - 1
    rows = [
        ("key", [vector(k) for k in K], "k"),
        (rf"dot product with $q_{i}$", [f"{x:.3f}" for x in products], "ink"),
        (rf"score $s_{{{i},j}}$: divided by $\sqrt{{{D}}}$", [f"{x:.3f}" for x in scores], "ink"),
        (r"exponential of the score", [f"{x:.2f}" for x in powers], "ink"),
        (f"weight: divided by {round(powers.sum(), 2):g}", [f"{a:.2f}" for a in alpha], "alpha"),
        ("value", [vector(v) for v in V], "v"),
    ]
    with canvas(6.6, 3.6) as drawing:
        axes = drawing.add_subplot()
        axes.set(xlim=(-1.95, n - 0.45), ylim=(7.4, -1.5))
        axes.axis("off")
        axes.plot(-1.88, -1.1, "o", color=INK["q"], markersize=7)
        axes.text(-1.8, -1.1, f"query $q_{i}$ = {vector(q)}", color=INK["q"], va="center")
        for j, token in enumerate(tokens):
            axes.text(j, -0.42, f"{token}, $j = {j}$", ha="center", va="center", color=INK["muted"])
        for y, (name, cells, colour) in enumerate(rows, start=1):
            axes.text(-1.92, y - 0.5, name, va="center", color=INK["muted"])
            axes.plot([-1.92, n - 0.5], [y, y], color=INK["rule"], linewidth=0.8)
            for j, cell in enumerate(cells):
                side = "left" if colour == "alpha" else "center"
                x = j - 0.42 if colour == "alpha" else j
                axes.text(x, y - 0.5, cell, ha=side, va="center", color=INK[colour])
        for j, weight in enumerate(alpha):
            axes.add_patch(Rectangle((j - 0.16, 4.36), 0.56, 0.28, facecolor=INK["rule"]))
            axes.add_patch(Rectangle((j - 0.16, 4.36), 0.56 * weight, 0.28, facecolor=INK["alpha"]))
        axes.text(-1.92, 6.75, "output: weights times values, added", va="center", color=INK["muted"])
        axes.plot(n - 1.3, 6.75, "D", color=INK["v"], markersize=8)
        axes.text(n - 1.17, 6.75, f"$o_{i}$ = {vector(output)}", va="center", color=INK["v"])
    told = "; ".join(
        f"key {vector(k)}, dot product {r:.3f}, score {s:.3f}, exponential {e:.2f}, weight {a:.2f},"
        f" value {vector(v)}"
        for k, r, s, e, a, v in zip(K, products, scores, powers, alpha, V, strict=True)
    )
    alt = f"One column a key, for the query {vector(q)}: {told}. The output is {vector(output)}."
    return Figure("one-token", alt, drawing)


def saturation(q, K, dims) -> Figure:
    """Weights of one query over the same keys, for growing D and three divisors: bars, one panel each.

    ``q``: ``(D,)``; ``K``: ``(n, D)``; ``dims``: how many of the D components to use, one row of panels each.
    """
    q, K = np.asarray(q, float), np.asarray(K, float)
    if max(dims) > q.size:
        raise ValueError(f"dims must be at most {q.size}, the length of q, got {max(dims)}")
    told = []
    with canvas(6.8, len(dims) + 0.5) as drawing:
        panels = drawing.subplots(len(dims), len(DIVISORS), sharey=True, gridspec_kw={"hspace": 0.05})
        for row, D in zip(panels, dims, strict=True):
            largest = []
            for axes, (name, divisor) in zip(row, DIVISORS.items(), strict=True):
                alpha = softmax(K[:, :D] @ q[:D] / divisor(D))
                axes.bar(range(len(alpha)), alpha, width=0.7, facecolor=INK["alpha"])
                axes.axhline(1 / len(alpha), color=INK["edge"], linewidth=0.8, linestyle=(0, (4, 3)))
                peak = int(alpha.argmax())
                axes.text(peak, alpha[peak] + 0.03, f"{alpha[peak]:.2f}", ha="center", va="bottom")
                axes.set(ylim=(0, 1.3), yticks=[], xticks=[])
                axes.spines["left"].set_visible(False)
                if D == dims[0]:
                    axes.set_title(name)
                largest.append(f"{alpha[peak]:.2f}")
            row[0].set_ylabel(f"$D = {D}$", rotation=0, ha="right", va="center")
            told.append(f"D = {D}: {', '.join(largest)}")
    alt = (
        f"Bars of the weights of {len(K)} keys, a row of panels for each D. The largest weight, with the"
        f" products not divided, divided by the root of D, and divided by D: {'; '.join(told)}."
    )
    return Figure("saturation", alt, drawing)


def two_keys(marks=(0, 2, 8)) -> Figure:
    """Two keys: the weight of one against the difference of the scores, and the slope of that curve.

    ``marks``: differences at which weight and slope are written out.
    """
    gap = np.linspace(-10, 10, 201)
    weight = softmax(np.stack([gap, np.zeros_like(gap)], -1))[:, 0]
    told = []
    with canvas(6.6, 2.5) as drawing:
        left, right = drawing.subplots(1, 2)
        left.plot(gap, weight, color=INK["alpha"])
        right.plot(gap, weight * (1 - weight), color=INK["ink"])
        for mark in marks:
            at = softmax([mark, 0])[0]
            slope = at * (1 - at)
            left.plot(mark, at, "o", color=INK["alpha"], markersize=5)
            right.plot(mark, slope, "o", color=INK["ink"], markersize=5)
            # Written where the curve is not: below it on the left, above it on the right.
            left.annotate(written(at), (mark, at), (5, -13), textcoords="offset points", color=INK["alpha"])
            right.annotate(written(slope), (mark, slope), (7, 5), textcoords="offset points")
            told.append(f"at {mark}, weight {written(at)} and slope {written(slope)}")
        left.set(title=r"weight $\alpha_0$", xlabel="$s_0 - s_1$", yticks=[0, 0.5, 1], ylim=(-0.05, 1.1))
        right.set(title="slope of the weight", xlabel="$s_0 - s_1$", yticks=[0, 0.25], ylim=(-0.0125, 0.3))
    alt = (
        "Two curves over the difference of two scores: an S from 0 to 1, the weight of key 0, and its slope,"
        f" a hill of height 0.25 that falls to 0 on both sides: {'; '.join(told)}."
    )
    return Figure("two-keys", alt, drawing)


def written(x):
    """Two decimals, more where they would be lost."""
    return f"{x:.2f}" if 0.01 <= x <= 0.99 else f"{x:.4f}"


def temperature_path(scores, values, temperatures) -> Figure:
    """The way of the output through the hull as the temperature goes from 0 to infinity.

    ``scores``: ``(n,)``, one of them the largest; ``values``: ``(n, 2)``; ``temperatures``: to be marked.
    """
    scores, values = points_of_the_plane(scores, values)
    if (scores == scores.max()).sum() > 1:
        raise ValueError(f"scores must have one largest entry, got {scores.tolist()}")
    if min(temperatures) <= 0:
        raise ValueError(f"temperatures must be above 0, got {list(temperatures)}")
    many = np.geomspace(0.02, 100, 300)
    way = np.array([weighted_sum(softmax(scores / tau), values) for tau in many])
    winner, mean = values[scores.argmax()], values.mean(0)
    marked = [weighted_sum(softmax(scores / tau), values) for tau in temperatures]
    with plane_canvas(values) as axes:
        edge = values[corners(values)]
        axes.add_patch(Polygon(edge, facecolor=(INK["v"], 0.1), edgecolor=INK["v"], linewidth=1.2))
        axes.plot(*np.vstack([winner, way, mean]).T, color=INK["v"], linewidth=1.8)
        for j, value in enumerate(values):
            diamond(axes, value)
            label(axes, value, rf"$v_{j}$", INK["v"], away=mean)
        axes.plot(*mean, "+", color=INK["muted"], markersize=11, markeredgewidth=1.6)
        label(axes, mean, "plain mean", INK["muted"], away=mean - [0, 1])
        for tau, point in zip(temperatures, marked, strict=True):
            axes.plot(*point, "D", color=INK["v"], markersize=7)
            beside = max(p[0] for p in marked), point[1]  # one column of labels, right of the way
            axes.annotate(rf"$\tau$ = {tau:g}", beside, (17, 0), textcoords="offset points", va="center")
    told = ", ".join(f"{vector(p)} at {tau:g}" for tau, p in zip(temperatures, marked, strict=True))
    alt = (
        "The triangle of the values, and in it the way of the output as the temperature rises: from"
        f" {vector(winner)}, the value with the largest score, to the plain mean {vector(mean)};"
        f" on the way {told}."
    )
    return Figure("temperature-path", alt, axes.figure)
