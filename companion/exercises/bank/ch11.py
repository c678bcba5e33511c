"""Chapter 11, Tiles and the online softmax. Answers and expected mistakes are computed where they can be."""

from functools import partial

import numpy as np

from companion.cost import flops
from companion.exercises.answers import ch11 as answers
from companion.exercises.diagnosis import named_fault
from companion.exercises.kinds import (
    Choice,
    Choices,
    Code,
    CodeMistake,
    Explain,
    Mistake,
    Number,
    Order,
    Right,
    Vector,
    Wrong,
)
from companion.exercises.spec import Data
from companion.reference import softmax, weighted_sum

__all__ = ["EXERCISES"]

EXERCISES = [
    Number(
        id="ch11-scores-matrix",
        title="The size of the matrix",
        difficulty=1,
        minutes=3,
        prompt=r"""
A text has $2^{<<power>>}$ = <<L>> tokens. One head computes the whole square of scores and stores it, at 2
bytes a number.

How many GiB is that? (1 GiB is $2^{30}$ bytes.)""",
        data={"power": 16, "L": 65536},
        label="GiB",
        vary=answers.some_length,
        answer=answers.score_bytes,
        mistakes=(
            Mistake(
                "numbers, not bytes",
                lambda d: answers.score_bytes(d, 1),
                "<<value:g>> counts the numbers, at one byte each, or only the lower half. The whole square"
                " is stored, at two bytes a number.",
            ),
            Mistake(
                "four bytes",
                lambda d: answers.score_bytes(d, 4),
                "<<value:g>> is the square in float32. Here a number takes 2 bytes.",
            ),
        ),
        why="Twice the tokens are four times the bytes.",
        hints=(r"The square has $L^2$ numbers.", r"$L = 2^{<<power>>}$, so $L^2$ is a power of two as well."),
        solution=r"""
$L^2 = 2^{<<power>>} \cdot 2^{<<power>>}$ numbers of 2 bytes each. Divided by $2^{30}$ that is
$<<answer:g>>$ GiB, for one head of one layer.""",
    ),
    Number(
        id="ch11-decode",
        title="And in decoding?",
        difficulty=2,
        minutes=4,
        prompt=r"""
One new token attends to $S$ keys in one head with $D = <<D>>$. Its row of $S$ scores is written and read,
and the row of weights too: four passes. Keys and values are read once. All numbers have 2 bytes.

How many bytes do the four passes move, in percent of the bytes of keys and values?""",
        data={"D": 128},
        label="Percent",
        vary=lambda rng: {"D": int(rng.choice(np.arange(16, 272, 16)))},
        answer=answers.share_of_scores,
        mistakes=(
            Mistake(
                "keys alone",
                lambda d: 2 * answers.share_of_scores(d),
                "<<value:.3g>> compares with the keys alone. The values are read as well.",
            ),
            Mistake(
                "scores alone",
                lambda d: answers.share_of_scores(d, 2),
                "<<value:.3g>> counts two passes: the scores, written and read. The weights make two more.",
            ),
            Mistake(
                "a share, not percent",
                lambda d: answers.share_of_scores(d) / 100,
                "<<value:.3g>> is the share. Multiply it by 100.",
            ),
        ),
        tolerance=0.004,
        why="For one query the scores are next to nothing. Keys and values are the bill.",
        hints=("Count numbers for one key: how many scores and weights, how many in its key and value?",),
        solution=r"""
For each key there are 4 numbers of scores and weights, and $2 \cdot <<D>>$ numbers of key and value. The
ratio is $4 / (2 \cdot <<D>>) = <<answer:.3g>>$ percent, whatever $S$ is. What tiles save is the square of
scores, which prefill and training have and decoding has not.""",
    ),
    Choice(
        id="ch11-operations",
        title="What tiles save",
        difficulty=1,
        minutes=2,
        prompt=r"""
A program computes attention in tiles and stores no score. Another computes the same pairs and stores the
whole matrix. Which of the two takes fewer multiplications and additions for its matrix products?""",
        options=(
            Wrong(
                "Tiles, forward and backward.",
                "Every score is still a dot product of $D$ numbers, and every value is still multiplied by"
                " its weight. Tiles save the moving of numbers.",
            ),
            Right("The same forward. Backward, tiles take more: 5 products in place of 4."),
            Wrong(
                "The same, forward and backward.",
                "Forward, yes. Backward, the scores are gone and are computed a second time: one product"
                " more.",
            ),
            Wrong(
                "Storing everything, for tiles are read several times.",
                "Reading a tile again moves bytes. It is no operation.",
            ),
        ),
        why="Tiles trade operations for bytes: none fewer forward, a quarter more backward.",
        hints=("What must be known backward that was thrown away forward?",),
        solution=r"""
Forward both make two products, scores and outputs. Backward, both need the weights. Who stored them makes 4
products; who did not makes the product of queries and keys again: 5. The savings are bytes.""",
    ),
    Choice(
        id="ch11-approximate",
        title="How exact?",
        difficulty=1,
        minutes=2,
        prompt=r"""
A colleague says: "With tiles the softmax never sees the whole row, so it can only be an approximation." You
compute both ways in float64. What difference do you find?""",
        options=(
            Wrong(
                "An error that grows with the number of tiles, like that of leaving keys out.",
                "No key is left out. Every tile is weighed against all others by the time the last is read.",
            ),
            Wrong(
                "None: the results are equal bit for bit.",
                "The real numbers are equal. In floating point the terms are added in another order, and"
                " multiplied by factors on the way.",
            ),
            Right("Rounding only: a few units in the last place."),
            Wrong(
                "An error wherever the largest score stands in a late tile.",
                "The sums so far are rescaled when a larger score arrives. Where the maximum stands does not"
                " matter.",
            ),
        ),
        why="The same real number, computed in another order.",
        hints=("What does the state after the last tile equal, by the invariant?",),
        solution=r"""
By the invariant, the state after the last tile is exactly maximum, sum and numerator of the whole row. What
differs is the order of additions and a few more multiplications: rounding.""",
    ),
    Order(
        id="ch11-order",
        title="Taking in a tile",
        difficulty=2,
        minutes=3,
        prompt="""
The state is `m`, `l`, `u`. The next tile has the scores `s` and the values `v`. Put the lines in order.""",
        items=(
            "`new_m = max(m, s.max())`",
            "`c = np.exp(m - new_m)`",
            "`p = np.exp(s - new_m)`",
            "`l, u = c * l + p.sum(), c * u + p @ v`",
            "`m = new_m`",
        ),
        also=((0, 2, 1, 3, 4), (0, 1, 2, 4, 3), (0, 2, 1, 4, 3), (0, 1, 4, 2, 3)),
        mistakes=(
            Mistake(
                "maximum overwritten first",
                (0, 4, 1, 2, 3),
                "`m` is overwritten before `c` is computed. Then `c` is 1 always, and nothing is rescaled.",
            ),
            Mistake(
                "maximum overwritten first, p before c",
                (0, 4, 2, 1, 3),
                "`p` is right, but `m` is overwritten before `c` is computed: `c` is then 1 always, and"
                " nothing is rescaled.",
            ),
        ),
        why="The factor needs the old maximum and the new one, so the old one is replaced after it.",
        hints=("Which line needs both maxima?",),
        solution="The factor `c` is made of both maxima, so `m` may change only after it. `c` and `p` are"
        " independent of each other.",
    ),
    Vector(
        id="ch11-tile",
        title="One tile, by hand",
        difficulty=2,
        minutes=5,
        prompt=r"""
A row has the state $m = \ln <<m>>$, $l = <<l>>$ and $u = <<u>>$; values are single numbers here. The next
tile has the scores $\ln <<tile[0]>>$ and $\ln <<tile[1]>>$, with the values $<<v>>$.

What are $l$ and $u$ after the tile? Type both.""",
        data={"m": 2, "l": 1.5, "u": 3.0, "tile": [8, 4], "v": [1, 2]},
        label="l and u",
        vary=answers.tile_data,
        answer=answers.taken_in,
        mistakes=(
            Mistake(
                "no rescale",
                lambda d: answers.taken_in(d, lambda c: 1, lambda c: 1),
                "<<value>> adds to the old sums as they were. They are relative to the old maximum: multiply"
                " both by $e^{m - m'}$ first.",
            ),
            Mistake(
                "only l rescaled",
                lambda d: answers.taken_in(d, lambda c: c, lambda c: 1),
                "Here $l$ was rescaled and $u$ was not. Both are sums relative to $m$.",
            ),
            Mistake(
                "only u rescaled",
                lambda d: answers.taken_in(d, lambda c: 1),
                "Here $u$ was rescaled and $l$ was not. Both are sums relative to $m$.",
            ),
            Mistake(
                "factor turned round",
                lambda d: answers.taken_in(d, lambda c: 1 / c, lambda c: 1 / c),
                "The factor was turned round: it is $e^{m - m'}$, at most 1. The maximum only grows.",
            ),
            Mistake(
                "divided already",
                lambda d: np.array([answers.taken_in(d)[0], answers.taken_in(d)[1] / answers.taken_in(d)[0]]),
                "Your second number is the output $u / l$. The question is about $u$: the division comes"
                " once, at the end.",
            ),
        ),
        why="Old sums shrink by the ratio of the two maxima, then the tile is added.",
        hints=(
            r"What is the new maximum? And what is $e^{m - m'}$?",
            "An exponential relative to the new maximum is a ratio of the numbers under the logarithms.",
        ),
        solution=r"""
The new maximum is the larger of $\ln <<tile[0]>>$ and $\ln <<tile[1]>>$. Relative to it, one term of the tile
is 1 and the other 0.5, and the old sums are multiplied by the ratio of the two maxima. Together:
$(l, u) = <<answer>>$.""",
    ),
    Number(
        id="ch11-rescale",
        title="Two tiles of one key",
        difficulty=2,
        minutes=4,
        prompt=r"""
A row has two keys with the scores $<<s[0]>>$ and $<<s[1]>>$ and the values $<<v[0]>>$ and $<<v[1]>>$. It is
read in tiles of one key.

What is the output? Give two decimals.""",
        data={"s": [0, 2], "v": [1, 0]},
        vary=lambda rng: {"s": [0, int(rng.integers(1, 5))], "v": rng.permutation(9)[:2]},
        answer=answers.two_scores,
        mistakes=(
            Mistake(
                "no rescale",
                lambda d: d.v.mean(),
                "<<value:.2f>> is what comes out when nothing is rescaled: each key was compared with itself"
                " and counted as 1.",
            ),
            Mistake(
                "turned round",
                lambda d: weighted_sum(softmax(-d.s), d.v[:, None])[0],
                "<<value:.2f>> has the factor turned round. The old sums shrink when a larger score arrives.",
            ),
            Mistake(
                "the last tile",
                lambda d: d.v[1],
                "That is the value of the second key alone. The first keeps a part of the weight.",
            ),
        ),
        why="The first key shrinks to its share when the larger score arrives.",
        hints=(
            r"After the first tile: $m = 0$, $l = 1$.",
            r"The second tile multiplies $l$ and $u$ by $e^{-<<s[1]>>}$.",
        ),
        solution=r"""
After the first key $m = 0$, $l = 1$, $u = <<v[0]>>$. The second raises $m$ to <<s[1]>>: both are multiplied
by $e^{-<<s[1]>>}$, then 1 is added to $l$ and <<v[1]>> to $u$. The quotient is $<<answer:.2f>>$.""",
    ),
    Number(
        id="ch11-average",
        title="Two processors",
        difficulty=2,
        minutes=4,
        prompt=r"""
A row is split over two processors. The first has one key, with the score $\ln <<a[0]>>$ and the
value $<<v[0]>>$. The second has one key, with the score $\ln <<b[0]>>$ and the value $<<w[0]>>$.

What is the output of the whole row?""",
        data={"a": [1], "b": [3], "v": [0], "w": [4]},
        vary=lambda rng: {
            "a": [int(rng.integers(1, 4))],
            "b": [int(rng.integers(4, 9))],
            "v": [int(rng.integers(0, 4))],
            "w": [int(rng.integers(4, 12))],
        },
        answer=answers.row,
        mistakes=(
            Mistake(
                "average",
                lambda d: np.mean(answers.tile_means(d)),
                "<<value:.3g>> is the mean of the two outputs. Each counts by its share of the weight, and"
                " the log-sum-exps tell the shares.",
            ),
            Mistake(
                "shares exchanged",
                lambda d: answers.row(Data({**d, "a": d.b, "b": d.a})),
                "<<value:.3g>> gives each processor the share of the other.",
            ),
        ),
        why="Each part counts by its sum of exponentials.",
        hints=("A log-sum-exp is a logarithm. Which two sums of exponentials stand behind the two?",),
        solution=r"""
The parts have the sums $<<a[0]>>$ and $<<b[0]>>$, so their shares are those numbers over their sum, and the
output is $(<<a[0]>> \cdot <<v[0]>> + <<b[0]>> \cdot <<w[0]>>) / (<<a[0]>> + <<b[0]>>) = <<answer>>$.""",
    ),
    Choices(
        id="ch11-reference",
        title="Which m survives?",
        difficulty=2,
        minutes=4,
        prompt=r"""
A row has the scores 100 and 101 and is computed in float32, where $e^x$ overflows above 88 and is rounded to
0 below $-104$. Somebody uses a fixed number $m$ in place of the maximum. For which $m$ is the output right
to at least six digits? Tick all.""",
        options=(
            Right(r"$m = 101$"),
            Right(r"$m = 100$"),
            Right(r"$m = 60$"),
            Wrong(
                r"$m = 0$",
                "The exponentials are those of 100 and 101, both above 88: infinity over infinity.",
            ),
            Wrong(r"$m = 250$", "Both exponentials, of -150 and -149, are rounded to 0: 0 over 0."),
            Right(r"$m = 150$"),
        ),
        why="The reference cancels, as long as the exponentials are neither infinite nor 0.",
        hints=(r"Compute the largest $s - m$ for each.",),
        solution=r"""
For $m = 60$ the exponents are 40 and 41, for $m = 150$ they are $-50$ and $-49$: finite, not 0, and their
ratio is the same. For $m = 0$ both overflow, for $m = 250$ both are 0. The maximum is the choice that is
always safe.""",
    ),
    Choice(
        id="ch11-empty-tile",
        title="A tile with nothing in it",
        difficulty=2,
        minutes=3,
        prompt=r"""
The state is that of nothing: $m = -\infty$, $l = 0$, $\mathbf{u} = \mathbf{0}$. The first tile of a query is
masked completely, so its scores are all $-\infty$. The program follows (11.3) and (11.4) to the letter. What
is $l$ afterwards?""",
        options=(
            Wrong(
                "0, since every exponential of $-\\infty$ is 0.",
                "The exponent is not $-\\infty$. It is $-\\infty - (-\\infty)$, since the maximum is"
                " $-\\infty$ too.",
            ),
            Wrong(
                "The number of keys, since $-\\infty - (-\\infty) = 0$ and $e^0 = 1$.",
                "In floating point $-\\infty - (-\\infty)$ is not 0, it is NaN. It stands for a difference"
                " that nobody knows.",
            ),
            Right("NaN."),
            Wrong("$-\\infty$.", "A sum of exponentials is never negative."),
        ),
        why="And NaN stays, whatever the later tiles hold.",
        hints=("What is the new maximum?", "What does IEEE arithmetic give for infinity minus infinity?"),
        solution=r"""
The new maximum is $-\infty$, so each exponent is $-\infty - (-\infty)$, which is NaN. Every later $l$ is NaN
as well. The guard: where the maximum is $-\infty$, use any finite number as reference.""",
    ),
    Choices(
        id="ch11-monoid",
        title="What holds bit for bit?",
        difficulty=3,
        minutes=4,
        prompt=r"""
`merge` puts two parts together: it adds the two weights, divides each by the sum, and mixes the outputs. Let
`a`, `b`, `c` be parts in float64 and `nothing` the part $(\mathbf{0}, -\infty)$. Which hold bit for bit for
all finite parts? Tick all.""",
        options=(
            Right("`merge(a, b) == merge(b, a)`"),
            Right("`merge(a, nothing) == a`"),
            Wrong(
                "`merge(merge(a, b), c) == merge(a, merge(b, c))`",
                "In real numbers, yes. In floating point the sums are rounded at other places.",
            ),
            Right("`merge(nothing, nothing) == nothing`"),
            Wrong(
                "`merge(a, a) == a`",
                "The output is that of `a`, but the log-sum-exp grows by $\\ln 2$: every position counts"
                " twice. Parts must be disjoint.",
            ),
        ),
        why="Addition of two floating-point numbers commutes. Of three it is not associative.",
        hints=("Which of these change the order in which three numbers are added?",),
        solution=r"""
Swapping two terms of one sum changes nothing. Merging with nothing multiplies by 1 and adds 0. Three parts
are added in another order on the two sides, and rounded sums depend on it. Merging a part with itself counts
it twice.""",
    ),
    Number(
        id="ch11-skip",
        title="How many tiles?",
        difficulty=2,
        minutes=4,
        prompt=r"""
A causal mask over <<L>> tokens is cut into tiles of <<rows>> queries by <<columns>> keys; the last ones may
be smaller. Tiles that lie in the future altogether are skipped. How many are computed?""",
        data={"L": 14, "rows": 4, "columns": 3},
        vary=lambda rng: {
            "L": int(rng.integers(7, 15)),
            "rows": int(rng.integers(2, 6)),
            "columns": int(rng.integers(2, 6)),
        },
        answer=answers.tiles_visited,
        mistakes=(
            Mistake(
                "all tiles",
                lambda d: -(-d.L // d.rows) * -(-d.L // d.columns),
                "<<value:g>> counts all tiles. Those above the diagonal hold no pair that is allowed.",
            ),
            Mistake(
                "only full tiles",
                lambda d: sum(tile.all() for tile in answers.tiles(d)),
                "<<value:g>> counts the tiles that are allowed throughout. Tiles on the diagonal have some"
                " allowed pairs and must be computed too.",
            ),
            Mistake(
                "ragged tail lost",
                lambda d: answers.tiles_visited(d, d.L // d.rows * d.rows, d.L // d.columns * d.columns),
                "<<value:g>> leaves out the shorter tiles at the end. Their tokens would get no output.",
            ),
        ),
        why="One row of tiles after the other: those up to the diagonal.",
        hints=(
            "For each tile of queries, its last row says how far to the right it reads.",
            "A tile that starts at key $j$ is needed if $j$ is at most the last query of the row.",
        ),
        solution=r"""
Go through the tiles of queries. A tile of queries whose last row is $i$ needs the tiles of keys that begin at
or before $i$. Counted over all of them: <<answer>>.""",
    ),
    Code(
        id="ch11-tiled",
        title="A tiled attention",
        difficulty=3,
        minutes=15,
        prompt="""
Write `tiled_attention(query, key, value)` in NumPy. All three have the shape `(batch, heads, tokens, dim)`,
and so has the result. Token $i$ reads tokens 0 to $i$; scores are divided by the root of `dim`. Read `TILE`
keys at a time with the online softmax: no array may hold a whole row of scores. The number of tokens need
not be a multiple of `TILE`.""",
        stub=answers.TILED_STUB,
        code=answers.TILED_CODE,
        inputs=answers.batch,
        reference=answers.causal_reference,
        mistakes=(
            CodeMistake(
                "no rescale",
                answers.spoiled(("c, p = np.exp(m - new_m)", "c, p = 1.0")),
                "The old sums are not rescaled when the maximum grows. Multiply $l$ and $u$ by $e^{m - m'}$.",
            ),
            CodeMistake(
                "only l rescaled",
                answers.spoiled(("u = c * u", "u = u")),
                "The sum is rescaled, the numerator is not. Both are relative to the old maximum.",
            ),
            CodeMistake(
                "only u rescaled",
                answers.spoiled(("l = c * l", "l = l")),
                "The numerator is rescaled, the sum is not. Both are relative to the old maximum.",
            ),
            CodeMistake(
                "factor turned round",
                answers.spoiled(("np.exp(m - new_m), np", "np.exp(np.where(m > -np.inf, new_m - m, 0)), np")),
                "The factor is turned round: $e^{m - m'}$ with the old maximum first. It is at most 1.",
            ),
            CodeMistake(
                "first tile only",
                answers.spoiled(("        m = new_m\n", "        m = new_m\n        break\n")),
                "Only the first tile is read. Is the `return` inside the loop?",
            ),
            CodeMistake(
                "no mask",
                answers.spoiled(("np.where(j <= i, s, -np.inf)", "s")),
                "Every token reads all tokens: the mask is missing, or it has no effect.",
            ),
            CodeMistake(
                "mask of the first tile",
                answers.spoiled(("j = start + np", "j = np")),
                "Every tile is masked as if it were the first. Key $r$ of a tile stands at position `start"
                " + r`.",
            ),
            CodeMistake(
                "not divided",
                answers.spoiled(("return u / l", "return u")),
                "The result is the numerator. Divide by $l$ once, at the end.",
            ),
        ),
        diagnose=partial(named_fault, layout="BHLD", kind="numpy", skip=("decoding",)),
        why="Every case agrees with the loops, for lengths that are multiples of the tile and for others.",
        hints=(
            "Start with `m` full of minus infinity, `l` and `u` full of 0: one row for each query.",
            "Slicing past the end of an array gives a shorter array. Count the keys by its shape.",
            "The mask compares positions: `start + np.arange(...)` with `np.arange(L)[:, None]`.",
        ),
        solution=r"""
The step of the chapter, for all queries at once. No guard is needed here: the first tile holds key 0, which
every query may read, so the maximum is finite from then on.""",
    ),
    Vector(
        id="ch11-gradient",
        title="The gradient of three scores",
        difficulty=2,
        minutes=4,
        prompt=r"""
The running example: weights $<<alpha>>$, values $<<V[0]>>$, $<<V[1]>>$, $<<V[2]>>$. The gradient of the loss
by the output is $\mathbf{g} = <<g>>$.

What are the gradients by the three scores?""",
        data={"alpha": [0.1, 0.6, 0.3], "V": [[1, 2], [3, 0], [4, 5]], "g": [0, 1]},
        vary=lambda rng: {
            "alpha": rng.permutation([0.1, 0.6, 0.3]),
            "V": rng.integers(0, 6, (3, 2)),
            "g": rng.permutation([1, int(rng.integers(-2, 3))]),
        },
        answer=answers.score_gradients,
        mistakes=(
            Mistake(
                "without d",
                lambda d: d.alpha * (d.V @ d.g),
                "<<value>> leaves out $d$. When one weight grows the others shrink: subtract $d ="
                r" \mathbf{o}\,\mathbf{g}^\top$ before you multiply.",
            ),
            Mistake(
                "weights left out",
                lambda d: d.V @ d.g - weighted_sum(d.alpha, d.V) @ d.g,
                "<<value>> is the bracket. Multiply each entry by its weight.",
            ),
            Mistake(
                "gradient by the weights",
                lambda d: d.V @ d.g,
                "<<value>> are the gradients by the weights. The softmax still lies between them and the"
                " scores.",
            ),
        ),
        why="They add up to 0, since a shift of all scores changes nothing.",
        hints=(
            r"First the output $\mathbf{o}$, then $d = \mathbf{o}\,\mathbf{g}^\top$.",
            r"Then $\alpha_j (\mathbf{v}_j \mathbf{g}^\top - d)$.",
        ),
        solution=r"""
Take $d = \mathbf{o}\,\mathbf{g}^\top$ from the output, and for each token its weight times
$\mathbf{v}_j \mathbf{g}^\top - d$. That gives $<<answer>>$, which adds up to 0.""",
    ),
    Number(
        id="ch11-products",
        title="Backward against forward",
        difficulty=2,
        minutes=3,
        prompt=r"""
One head with $D = <<D>>$ computes <<pairs>> pairs. A product over $D$ numbers takes $2D$ operations a pair.
Backward the weights are computed again, not stored.

How many operations does the backward pass take for each operation of the forward pass?""",
        data={"D": 64, "pairs": 1000},
        answer=lambda d: flops(d.pairs, d.D, backward=True) / flops(d.pairs, d.D),
        mistakes=(
            Mistake(
                "four products",
                2,
                "That is 4 products over 2, the count for weights that were stored. Here the scores are"
                " computed again.",
            ),
            Mistake("as many", 1, "The forward pass has 2 products. Count those of the backward pass."),
            Mistake(
                "both passes",
                lambda d: 1 + flops(d.pairs, d.D, backward=True) / flops(d.pairs, d.D),
                "<<value:g>> counts both passes. The question is about the backward pass alone.",
            ),
        ),
        why="Five products against two.",
        hints=("Which matrices come out backward? And which one is made again?",),
        solution=r"""
Forward: scores and outputs, 2 products. Backward: scores again, then the gradients of weights, values,
queries and keys: 5. The ratio is $5 / 2 = <<answer>>$.""",
    ),
    Explain(
        id="ch11-tail",
        title="Right for 1,024, wrong for 1,000",
        difficulty=3,
        minutes=6,
        prompt="""
A program reads keys in tiles of 64. It was tested with 64, 512 and 1,024 tokens and agrees with the
reference. A user reports that with 1,000 tokens and no causal mask the outputs are a little too small in
every row, and nothing is NaN.

What happens in the last tile, why is the error small, and which tests would have found it?""",
        rubric=(
            "It says that the last tile has only 40 keys and the program reads 64.",
            "It says that the 24 missing keys count as zeros: score 0, exponential above 0, value 0.",
            "It says that the sum in the denominator is too large, and so every output is pulled towards 0.",
            "It says how to mend it: the scores of keys that do not exist are minus infinity.",
            "It names tests with lengths that are no multiple of the tile, one of them below a single tile.",
        ),
        hints=("What is the dot product of a query with a key of zeros?", "1000 = 15 times 64 + 40."),
        solution="""
The last tile begins at key 960 and has 40 keys. The program reads 64 and gets zeros for the 24 that do not
exist. A key of zeros has the score 0 and so an exponential above 0, which goes into the sum; its value of
zeros adds nothing to the numerator. So the numerator is right and the denominator too large: every output is
too small, by the share of the weight that 24 keys of score 0 get among 1,000 real ones: a few percent.

With a mask by position, minus infinity for all keys from 1,000 on, the made-up keys weigh nothing. Tests
must use lengths that are no multiple of the tile: 1, 63, 65, 1,000. A causal mask can hide the fault, since
it masks the tail by accident.""",
    ),
]
