"""Chapter 1, The weighted sum. Every answer and every expected mistake is computed from the data."""

import numpy as np

from companion.exercises.answers import ch01 as answers
from companion.exercises.answers import draws
from companion.exercises.kinds import (
    Choice,
    Code,
    CodeMistake,
    Explain,
    Mistake,
    Number,
    PickTerms,
    Right,
    Vector,
    Wrong,
)
from companion.reference import weighted_sum

__all__ = ["EXERCISES"]

EXERCISES = [
    Vector(
        id="ch01-output",
        title="The output, by hand",
        difficulty=1,
        minutes=3,
        prompt=r"""
The values are $\mathbf{v}_0 = <<V[0]>>$, $\mathbf{v}_1 = <<V[1]>>$ and $\mathbf{v}_2 = <<V[2]>>$. The token at position 2
gives them the weights $\alpha_{2,0} = <<alpha[0]>>$, $\alpha_{2,1} = <<alpha[1]>>$ and $\alpha_{2,2} = <<alpha[2]>>$.

What is the attention output vector of the token at position 2?""",
        data=answers.EXAMPLE,
        vary=draws.small_example,
        answer=answers.output,
        mistakes=(
            Mistake(
                "took the winner",
                lambda d: d.V[d.alpha.argmax()],
                "<<value>> is the value with the largest weight. Attention averages; it does not choose.",
            ),
            Mistake(
                "took the plain mean",
                lambda d: d.V.mean(axis=0),
                "<<value>> is the plain mean: each value counted one third, and the weights were ignored.",
            ),
            Mistake(
                "added the values",
                lambda d: d.V.sum(axis=0),
                "<<value>> is the sum of the values. Multiply each by its weight before you add.",
            ),
            Mistake(
                "divided by the number of tokens",
                lambda d: answers.output(d) / 3,
                "<<value>> is the right sum divided by 3. The weights add up to 1 already: nothing is left to"
                " divide.",
            ),
            Mistake(
                "reversed the weights",
                lambda d: weighted_sum(d.alpha[::-1], d.V),
                "<<value>> pairs the weights with the values in reverse order. Weight $j$ belongs to value"
                " $j$.",
            ),
        ),
        why="Each value counts as much as its weight, coordinate by coordinate.",
        hints=(
            "Multiply each value by its weight. You get three vectors.",
            (
                r"The first of the three is $<<alpha[0]>> \cdot <<V[0]>>$. Add the three, first coordinates"
                r" and second coordinates apart."
            ),
        ),
        solution=r"""
$<<alpha[0]>> \cdot <<V[0]>> + <<alpha[1]>> \cdot <<V[1]>> + <<alpha[2]>> \cdot <<V[2]>> = <<answer>>$""",
    ),
    Choice(
        id="ch01-expression",
        title="One expression in NumPy",
        difficulty=1,
        minutes=2,
        prompt="""
`alpha` has the shape `(3,)` and `V` has the shape `(3, 2)`, with one value in each row.
Which expression gives the output of shape `(2,)`?""",
        options=(
            Wrong(
                "`V @ alpha`",
                "This asks for rows of 3 numbers, but a row of `V` has 2: NumPy raises an error. The weights"
                " are a row and stand on the left.",
            ),
            Right("`alpha @ V`"),
            Wrong(
                "`alpha * V`",
                "This multiplies entry by entry and lines up the last axes, 3 against 2: NumPy raises an"
                " error. `alpha[:, None] * V` would scale the rows, and a sum over them would still be"
                " missing.",
            ),
            Wrong(
                "`(alpha[:, None] * V).sum(axis=1)`",
                "The scaling is right. But axis 1 runs over the coordinates, so this gives 3 numbers, one a"
                " token. The sum goes over the tokens, axis 0.",
            ),
        ),
        why="A row of 3 weights times a matrix of 3 rows and 2 columns is a row of 2 numbers.",
        hints=("The sum runs over tokens. Which axis of `V` counts tokens?",),
        solution="`alpha @ V`, or in two steps `(alpha[:, None] * V).sum(axis=0)`.",
    ),
    Vector(
        id="ch01-row-zero",
        title="The first token",
        difficulty=1,
        minutes=1,
        prompt=r"""
A sentence has the values $\mathbf{v}_0 = <<V[0]>>$, $\mathbf{v}_1 = <<V[1]>>$ and $\mathbf{v}_2 = <<V[2]>>$. You are not told
any weight or query. What is the output of the token at position 0?""",
        data={"V": answers.VALUES},
        vary=lambda rng: {"V": rng.integers(0, 9, (3, 2))},
        answer=lambda d: d.V[0],
        mistakes=(
            Mistake(
                "averaged all",
                lambda d: d.V.mean(axis=0),
                "<<value>> is the mean of all three. Position 0 may not read positions 1 and 2.",
            ),
            Mistake(
                "nothing to read",
                [0, 0],
                "<<value>> would be the output of a token that reads nothing. Position 0 reads itself.",
            ),
        ),
        why="It can read only itself, and one weight that adds up to 1 is 1.",
        hints=(
            "Which positions may position 0 read?",
            "How many weights is that, and what must they add up to?",
        ),
        solution=(
            r"Position 0 reads positions 0 to 0. Its only weight is 1, so $\mathbf{o}_0 = \mathbf{v}_0 ="
            r" <<answer>>$."
        ),
    ),
    PickTerms(
        id="ch01-future-terms",
        title="Terms that do not belong",
        difficulty=1,
        minutes=2,
        prompt=r"""
Somebody writes the output of the token at position 1, in a sentence of four tokens, as the sum below.
Click every term that it may not contain.""",
        lead=r"$\mathbf{o}_1 =$",
        terms=(
            r"$0.2\,\mathbf{v}_0$",
            r"$0.4\,\mathbf{v}_1$",
            r"$0.3\,\mathbf{v}_2$",
            r"$0.1\,\mathbf{v}_3$",
        ),
        answer={2, 3},
        mistakes=(
            Mistake(
                "strictly before",
                {1, 2, 3},
                "A token may read itself: $j = i$ is allowed. Keep the term at position 1.",
            ),
            Mistake(
                "the last only",
                {3},
                "Position 3 lies ahead, yes. Does another of the positions lie ahead of position 1?",
            ),
            Mistake(
                "the small ones",
                {0, 3},
                "The size of a weight is not the question. Compare each position with 1.",
            ),
        ),
        why="Positions 2 and 3 come after position 1. The sum runs over 0 to 1.",
        hints=("Equation (1.2) tells where the sum stops.",),
        solution=r"""
The sum for position 1 runs over the positions 0 and 1. The terms with $\mathbf{v}_2$ and $\mathbf{v}_3$ lie in the future.
Deleting them is not the whole repair: 0.2 and 0.4 add up to 0.6. Chapter 3 repairs the weights too.""",
    ),
    Code(
        id="ch01-code-sentence",
        title="All outputs of a sentence",
        difficulty=2,
        minutes=8,
        prompt="""
Write `sentence_outputs(A, V)`: row `i` of the result is the attention output of token `i`.

`A` has the shape `(n, n)`; row `i` holds the weights of query `i`. Entries to the right of the diagonal may hold anything: your
function must not let them count. `V` has the shape `(n, d)`. Return an array of shape `(n, d)`, and leave `A` and `V` as they are.""",
        stub='''import numpy as np


def sentence_outputs(A, V):
    """Row i: the sum over j <= i of A[i, j] * V[j]. A is (n, n), V is (n, d)."""
    raise NotImplementedError
''',
        code="""import numpy as np


def sentence_outputs(A, V):
    return np.array([A[i, : i + 1] @ V[: i + 1] for i in range(len(V))])
""",
        inputs=answers.sentence,
        reference=lambda A, V: weighted_sum(np.tril(A), V),
        mistakes=(
            CodeMistake(
                "counted the future",
                "def sentence_outputs(A, V):\n    return A @ V\n",
                "Every entry of `A` was used, those right of the diagonal too: each token read its own"
                " future.",
            ),
            CodeMistake(
                "stopped one too early",
                """import numpy as np


def sentence_outputs(A, V):
    return np.array([A[i, :i] @ V[:i] for i in range(len(V))])
""",
                "The sum of row `i` ended at `i - 1`: no token read itself. `range(i)` and `[:i]` leave `i`"
                " out.",
            ),
            CodeMistake(
                "kept the wrong triangle",
                "import numpy as np\n\n\ndef sentence_outputs(A, V):\n    return np.triu(A) @ V\n",
                "The future was kept and the past was cut: `triu` keeps what lies right of the diagonal.",
            ),
            CodeMistake(
                "weighted by columns",
                "import numpy as np\n\n\ndef sentence_outputs(A, V):\n    return np.tril(A).T @ V\n",
                "The weights were read down the columns. The weights of query `i` stand in row `i`.",
            ),
        ),
        why="Each row is a row of weights, cut at the diagonal, times the values up to there.",
        hints=(
            "For one `i`: which part of row `i` of `A` counts, and which rows of `V` go with it?",
            (
                "`A[i, : i + 1]` holds positions 0 to `i`. Multiply it with the same rows of `V`, and collect"
                " the results."
            ),
        ),
        solution="In one line of NumPy it is `np.tril(A) @ V`: set the future to 0, then multiply.",
    ),
    Choice(
        id="ch01-reach",
        title="Can attention get there?",
        difficulty=2,
        minutes=2,
        prompt=r"""
The values are $\mathbf{v}_0 = <<V[0]>>$, $\mathbf{v}_1 = <<V[1]>>$ and $\mathbf{v}_2 = <<V[2]>>$. Is there a row of attention weights
whose output is $[5, 1]$?""",
        data={"V": answers.VALUES},
        options=(
            Wrong(
                "Yes: the three values span the plane, so some weights give it.",
                "Some numbers do, but not attention weights. Solving for [5, 1] with a sum of 1 makes one of"
                " them negative. Weights are not.",
            ),
            Right("No: its first coordinate is larger than that of every value."),
            Wrong(
                "Yes, if one of the weights is larger than 1.",
                "The weights are non-negative and add up to 1, so none can be larger than 1.",
            ),
            Wrong(
                "No: the output is always one of the three values.",
                "The output is an average of them. It is one of them only when one weight is 1.",
            ),
        ),
        why="An average of 1, 3 and 4 cannot be 5: no coordinate can pass the largest.",
        hints=("Look at one coordinate alone.",),
        solution=r"""
The first coordinates of the values are 1, 3 and 4. An average of them lies between 1 and 4. So $[5, 1]$ lies outside the hull.""",
    ),
    Vector(
        id="ch01-same-output",
        title="Other weights, same output",
        difficulty=2,
        minutes=4,
        prompt=r"""
There are now four values: $<<V[0]>>$, $<<V[1]>>$, $<<V[2]>>$ and $\mathbf{v}_3 = <<V[3]>>$. The weights $[0, 0, 0, 1]$ give the
output $<<V[3]>>$.

Find weights with $\alpha_3 = 0$ that give the same output. Type all four.""",
        data={"V": [*answers.VALUES, [2.5, 3.5]]},
        label="Four weights",
        answer=[0.5, 0, 0.5, 0],
        mistakes=(
            Mistake(
                "repeated them",
                [0, 0, 0, 1],
                "These are the weights that were given. Now $\\alpha_3$ must be 0.",
            ),
            Mistake(
                "ends swapped out",
                [0.5, 0.5, 0, 0],
                "These weights give $[2, 1]$, the midpoint of $\\mathbf{v}_0$ and $\\mathbf{v}_1$. You need"
                " the midpoint of another pair.",
            ),
            Mistake(
                "forgot the sum",
                [1, 0, 1, 0],
                "The direction is right, but these add up to 2 and give $[5, 7]$. Weights add up to 1.",
            ),
        ),
        why="The fourth value is the midpoint of two others, so half of each gives the same point.",
        hints=(
            "Draw the four points. The fourth lies on a line between two others.",
            "How far along that line?",
        ),
        solution=r"""
$0.5 \cdot <<V[0]>> + 0.5 \cdot <<V[2]>> = <<V[3]>>$, so the weights are $<<answer>>$. The output alone does not tell which of the two rows of weights was used.""",
    ),
    Number(
        id="ch01-removal",
        title="A token that was never there",
        difficulty=3,
        minutes=5,
        prompt=r"""
The values are $<<V[0]>>$, $<<V[1]>>$ and $<<V[2]>>$ with weights $<<alpha>>$, and the output is $<<o>>$.
Remove token 1 altogether and let the other two weights add up to 1 again, in the same proportion.

How far does the output move? Give the distance to two decimals.""",
        data=answers.EXAMPLE,
        derive=lambda d: {
            "o": answers.output(d),
            "rest": weighted_sum(d.alpha[[0, 2]] / d.alpha[[0, 2]].sum(), d.V[[0, 2]]),
        },
        vary=draws.small_example,
        answer=lambda d: answers.removal(d, 1),
        mistakes=(
            Mistake(
                "deleted the term",
                lambda d: d.alpha[1] * answers.length(d.V[1]),
                "<<value:.2f>> is the length of the term $\\alpha_1\\mathbf{v}_1$: you deleted it and left"
                " the other weights alone. Here they add up to 1 again.",
            ),
            Mistake(
                "gave the weight",
                lambda d: d.alpha[1],
                "<<value>> is the weight of token 1. It says how the output follows a small change of"
                " $\\mathbf{v}_1$.",
            ),
            Mistake(
                "stepped the score",
                lambda d: d.alpha[1] * answers.length(d.V[1] - answers.output(d)),
                "<<value:.2f>> is $\\alpha_1 \\lVert\\mathbf{v}_1 - \\mathbf{o}\\rVert$, the answer for a"
                " small change of the score. For removal, divide it by $1 - \\alpha_1$.",
            ),
            Mistake(
                "forgot the weight",
                lambda d: answers.length(d.V[1] - answers.output(d)),
                "<<value:.2f>> is the distance from $\\mathbf{v}_1$ to the output. Its weight has to enter.",
            ),
        ),
        why=(
            "The output without the token lies on the line from the value through the old output, a little"
            " further out."
        ),
        hints=(
            r"Without token 1, the remaining weights add up to $1 - \alpha_1$. Divide both by that.",
            "Compute the new output, then the length of the difference. Or use equation (1.7).",
        ),
        solution=r"""
Without token 1 the output is $<<rest>>$. Its distance from $<<o>>$ is <<answer:.3f>>. Equation (1.7) gives the same:
$\frac{\alpha_1}{1 - \alpha_1}\lVert\mathbf{v}_1 - \mathbf{o}\rVert = <<answer:.3f>>$.""",
    ),
    Number(
        id="ch01-origin",
        title="Move the origin",
        difficulty=2,
        minutes=3,
        prompt=r"""
The values are $<<V[0]>>$, $<<V[1]>>$ and $<<V[2]>>$ with weights $<<alpha>>$. The term of token 2 has the length
$\alpha_2 \lVert\mathbf{v}_2\rVert = <<before:.2f>>$, the largest of the three. Now subtract $\mathbf{v}_2$ from every value. The weights stay.

What is the length of the term of token 2 now?""",
        data=answers.EXAMPLE,
        derive=lambda d: {"before": d.alpha[2] * answers.length(d.V[2])},
        answer=lambda d: d.alpha[2] * answers.length(d.V[2] - d.V[2]),
        mistakes=(
            Mistake(
                "unchanged",
                lambda d: d.before,
                "The weight did not change, but the value did: subtract $\\mathbf{v}_2$ from"
                " $\\mathbf{v}_2$.",
            ),
            Mistake(
                "about the output",
                lambda d: d.alpha[2] * answers.length(d.V[2] - answers.output(d)),
                "<<value:.2f>> is the distance to the output times the weight. That number does not depend on"
                " the origin; the length of the term does.",
            ),
        ),
        why="The value of token 2 is now the zero vector, while the output only moved along.",
        hints=(r"What is $\mathbf{v}_2 - \mathbf{v}_2$?",),
        solution=r"""
The new value of token 2 is $[0, 0]$, so its term has the length <<answer>>. The output moved by $-\mathbf{v}_2$ like every
value, and nothing about the attention changed. A measure of influence that can be made 0 in this way measures the origin too.""",
    ),
    Explain(
        id="ch01-interpreting",
        title="Interpreting Causal Attention Output",
        difficulty=3,
        minutes=6,
        prompt=r"""
The values are $\mathbf{v}_0 = <<V[0]>>$, $\mathbf{v}_1 = <<V[1]>>$ and $\mathbf{v}_2 = <<V[2]>>$; the token at position 2 gives them the weights $<<alpha>>$.

Which token's meaning has the most influence on the final output vector of the token at position 2?
Justify your answer by explaining how the output is calculated.""",
        data=answers.EXAMPLE,
        derive=lambda d: {
            "o": answers.output(d),
            "term": d.alpha * answers.length(d.V),
            "removed": [answers.removal(d, j) for j in range(3)],
        },
        rubric=(
            "It computes the output as the weighted sum $<<o>>$, or says how.",
            "It says what is changed: the value, the term, the score, or the whole token.",
            (
                "It names the token that is largest in that reading: token 1 for the value and for removal,"
                " token 2 for the term and, narrowly, for the score."
            ),
            "It does not take the largest weight for the largest influence without a reason.",
        ),
        hints=("Decide first what you would change about a token, then compute how far the output moves.",),
        solution=r"""
The output is the sum of the three values, each times its weight: $<<o>>$. What counts as influence depends on the change.

If token 1 had not been there, and the other weights added up to 1 again, the output would move by <<removed[1]:.2f>>, more than
for token 0 (<<removed[0]:.2f>>) or token 2 (<<removed[2]:.2f>>). Token 1 also has the largest weight, so the output follows its value most closely.

As a part of the sum, the term of token 2 is the longest: <<term[2]:.2f>> against <<term[1]:.2f>>, because its value is long.
So token 1 has the most influence in the sense of removal, token 2 in the sense of the longest term.""",
    ),
]
