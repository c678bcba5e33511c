"""Chapter 2, Where the weights come from. Answers and expected mistakes are computed from the data."""

import numpy as np

from companion.exercises.answers import ch02 as answers
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
from companion.reference import attend, logsumexp, softmax

__all__ = ["EXERCISES"]

EXERCISES = [
    Choices(
        id="ch02-roles",
        title="Who is asked, and for what",
        difficulty=1,
        minutes=2,
        prompt=r"""
A sentence has four tokens, 0 to 3. Tick every vector that enters the computation of $\mathbf{o}_2$, the output of token 2.""",
        options=(
            Wrong(r"$\mathbf{q}_0$", r"$\mathbf{q}_0$ asks for token 0. Only the output of token 0 uses it."),
            Right(r"$\mathbf{q}_2$"),
            Right(r"$\mathbf{k}_0$"),
            Right(r"$\mathbf{k}_2$"),
            Wrong(r"$\mathbf{k}_3$", "Token 3 comes later. Token 2 reads positions 0 to 2."),
            Right(r"$\mathbf{v}_1$"),
        ),
        why="One query, its own; keys and values of positions 0 to 2.",
        hints=("How many queries does one output need?", "Does a token read itself?"),
        solution=r"""
Token 2 asks with its own query and no other. It reads positions 0, 1 and 2, itself included, so the keys and values of
these three positions take part: of the vectors listed, $\mathbf{q}_2$, $\mathbf{k}_0$, $\mathbf{k}_2$ and $\mathbf{v}_1$.""",
    ),
    Vector(
        id="ch02-scores",
        title="Three scores",
        difficulty=1,
        minutes=3,
        prompt=r"""
The query is $\mathbf{q} = <<q>>$ and the keys are $<<K[0]>>$, $<<K[1]>>$ and $<<K[2]>>$. What are the three scores, scaled?""",
        data={"q": [2, 1, 0, -1], "K": [[1, 3, 0, 1], [2, -1, 5, 1], [0, 2, 1, -2]]},
        vary=answers.fresh_keys,
        answer=lambda d: d.K @ d.q / 2,
        mistakes=(
            Mistake(
                "left out the scale",
                lambda d: d.K @ d.q,
                r"<<value>> are the dot products. A score is the dot product divided by $\sqrt{D}$, here"
                r" $\sqrt{4} = 2$.",
            ),
            Mistake(
                "divided by D",
                lambda d: d.K @ d.q / 4,
                r"<<value>> are the dot products divided by $D = 4$. Divide by $\sqrt{D} = 2$.",
            ),
            Mistake(
                "multiplied",
                lambda d: d.K @ d.q * 2,
                r"You multiplied by $\sqrt{D}$. The scale makes large products smaller.",
            ),
            Mistake(
                "counted the keys",
                lambda d: d.K @ d.q / 3**0.5,
                r"You divided by $\sqrt{3}$, but 3 is the number of keys. $D$ is the length of one key, 4.",
            ),
        ),
        why="A dot product for each key, divided by the root of 4.",
        hints=(
            "Multiply query and key entry by entry, and add.",
            r"$D$ is 4, so divide each dot product by 2.",
        ),
        solution=r"""
The dot products are the products of equal entries, added. Divided by $\sqrt{4} = 2$ they are $<<answer>>$.""",
    ),
    Vector(
        id="ch02-shift",
        title="A hundred more",
        difficulty=1,
        minutes=2,
        prompt=r"""
The scores $<<s>>$ have the weights $<<alpha:.2f>>$. Now every score grows by 100, to $<<t>>$.

What are the weights now? Give two decimals.""",
        data={"s": [1, 2, 3]},
        derive=lambda d: {"alpha": softmax(d.s), "t": d.s + 100},
        answer=lambda d: softmax(d.t),
        label="Three weights",
        mistakes=(
            Mistake(
                "shared in proportion",
                lambda d: d.t / d.t.sum(),
                "You divided each score by their sum, or judged that large scores are nearly equal. The"
                " softmax looks at differences, and these are still 1.",
            ),
            Mistake(
                "let the largest win",
                lambda d: d.s == d.s.max(),
                "The scores are large, but the differences are not. The largest still leads the next by 1.",
            ),
        ),
        why="The same as before: shifts cancel.",
        hints=(r"Write the new weight as a fraction and pull $e^{100}$ out of numerator and denominator.",),
        solution=r"""
Numerator and denominator both grow by the factor $e^{100}$, which cancels. The weights are <<answer:.2f>>, as for $<<s>>$.
The size of a score means nothing. Differences between scores do.""",
    ),
    Vector(
        id="ch02-doubling",
        title="Twice as much",
        difficulty=2,
        minutes=4,
        prompt=r"""
The scores $<<s>>$ have the weights $<<alpha:.2f>>$. Now every score is doubled, to $<<t>>$.

What are the weights now? Give two decimals.""",
        data={"s": [1, 2, 3]},
        derive=lambda d: {"alpha": softmax(d.s), "t": 2 * d.s},
        answer=lambda d: softmax(d.t),
        label="Three weights",
        mistakes=(
            Mistake(
                "took doubling for a shift",
                lambda d: d.alpha,
                "These are the old weights. A shift cancels, but doubling also doubles the differences.",
            ),
            Mistake(
                "halved the differences",
                lambda d: softmax(d.s / 2),
                "These weights belong to scores half as large. Doubling makes the weights sharper, not"
                " flatter.",
            ),
            Mistake(
                "squared and did not share out",
                lambda d: d.alpha**2,
                "Squares of the old weights: a good start. They do not add up to 1 yet.",
            ),
            Mistake(
                "let the largest win",
                lambda d: d.s == d.s.max(),
                "No finite score makes a weight exactly 0. The others keep a share.",
            ),
        ),
        why="Doubled scores square the exponentials, so the ratios of the weights are squared.",
        hints=(
            "Neighbours now differ by 2, so each weight is $e^2 = 7.39$ times the one before it.",
            "Compute $1 + 7.39 + 54.6$ and divide.",
        ),
        solution=r"""
$e^{2s} = (e^s)^2$: every ratio of two weights is squared. The exponentials relative to the first are 1, 7.39 and 54.60, their sum
is 62.99, and the weights are $<<answer:.2f>>$.""",
    ),
    Number(
        id="ch02-zero-score",
        title="A score of zero",
        difficulty=1,
        minutes=2,
        prompt="The scores are $<<s>>$. What is the weight of token 0? Give two decimals.",
        data={"s": [0, 0, 1]},
        answer=lambda d: softmax(d.s)[0],
        mistakes=(
            Mistake(
                "no score, no weight", 0, "$e^0 = 1$, not 0. Only a score of $-\\infty$ has the weight 0."
            ),
            Mistake(
                "shared equally",
                1 / 3,
                "One third each would need three equal scores. Token 2 has a larger one.",
            ),
            Mistake(
                "forgot to divide",
                1,
                "$e^0 = 1$ is the numerator. Divide by the sum of all three exponentials.",
            ),
            Mistake(
                "answered for token 2",
                lambda d: softmax(d.s)[2],
                "<<value:.2f>> is the weight of token 2, whose score is 1.",
            ),
        ),
        why="$1 / (1 + 1 + e)$. A score of 0 is an ordinary score.",
        hints=("What is $e^0$?",),
        solution=(
            r"$\frac{e^0}{e^0 + e^0 + e^1} = \frac{1}{1 + 1 + 2.718} = <<answer:.2f>>$. Only $-\infty$ gives"
            r" the weight 0."
        ),
    ),
    Order(
        id="ch02-order",
        title="From token vectors to the update",
        difficulty=1,
        minutes=2,
        prompt="Put the steps for one token in order.",
        items=(
            r"multiply the token vectors by $\mathbf{W}_Q$, $\mathbf{W}_K$, $\mathbf{W}_V$",
            "take the dot product of the query with each key",
            r"divide each product by $\sqrt{D}$",
            "take exponentials and divide them by their sum",
            "add up the values, each times its weight",
            r"multiply the result by $\mathbf{W}_O$",
        ),
        mistakes=(
            Mistake(
                "scaled after the softmax",
                (0, 1, 3, 2, 4, 5),
                r"Divided after the softmax, the weights would add up to $1/\sqrt{D}$, and they would be as"
                r" sharp as without "
                "the division. The scale acts on the scores.",
            ),
            Mistake(
                "projected out too early",
                (0, 5, 1, 2, 3, 4),
                r"$\mathbf{W}_O$ stands on the way out: it takes the output back to the width of a token"
                r" vector.",
            ),
        ),
        why="Project, compare, scale, share out, average, project back.",
        hints=("The scale acts on scores, not on weights.",),
        solution=(
            "Queries, keys and values first; then dot products, the scale, the softmax, the weighted sum, and"
            " the way out."
        ),
    ),
    Number(
        id="ch02-divide",
        title="The root, not the number",
        difficulty=2,
        minutes=3,
        prompt=r"""
A query and two keys have $D = <<D>>$ numbers each. The dot products, not yet scaled, are $<<r>>$.

What weight does token 0 get? Give two decimals.""",
        data={"D": 64, "r": [8, 0]},
        vary=lambda rng: {"D": int(rng.choice([16, 64, 100])), "r": np.array([int(rng.integers(5, 19)), 0])},
        answer=lambda d: softmax(d.r / d.D**0.5)[0],
        mistakes=(
            Mistake(
                "divided by D",
                lambda d: softmax(d.r / d.D)[0],
                r"<<value:.2f>> comes from dividing by $D$. That flattens the weights more and more as $D$"
                r" grows. Divide by $\sqrt{D}$.",
            ),
            Mistake(
                "did not divide",
                lambda d: softmax(d.r)[0],
                r"<<value:.4f>> is the weight without the scale: the softmax is saturated. Divide by"
                r" $\sqrt{D}$ first.",
            ),
            Mistake(
                "gave the other weight",
                lambda d: softmax(d.r / d.D**0.5)[1],
                "<<value:.2f>> is the weight of token 1, whose score is 0.",
            ),
        ),
        why="The scale is the root of the number of entries in a key.",
        hints=(
            r"$\sqrt{<<D>>}$ is a whole number.",
            r"For two tokens, $\alpha_0 = 1 / (1 + e^{-(s_0 - s_1)})$.",
        ),
        solution=r"""
The scores are $<<r>> / \sqrt{<<D>>}$. The weight of token 0 is $1 / (1 + e^{-<<r[0]>> / \sqrt{<<D>>}}) = <<answer:.2f>>$.""",
    ),
    Vector(
        id="ch02-temperature",
        title="Half the temperature",
        difficulty=2,
        minutes=4,
        prompt=r"""
A query gives its three tokens the weights $<<alpha>>$ at temperature 1. You are not told the scores.

What are the weights at temperature $\tau = 1/2$? Give two decimals.""",
        data={"alpha": answers.ALPHA},
        derive=lambda d: {"squares": d.alpha**2, "sum": (d.alpha**2).sum()},
        vary=answers.fresh_alpha,
        answer=lambda d: answers.powered(d.alpha, 2),
        label="Three weights",
        mistakes=(
            Mistake(
                "doubled the temperature",
                lambda d: answers.powered(d.alpha, 0.5),
                r"These are the weights at $\tau = 2$. A low temperature makes the weights sharper.",
            ),
            Mistake(
                "thought it cancels",
                lambda d: d.alpha,
                "These are the weights at temperature 1. A shift of the scores cancels; a factor does not.",
            ),
            Mistake(
                "squared and did not share out",
                lambda d: d.alpha**2,
                "The squares are the right ratios. Divide them by their sum.",
            ),
            Mistake(
                "put weights in place of scores",
                lambda d: softmax(2 * d.alpha),
                "You took the softmax of the doubled weights. The scores are the logarithms of the weights,"
                " up to a shift.",
            ),
        ),
        why=(
            "Halving the temperature doubles the scores, and doubled scores square the ratios of the weights."
        ),
        hints=(
            r"$e^{s/\tau}$ at $\tau = 1/2$ is $e^{2s} = (e^s)^2$.",
            "The exponentials at temperature 1 are in the ratio of the weights. Square them.",
        ),
        solution=r"""
The weights are the exponentials up to a factor, so at $\tau = 1/2$ their squares count: $<<squares>>$, which add up to
<<sum:.2f>>. Divided by the sum: $<<answer:.2f>>$.""",
    ),
    Number(
        id="ch02-lse",
        title="The sum that does not fit",
        difficulty=2,
        minutes=3,
        prompt=r"""
Both scores are <<s[0]>>. The number $e^{<<s[0]>>}$ is too large even for float64.

What is their log-sum-exp? Give two decimals.""",
        data={"s": [1000, 1000]},
        answer=lambda d: logsumexp(d.s),
        mistakes=(
            Mistake(
                "forgot the maximum",
                lambda d: np.log(2),
                r"$\ln 2$ is $\ln l$, the logarithm of the sum after the maximum was taken out. Add $m$"
                r" back.",
            ),
            Mistake(
                "took the maximum",
                lambda d: d.s.max(),
                r"That is $m$. Two terms of that size add up to twice one, so $\ln 2$ is missing.",
            ),
            Mistake(
                "added the scores",
                lambda d: d.s.sum(),
                "The sum of the scores is the logarithm of the product of the exponentials, not of their"
                " sum.",
            ),
        ),
        why=r"$m + \ln l$ with $m = 1000$ and $l = 2$.",
        hints=("Take $e^{1000}$ out of the sum.",),
        solution=(
            r"$\ln(e^{1000} + e^{1000}) = 1000 + \ln(1 + 1) = <<answer:.2f>>$. No number larger than 1000.69"
            r" was needed."
        ),
    ),
    Vector(
        id="ch02-update",
        title="One more score",
        difficulty=2,
        minutes=3,
        prompt=r"""
The scores seen so far have the maximum and sum $(m, l) = (<<m>>, <<l>>)$. The next score is <<s>>.

What is the new pair $(m', l')$? Give two decimals.""",
        data={"m": 2, "l": 1.5, "s": 4},
        vary=lambda rng: {
            "m": int(rng.integers(0, 4)),
            "l": 1 + int(rng.integers(2, 16)) / 10,
            "s": int(rng.integers(4, 7)),
        },
        answer=lambda d: [d.s, d.l * np.exp(d.m - d.s) + 1],
        label=r"$m'$ and $l'$",
        mistakes=(
            Mistake(
                "did not rescale",
                lambda d: [d.s, d.l + 1],
                r"The old sum was made with the old maximum. Multiply it by $e^{m - m'}$ before you add.",
            ),
            Mistake(
                "rescaled the wrong way",
                lambda d: [d.s, d.l * np.exp(d.s - d.m) + 1],
                r"The maximum rose, so the old terms shrink: the factor is $e^{m - m'}$, below 1.",
            ),
            Mistake(
                "kept the old maximum",
                lambda d: [d.m, d.l + np.exp(d.s - d.m)],
                r"This pair stands for the same sum, but $m$ is no longer the maximum: with larger scores,"
                r" $e^{s - m}$ overflows.",
            ),
            Mistake(
                "left out the new term",
                lambda d: [d.s, d.l * np.exp(d.m - d.s)],
                r"The old sum is rescaled. The new score adds $e^{s - m'}$, which is 1 here.",
            ),
        ),
        why="The old sum shrinks to the new maximum, and the new score adds 1.",
        hints=("Which is the larger, $m$ or the new score?", r"$l' = l\,e^{m - m'} + e^{s - m'}$."),
        solution=r"""
$m' = <<s>>$ and $l' = <<l>> \cdot e^{<<m>> - <<s>>} + e^0 = <<answer[1]:.2f>>$.""",
    ),
    Code(
        id="ch02-attend",
        title="Attention for one token",
        difficulty=2,
        minutes=10,
        prompt=r"""
Write `attend(q, K, V)`: the attention output of one token. `q` has the shape `(D,)`, `K` is `(n, D)`, `V` is `(n, Dv)`,
and the result is `(Dv,)`. Scores may be in the thousands, so take care of the exponentials. Use NumPy alone.""",
        stub='''
import numpy as np


def attend(q, K, V):
    """Scores, scale, softmax, weighted sum. Returns (Dv,)."""
    raise NotImplementedError
''',
        code='''
import numpy as np


def attend(q, K, V):
    """Scores, scale, softmax, weighted sum. Returns (Dv,)."""
    scores = K @ q / np.sqrt(q.size)  # (n,)
    powers = np.exp(scores - scores.max())
    return powers / powers.sum() @ V
''',
        inputs=answers.random_token,
        reference=attend,
        mistakes=(
            CodeMistake(
                "no scale",
                "import numpy as np\ndef attend(q, K, V):\n    s = K @ q\n    p = np.exp(s - s.max())\n   "
                " return p / p.sum() @ V\n",
                r"The dot products were not divided by $\sqrt{D}$.",
            ),
            CodeMistake(
                "divided by D",
                "import numpy as np\ndef attend(q, K, V):\n    s = K @ q / q.size\n    p = np.exp(s -"
                " s.max())\n    return p / p.sum() @ V\n",
                r"The dot products were divided by $D$. The scale is $1/\sqrt{D}$.",
            ),
            CodeMistake(
                "root of the number of keys",
                "import numpy as np\ndef attend(q, K, V):\n    s = K @ q / np.sqrt(len(K))\n    p = np.exp(s"
                " - s.max())\n    return p / p.sum() @ V\n",
                "The scale is the root of `D`, the length of one key. You took the number of keys.",
            ),
            CodeMistake(
                "no maximum",
                "import numpy as np\ndef attend(q, K, V):\n    p = np.exp(K @ q / np.sqrt(q.size))\n   "
                " return p / p.sum() @ V\n",
                "Small scores are right; large ones overflow to infinity, and infinity over infinity is NaN. "
                "Subtract the maximum of the scores before `exp`.",
            ),
            CodeMistake(
                "scaled the weights",
                "import numpy as np\ndef attend(q, K, V):\n    s = K @ q\n    p = np.exp(s - s.max())\n"
                "    return p / p.sum() / np.sqrt(q.size) @ V\n",
                "The scale came after the softmax, so the weights add up to less than 1. Scale the scores.",
            ),
            CodeMistake(
                "weights not shared out",
                "import numpy as np\ndef attend(q, K, V):\n    s = K @ q / np.sqrt(q.size)\n    return"
                " np.exp(s - s.max()) @ V\n",
                "The exponentials were not divided by their sum, so the weights do not add up to 1.",
            ),
            CodeMistake(
                "plain mean",
                "import numpy as np\ndef attend(q, K, V):\n    return V.mean(0)\n",
                "This is the plain mean of the values: the query and the keys were not used.",
            ),
        ),
        diagnose=answers.fault_of_one_token,
        why="Every case agrees, the ones with scores in the thousands too.",
        hints=(
            "All dot products at once are one matrix times the query.",
            (
                "Subtracting one number from all scores changes no weight. Choose it so that no exponent is"
                " above 0."
            ),
        ),
        solution="Four lines: scores, exponentials below their maximum, weights, sum.",
    ),
    Code(
        id="ch02-running",
        title="One pass over the scores",
        difficulty=3,
        minutes=8,
        prompt=r"""
Write `running(scores)`: the pair `(m, l)` of a row of scores `(n,)`, read one score after the other. `m` is the largest score and
`l` the sum of $e^{s - m}$. Look at each score once, and never call `max` on the whole row. Return two numbers.""",
        stub='''
import math


def running(scores):
    """One pass: returns (m, l)."""
    m, l = -math.inf, 0.0
    for s in scores:
        raise NotImplementedError
    return m, l
''',
        code='''
import math


def running(scores):
    """One pass: returns (m, l)."""
    m, l = -math.inf, 0.0
    for s in scores:
        larger = max(m, s)
        l = l * math.exp(m - larger) + math.exp(s - larger)
        m = larger
    return m, l
''',
        inputs=answers.random_scores,
        reference=answers.max_and_sum,
        mistakes=(
            CodeMistake(
                "did not rescale",
                "import math\ndef running(scores):\n    m, l = -math.inf, 0.0\n    for s in scores:\n       "
                " m = max(m, s)\n        l = l + math.exp(s - m)\n    return m, l\n",
                r"The old sum was made with the old maximum. When the maximum rises, multiply it by $e^{m -"
                r" m'}$, "
                "and keep the old $m$ until you have.",
            ),
            CodeMistake(
                "rescaled the wrong way",
                "import math\ndef running(scores):\n    m, l = -math.inf, 0.0\n    for s in scores:\n       "
                " n = max(m, s)\n        l = (l * math.exp(n - m) if l else 0.0) + math.exp(s - n)\n        m"
                " = n\n    return m, l\n",
                r"When the maximum rises, the old terms shrink. The factor is $e^{m - m'}$, at most 1.",
            ),
            CodeMistake(
                "started at zero",
                "import math\ndef running(scores):\n    m, l = 0.0, 0.0\n    for s in scores:\n        n ="
                " max(m, s)\n        l = l * math.exp(m - n) + math.exp(s - n)\n        m = n\n    return"
                " m, l\n",
                r"A start at $m = 0$ is a score that nobody gave. With negative scores it stays the maximum."
                r" Start at $-\infty$.",
            ),
            CodeMistake(
                "last score for the maximum",
                "import math\ndef running(scores):\n    m, l = scores[0], 1.0\n    for s in scores[1:]:\n"
                "        l = l * math.exp(min(m - s, 700)) + 1\n        m = s\n    return m, l\n",
                "The maximum follows the last score even where that is smaller. Take the larger of the two.",
            ),
        ),
        why="One pass, and no exponent above 0.",
        hints=(
            "Compute the new maximum first and keep the old one.",
            (
                r"Then $l' = l\,e^{m - m'} + e^{s - m'}$. At the start $l = 0$, and $e^{-\infty} = 0$ does no"
                r" harm."
            ),
        ),
        solution="Both terms are brought to the new maximum; one of the two factors is always 1.",
    ),
    Vector(
        id="ch02-jacobian",
        title="One score moves",
        difficulty=3,
        minutes=4,
        prompt=r"""
The weights are $<<alpha>>$. The score of token 1 grows by a small step. How fast does each weight move? Give the three
derivatives $\partial \alpha_0 / \partial s_1$, $\partial \alpha_1 / \partial s_1$ and $\partial \alpha_2 / \partial s_1$.""",
        data={"alpha": answers.ALPHA},
        vary=answers.fresh_alpha,
        answer=lambda d: answers.column(d.alpha, 1),
        label="Three derivatives",
        mistakes=(
            Mistake(
                "moved one weight alone",
                lambda d: answers.column(d.alpha, 1) * [0, 1, 0],
                "The middle one is right. But the weights add up to 1: what token 1 gains, the others lose.",
            ),
            Mistake(
                "lost the minus",
                lambda d: np.abs(answers.column(d.alpha, 1)),
                "The sizes are right. The other weights fall, so theirs are negative, and the three add up"
                " to 0.",
            ),
            Mistake(
                "forgot a factor",
                lambda d: (np.arange(3) == 1) - d.alpha,
                r"These add up to 0, but each lacks the factor $\alpha_1$.",
            ),
            Mistake(
                "moved by the weights",
                lambda d: d.alpha,
                "These are the weights themselves. They would all grow, and their sum with them.",
            ),
        ),
        why="The token with the moved score takes from each of the others in proportion to what it has.",
        hints=(
            r"$\partial \alpha_j / \partial s_k = \alpha_j(\delta_{jk} - \alpha_k)$.",
            "The three numbers add up to 0. Use that as a check.",
        ),
        solution=r"""
$\alpha_1(1 - \alpha_1)$ for token 1 itself, and $-\alpha_0\alpha_1$ and $-\alpha_2\alpha_1$ for the others: $<<answer>>$. They add up to 0.""",
    ),
    Choice(
        id="ch02-rotate",
        title="The same scores from other matrices",
        difficulty=3,
        minutes=3,
        prompt=r"""
Somebody multiplies both $\mathbf{W}_Q$ and $\mathbf{W}_K$ from the right by the same rotation $\mathbf{R}$, a $D \times D$ matrix with
$\mathbf{R}\mathbf{R}^\top = \mathbf{I}$. All queries and keys change. What happens to the scores?""",
        options=(
            Wrong(
                "All of them change, since every query and key did.",
                "A dot product does not see where its two vectors point, only how they lie to each other."
                " Both were rotated alike.",
            ),
            Right("None of them changes."),
            Wrong(
                r"They are multiplied by $D$.",
                r"Write the new product as $\mathbf{q}\mathbf{R}\mathbf{R}^\top\mathbf{k}^\top$. The two"
                r" rotations cancel to $\mathbf{I}$.",
            ),
            Wrong(
                "Their order stays, their size does not.",
                r"A rotation keeps lengths and angles. $\mathbf{q}\mathbf{R}\mathbf{R}^\top\mathbf{k}^\top$"
                r" is the old product exactly.",
            ),
        ),
        why="The two rotations cancel in every dot product.",
        hints=("Write the new dot product with the matrices in it.",),
        solution=r"""
$(\mathbf{q}\mathbf{R})(\mathbf{k}\mathbf{R})^\top = \mathbf{q}\mathbf{R}\mathbf{R}^\top\mathbf{k}^\top = \mathbf{q}\mathbf{k}^\top$. The scores depend
on $\mathbf{W}_Q\mathbf{W}_K^\top$ alone, so a single coordinate of a key has no meaning of its own.""",
    ),
    Explain(
        id="ch02-two-cures",
        title="Two cures for two troubles",
        difficulty=2,
        minutes=5,
        prompt=r"""
A colleague removes the division by $\sqrt{D}$ and says: "The softmax subtracts the maximum anyway, so large scores cannot hurt."
Is that right? Explain what each of the two steps protects against.""",
        rubric=(
            "Subtracting the maximum prevents overflow of the exponential.",
            "It does not change the weights: they are those of the same scores.",
            (
                r"Without the division the dot products spread with $\sqrt{D}$, so nearly all the weight goes"
                r" to one token."
            ),
            "Then the derivatives of the weights are nearly 0, and training through them stalls.",
        ),
        hints=("Which of the two steps changes the weights?",),
        solution=r"""
No. Subtracting the maximum is a matter of arithmetic: it keeps $e^s$ from overflowing and leaves every weight as it was.
Dividing by $\sqrt{D}$ changes the weights. Without it the dot products of independent entries have the standard deviation
$\sqrt{D}$, one token takes nearly all the weight, and the slopes $\alpha_j(1 - \alpha_j)$ are nearly 0. Next to no gradient
reaches the scores, and no stable softmax brings it back.""",
    ),
]
