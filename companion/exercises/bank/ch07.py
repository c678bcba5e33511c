"""Chapter 7, The index set G. Every answer and every expected mistake is computed from the data."""

from functools import partial

import numpy as np

from companion.exercises.answers import ch07 as answers
from companion.exercises.answers import draws
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
    PickTerms,
    PickTokens,
    Right,
    Vector,
    Wrong,
)
from companion.reference import softmax, weighted_sum

__all__ = ["EXERCISES"]

EXERCISES = [
    Vector(
        id="ch07-gather",
        title="Four values, three weights",
        difficulty=1,
        minutes=3,
        prompt=r"""
A query reads the positions $G = \{0, 2, 3\}$ and no others. The values are $\mathbf{v}_0 = <<V[0]>>$,
$\mathbf{v}_1 = <<V[1]>>$, $\mathbf{v}_2 = <<V[2]>>$ and $\mathbf{v}_3 = <<V[3]>>$. The weights over $G$ are
$\alpha'_0 = <<a[0]>>$, $\alpha'_2 = <<a[1]>>$ and $\alpha'_3 = <<a[2]>>$.

What is the output?""",
        data={"V": [[2, 1], [4, 5], [6, 0], [1, 3]], "a": [0.5, 0.2, 0.3], "G": [0, 2, 3]},
        vary=answers.fresh_gather,
        answer=lambda d: weighted_sum(d.a, d.V[d.G]),
        mistakes=(
            Mistake(
                "misaligned gather",
                lambda d: weighted_sum(d.a, d.V[:3]),
                "<<value>> used the values of positions 0, 1 and 2. The weights belong to the positions"
                r" in $G$: the second goes with $\mathbf{v}_2$, the third with $\mathbf{v}_3$.",
            ),
            Mistake(
                "the last three",
                lambda d: weighted_sum(d.a, d.V[1:]),
                "<<value>> used the values of positions 1, 2 and 3. The first weight belongs to position 0.",
            ),
            Mistake(
                "the plain mean of G",
                lambda d: d.V[d.G].mean(axis=0),
                "<<value>> is the plain mean of the three values in $G$: the weights were ignored.",
            ),
            Mistake(
                "shared with position 1",
                lambda d: weighted_sum(d.a, d.V[d.G]) * 3 / 4,
                "<<value>> is the right sum times three quarters. The weights over $G$ add up to 1"
                " already. Position 1 has no share.",
            ),
        ),
        why="Weight and value meet by position. Position 1 appears in no term.",
        hints=(
            "How many terms has the sum over $G$?",
            r"The first term is $<<a[0]>> \cdot <<V[0]>>$, the second $<<a[1]>> \cdot <<V[2]>>$.",
        ),
        solution=r"""
$<<a[0]>> \cdot <<V[0]>> + <<a[1]>> \cdot <<V[2]>> + <<a[2]>> \cdot <<V[3]>> = <<answer>>$. The value
$\mathbf{v}_1$ takes no part.""",
    ),
    PickTokens(
        id="ch07-ignored",
        title="Analyzing the Impact of the Sparse Index Set",
        difficulty=2,
        minutes=3,
        prompt=r"""
A language model computes the output of the token at position $i = 4$ with sparse attention. Its index set
is $G = \{0, 2, 4\}$. A colleague lists the previous values, $\mathbf{v}_0$, $\mathbf{v}_1$,
$\mathbf{v}_2$ and $\mathbf{v}_3$.

Click every position from 0 to 4 whose value is completely ignored.""",
        tokens=5,
        name="ignored",
        answer={1, 3},
        mistakes=(
            Mistake(
                "v_4 is not listed",
                {1, 3, 4},
                r"Position 4 is in $G$, so its value is read. $G$ is a subset of $\{0, \dots, i\}$ and"
                " $i$ is 4: the list of previous values left out the token itself.",
            ),
            Mistake(
                "the set itself",
                {0, 2, 4},
                "These are the positions in $G$: their values are the ones that are read.",
            ),
            Mistake(
                "the token itself",
                {4},
                "A token may read itself, and here it does: 4 is in $G$. Look for positions that are not"
                " in $G$.",
            ),
        ),
        why="The sum runs over $G$. What is in $\\{0, \\dots, 4\\}$ and not in $G$ has no term in it.",
        hints=(
            "Write the sum: it has one term for each position in $G$.",
            r"$G$ is a subset of $\{0, \dots, i\}$. Does that include $i$ itself?",
        ),
        solution=r"""
The output is $\alpha'_{4,0}\mathbf{v}_0 + \alpha'_{4,2}\mathbf{v}_2 + \alpha'_{4,4}\mathbf{v}_4$. The
summation over $j \in G$ has no term for 1 and 3, so $\mathbf{v}_1$ and $\mathbf{v}_3$ are ignored,
whatever they hold. $\mathbf{v}_4$ is the token's own value. It stands in no list of previous values, and
it is read, because 4 is in $G$.""",
    ),
    Vector(
        id="ch07-shares",
        title="Who inherits the rest?",
        difficulty=1,
        minutes=3,
        prompt=r"""
A query gives the positions 0, 1 and 2 the weights $<<alpha>>$. Now it may read only $G = \{0, 1\}$. The
scores are the same.

What are the two new weights?""",
        data={"alpha": [0.1, 0.6, 0.3]},
        label="Two weights",
        vary=lambda rng: {"alpha": draws.small_example(rng)["alpha"]},
        answer=answers.renormalised,
        mistakes=(
            Mistake(
                "shared equally",
                lambda d: d.alpha[:2] + d.alpha[2] / 2,
                "<<value>> gives each of the two one half of the lost mass. The mass is shared in"
                " proportion: the ratio of the two weights stays as it was.",
            ),
            Mistake(
                "kept as they were",
                lambda d: d.alpha[:2],
                "<<value>> are the dense weights. They add up to less than 1: divide by their sum.",
            ),
            Mistake(
                "all to the larger",
                lambda d: d.alpha[:2] + d.alpha[2] * (d.alpha[:2] == d.alpha[:2].max()),
                "<<value>> gives all of the lost mass to one position. Both get some, in proportion.",
            ),
        ),
        why="Both weights are divided by the mass of $G$, so their ratio is what it was.",
        hints=("What do the two weights add up to now, and what must they add up to?",),
        solution=r"""
The mass of $G$ is $<<alpha[0]>> + <<alpha[1]>>$. Divide both weights by it: $<<answer>>$.""",
    ),
    Vector(
        id="ch07-output",
        title="Without the last token",
        difficulty=1,
        minutes=3,
        prompt=r"""
The values are $\mathbf{v}_0 = <<V[0]>>$, $\mathbf{v}_1 = <<V[1]>>$ and $\mathbf{v}_2 = <<V[2]>>$. The dense
weights are $<<alpha>>$. What is the sparse attention output for $G = \{0, 1\}$? Give two decimals.""",
        data={"alpha": [0.1, 0.6, 0.3], "V": [[1, 2], [3, 0], [4, 5]]},
        vary=draws.small_example,
        answer=lambda d: weighted_sum(answers.renormalised(d), d.V[:2]),
        mistakes=(
            Mistake(
                "kept the dense weights",
                lambda d: weighted_sum(d.alpha[:2], d.V[:2]),
                "<<value>> used the dense weights, which add up to less than 1 over $G$. Divide by the"
                " mass of $G$.",
            ),
            Mistake(
                "the dense output",
                lambda d: weighted_sum(d.alpha, d.V),
                "<<value>> is the dense output. Position 2 is not in $G$.",
            ),
            Mistake(
                "shared equally",
                lambda d: weighted_sum(d.alpha[:2] + d.alpha[2] / 2, d.V[:2]),
                "<<value>> gave each of the two one half of the lost mass. It is shared in proportion.",
            ),
            Mistake(
                "divided by the count",
                lambda d: weighted_sum(d.alpha[:2], d.V[:2]) / 2,
                "<<value>> divided the sum by the number of positions in $G$. Divide by their mass.",
            ),
        ),
        why="The weights were renormalised first, so the output is an average of the two values.",
        hints=("Renormalise the two weights first.", "Or sum with the dense weights and divide at the end."),
        solution=r"""
With the dense weights the sum over $G$ is $<<alpha[0]>> \cdot <<V[0]>> + <<alpha[1]>> \cdot <<V[1]>>$.
Divided by the mass $<<alpha[0]>> + <<alpha[1]>>$ it is $<<answer:.2f>>$.""",
    ),
    Choices(
        id="ch07-greater",
        title="Always greater?",
        difficulty=2,
        minutes=3,
        prompt=r"""
The sparse weight of a position in $G$ is $\alpha'_{i,j} = \alpha_{i,j} / Z_G$, from the same scores as the
dense weight. In which cases is it strictly greater than $\alpha_{i,j}$, in exact arithmetic? Tick all.""",
        options=(
            Right("All scores are finite, and $G$ leaves out one position of a thousand."),
            Wrong(
                r"$G$ is all of $\{0, \dots, i\}$.",
                "Then $Z_G = 1$ and nothing changes.",
            ),
            Wrong(
                r"$G$ leaves out only positions whose score is $-\infty$.",
                "Those positions have weight 0, so $Z_G = 1$: nothing of weight is left out.",
            ),
            Right(r"$\alpha_{i,j}$ is tiny, and the largest weight of the row is left out."),
            Wrong(
                r"The score of $j$ is $-\infty$ and $Z_G = 0.5$.",
                "The dense weight of $j$ is 0, and 0 divided by 0.5 is 0.",
            ),
            Wrong(
                "The dense weight is that of another model, which was trained without $G$.",
                "Another model has other scores. The quotient does not relate the two weights.",
            ),
        ),
        why=r"Strictly greater takes two things: $\alpha_{i,j} > 0$ and $Z_G < 1$.",
        hints=(
            r"Two numbers decide: $\alpha_{i,j}$ and $Z_G$.",
            "When is a quotient equal to its numerator?",
        ),
        solution=r"""
$\alpha_{i,j} / Z_G > \alpha_{i,j}$ holds when $\alpha_{i,j} > 0$ and $Z_G < 1$, and only then. With
finite scores every weight is positive, so it holds as soon as $G$ leaves out any position at all.""",
    ),
    Number(
        id="ch07-moved",
        title="How much weight moved?",
        difficulty=2,
        minutes=2,
        prompt=r"""
The dense weights are $<<alpha>>$, and $G = \{1, 2\}$. Add up $|\alpha'_j - \alpha_j|$ over all four
positions.""",
        data={"alpha": [0.1, 0.3, 0.4, 0.2]},
        vary=lambda rng: {"alpha": rng.permutation(rng.choice([[1, 2, 3, 4], [1, 1, 3, 5]])) / 10},
        answer=lambda d: answers.apart(d.alpha, [1, 2]),
        mistakes=(
            Mistake(
                "only the losses",
                lambda d: 1 - d.alpha[[1, 2]].sum(),
                "<<value>> is what the positions outside $G$ lost. Those inside gained as much: count both.",
            ),
            Mistake(
                "the mass kept",
                lambda d: 2 * d.alpha[[1, 2]].sum(),
                "<<value>> is twice the mass that was kept. What moved is the rest.",
            ),
        ),
        why=r"It is $2(1 - Z_G)$: what is lost outside is gained inside.",
        hints=("What do the positions outside lose together?", "What do those inside gain together?"),
        solution=r"""
Outside $G$ the weights $<<alpha[0]>>$ and $<<alpha[3]>>$ fall to 0. Inside, the sum rises to 1, by the same
amount. Together $2(1 - Z_G) = <<answer>>$.""",
    ),
    Vector(
        id="ch07-mix",
        title="Two halves of a context",
        difficulty=2,
        minutes=4,
        prompt=r"""
One machine holds the positions $A$, another the positions $B$. No position is in both. The sum of the
exponentials of the scores is <<a>> over $A$ and <<b>> over $B$. The output over $A$ alone is
$\mathbf{o}_A = <<o_a>>$, over $B$ alone $\mathbf{o}_B = <<o_b>>$.

What is the output over both?""",
        data={"a": 6, "b": 2, "o_a": [4, 0], "o_b": [0, 8]},
        vary=lambda rng: {
            "a": int(rng.choice([1, 3, 6, 9])),
            "b": int(rng.choice([1, 3, 6, 9])),
            "o_a": rng.integers(0, 9, 2),
            "o_b": rng.integers(0, 9, 2),
        },
        answer=answers.merged,
        mistakes=(
            Mistake(
                "averaged the two",
                lambda d: (d.o_a + d.o_b) / 2,
                "<<value>> is the plain mean of the two outputs. Each counts with its share of the weight.",
            ),
            Mistake(
                "added the two",
                lambda d: d.o_a + d.o_b,
                "<<value>> is the sum of the two outputs. Each is an average already: the result is an"
                " average of them.",
            ),
            Mistake(
                "shares exchanged",
                lambda d: weighted_sum(softmax(np.log([d.b, d.a])), np.stack([d.o_a, d.o_b])),
                "<<value>> has the shares exchanged. $Z_A$ goes with $\\mathbf{o}_A$.",
            ),
        ),
        why=r"$Z_A = a / (a + b)$ of the weight lies in $A$.",
        hints=("Which share of all the weight lies in $A$?",),
        solution=r"""
$Z_A = <<a>> / (<<a>> + <<b>>)$. The output is $Z_A \mathbf{o}_A + (1 - Z_A)\mathbf{o}_B = <<answer>>$.""",
    ),
    PickTerms(
        id="ch07-anew",
        title="What must be computed anew?",
        difficulty=2,
        minutes=3,
        prompt=r"""
The query has read $G$ and knows everything about it. Now position $k$ joins. All scores are finite. Click
everything that has a new value, or is needed for the first time.""",
        terms=(
            r"$s_j$ for $j \in G$",
            r"$e^{s_j}$ for $j \in G$",
            r"$s_k$",
            r"$\sum e^{s}$ over the set",
            r"$\alpha'_j$ for $j \in G$",
            r"$\alpha'_j / \alpha'_m$ for $j, m \in G$",
            r"$\alpha'_k$",
        ),
        joiner="·",
        answer={2, 3, 4, 6},
        mistakes=(
            Mistake(
                "only the new weight",
                {2, 6},
                r"A new term enters the denominator, and every weight has it. If only $\alpha'_k$ were"
                " new, the weights would add up to more than 1.",
            ),
            Mistake(
                "the denominator, not the weights",
                {2, 3, 6},
                r"You have the new denominator. Every $\alpha'_j$ is divided by it, the old ones too.",
            ),
            Mistake(
                "everything",
                set(range(7)),
                "A score is a dot product of the query with one key. It does not know which other"
                " positions are read, and neither does its exponential. Nor do the ratios of old weights"
                " change.",
            ),
            Mistake(
                "the scores again",
                {0, 1, 2, 3, 4, 6},
                "The scores of the old positions stay: each is a dot product of the query with one key."
                " So do their exponentials.",
            ),
        ),
        why="One new score, a new denominator, and with it every weight. Scores and ratios stay.",
        hints=("Which of these contain a sum over the whole set?", "Ratios of old weights: what cancels?"),
        solution=r"""
New are $s_k$, the sum of exponentials, and all weights: each old one is multiplied by $1 - \beta$, and
$\alpha'_k = \beta$. The old scores and exponentials depend on one key each and stay. In a ratio of two old
weights the denominator cancels.""",
    ),
    Explain(
        id="ch07-components",
        title="Analysis of Sparse Attention Formula Components",
        difficulty=2,
        minutes=5,
        prompt=r"""
A language model computes the output of a token as $\sum_{j \in G} \alpha'_{i,j} \mathbf{v}_j$, where $G$
is the set of the positions that it reads. A new position $k$ is added to $G$.

Which term must be recomputed for all $j$ in the larger set, and why is this necessary for the formula to
remain valid?""",
        rubric=(
            r"It names the weights $\alpha'_{i,j}$, and not the values or the scores.",
            "It says that the weights are normalised over $G$: their denominator is a sum over the set,"
            " and it grows by $e^{s_{i,k}}$.",
            "It says that otherwise the weights would not add up to 1, so that the sum would be no"
            " average of the values any more.",
            r"It says what stays: the scores $s_{i,j}$ and the values $\mathbf{v}_j$ of the old positions.",
        ),
        hints=(
            "Which part of the formula contains a sum over $G$ inside it?",
            "What do the weights add up to, before and after?",
        ),
        solution=r"""
The weights $\alpha'_{i,j}$. They come from a softmax over $G$: each is $e^{s_{i,j}}$ divided by the sum of
the exponentials over $G$. A new position adds $e^{s_{i,k}}$ to that sum, so every weight changes, not only
the new one. Kept as they were, the old weights would add up to 1 by themselves, and with $\alpha'_{i,k}$ to
more than 1: the output would be no weighted average of the values.

The scores and the values of the old positions stay as they are. And since all old weights are multiplied
by the same $1 - \beta$, the output itself follows from the old one: $\mathbf{o} + \beta(\mathbf{v}_k -
\mathbf{o})$.""",
    ),
    Vector(
        id="ch07-beta",
        title="A fourth position joins",
        difficulty=2,
        minutes=3,
        prompt=r"""
Over $G = \{0, 1, 2\}$ the exponentials of the scores are $<<powers>>$, so the weights are $<<old>>$.
Position 3 joins, and the exponential of its score is <<p>>.

What are the four weights now?""",
        data={"powers": [5, 2, 3], "p": 10},
        derive=lambda d: {"old": softmax(np.log(d.powers)), "beta": answers.beta(d)},
        label="Four weights",
        vary=lambda rng: {
            "powers": rng.permutation(rng.choice([[5, 2, 3], [1, 3, 6], [4, 5, 1]])),
            "p": int(rng.choice([10, 30, 15, 6])),
        },
        answer=answers.joined,
        mistakes=(
            Mistake(
                "only the last is new",
                lambda d: np.append(softmax(np.log(d.powers)), answers.beta(d)),
                r"<<value>> leaves the old weights alone and adds $\beta$: the four add up to more than 1.",
            ),
            Mistake(
                "the old ones pay equally",
                lambda d: np.append(softmax(np.log(d.powers)) - answers.beta(d) / 3, answers.beta(d)),
                r"<<value>> takes $\beta / 3$ from each. The old weights shrink in proportion: each is"
                r" multiplied by $1 - \beta$.",
            ),
            Mistake(
                "beta over the old sum",
                lambda d: np.append(softmax(np.log(d.powers)), d.p / d.powers.sum()),
                "<<value>> divides the new exponential by the old sum. The new one belongs into the sum.",
            ),
        ),
        why=r"$\beta$ goes to the new position, and every old weight is multiplied by $1 - \beta$.",
        hints=("What is the sum of all four exponentials?", r"$\beta$ is the new exponential over that sum."),
        solution=r"""
The new sum is the old one plus <<p>>, so $\beta = <<beta>>$. Each old weight is multiplied by $1 - \beta$:
$<<answer>>$.""",
    ),
    Order(
        id="ch07-join-order",
        title="Take in one position",
        difficulty=2,
        minutes=3,
        prompt="""
`m`, `l` and `o` are maximum, sum and output so far. Put the steps that take in a position with key `k` and
value `v` in order.""",
        items=(
            "`s = q @ k / D**0.5`",
            "`new = max(m, s)`",
            "`l = l * exp(m - new) + exp(s - new)`",
            "`m = new`",
            "`beta = exp(s - m) / l`",
            "`o = o + beta * (v - o)`",
        ),
        mistakes=(
            Mistake(
                "m too early",
                (0, 1, 3, 2, 4, 5),
                "Here `m` is overwritten before `l` was brought to the new maximum: `exp(m - new)` is"
                " then 1, and the old sum keeps the old scale.",
            ),
            Mistake(
                "beta from the old sum",
                (0, 1, 3, 4, 2, 5),
                "Here `beta` divides by the old sum. The new position must be in the sum that it is"
                " divided by.",
            ),
        ),
        why="Score, maximum, sum, then the share of the new position, then the output.",
        hints=("The sum needs the old maximum once more.", "`beta` is a share of the new sum."),
        solution="""
The score comes first. The old maximum is needed until the sum has been rescaled, so `m` changes after `l`.
`beta` is a share of the new sum, and the output comes last.""",
    ),
    Number(
        id="ch07-more-error",
        title="One position more",
        difficulty=2,
        minutes=4,
        prompt=r"""
The weights are $<<alpha>>$, and the values are the numbers <<v[0]>>, <<v[1]>> and <<v[2]>>. With
$G = \{2\}$ the error of the output is <<before:.2f>>. Position 0, which has the largest weight, joins: now
$G = \{0, 2\}$.

What is the error, to two decimals?""",
        data={"alpha": [0.4, 0.35, 0.25], "v": [0, 10, 3]},
        derive=lambda d: {
            "before": answers.error(d, [2]),
            "o": weighted_sum(d.alpha, d.v[:, None])[0],
            "part": weighted_sum(d.alpha[[0, 2]], d.v[[0, 2], None])[0],
            "mass": d.alpha[[0, 2]].sum(),
        },
        answer=lambda d: answers.error(d, [0, 2]),
        mistakes=(
            Mistake(
                "the old error",
                lambda d: answers.error(d, [2]),
                "<<value:.2f>> is the error for $G = \\{2\\}$.",
            ),
            Mistake(
                "not renormalised, or the bound",
                lambda d: d.alpha[1] * d.v[1],
                "<<value>> comes out without renormalising: divide by the mass of $G$. (It is also what"
                " the bound gives here.)",
            ),
            Mistake(
                "bigger is exact",
                0,
                "The error is 0 when nothing of weight is left out. Position 1 has the weight 0.35.",
            ),
            Mistake(
                "a share of the old error",
                lambda d: answers.error(d, [2]) * (1 - d.alpha[[0, 2]].sum()) / (1 - d.alpha[2]),
                "<<value:.2f>> shrinks the old error with the mass left out. The mass does shrink. The"
                " distance between the two averages grows.",
            ),
        ),
        why="More mass is kept, and the error is more than twice as large.",
        hints=(
            "The dense output is <<o>>.",
            "The output over $G$ is a sum over positions 0 and 2, divided by their mass.",
        ),
        solution=r"""
The dense output is <<o>>. Over $G$ it is $<<part>> / <<mass>>$, so the error is <<answer:.2f>>. The
single value 3 lay near the dense output. The average of 0 and 3 does not.""",
    ),
    Choice(
        id="ch07-certain",
        title="What is certain?",
        difficulty=3,
        minutes=3,
        prompt=r"""
$G$ holds at least one position of positive weight, and another one joins. Which statement always holds?""",
        options=(
            Wrong(
                "The error of the output falls, or stays as it is.",
                "For the weights (.4, .35, .25) and the values (0, 10, 3) it rises from 1.25 to 3.10.",
            ),
            Wrong(
                r"The bound $(1 - Z_G)$ times the spread falls, or stays as it is.",
                "The mass left out falls. But the newcomer can lie further from what is still left out"
                " than anything in $G$ did, and then the spread between $G$ and $R$ grows.",
            ),
            Right(r"The sum of $|\alpha'_j - \alpha_j|$ falls."),
            Wrong(
                "The weights inside $G$ come closer to the dense ones, so the output does too.",
                "The first half is true. The output also depends on the values, and an error can cancel"
                " another before the newcomer joins.",
            ),
        ),
        why=r"It is $2(1 - Z_G)$, and $Z_G$ grows by the weight of the newcomer.",
        hints=("Which of them is a statement about weights alone?",),
        solution=r"""
The weights do come closer: $2(1 - Z_G)$ falls. The output need not, because two errors that cancelled may
cancel no more. The spread between $G$ and $R$ may grow, so not even the bound must fall. It does when the
spread is taken over all values, for that is the same number for every $G$.""",
    ),
    Number(
        id="ch07-blind",
        title="A promise without looking",
        difficulty=3,
        minutes=4,
        prompt=r"""
A query has read four positions, with the exponentials $<<powers>>$ of their scores. It leaves out <<n>>
others, and knows only that none of their scores is above $\ln <<p>>$.

How large can the mass left out, $1 - Z_G$, be at the most? Give two decimals.""",
        data={"powers": [10, 30, 15, 5], "n": 20, "p": 1},
        vary=lambda rng: {
            "powers": rng.permutation([10, 30, 15, 5]),
            "n": int(rng.choice([5, 10, 20, 40, 60])),
            "p": int(rng.choice([1, 2, 3])),
        },
        answer=answers.lost_at_most,
        mistakes=(
            Mistake(
                "one omitted position",
                lambda d: d.p / (d.p + d.powers.sum()),
                "<<value:.2f>> counts one omitted position. There are <<n>>.",
            ),
            Mistake(
                "a ratio, not a share",
                lambda d: d.n * d.p / d.powers.sum(),
                "<<value:.2f>> divides by what is kept. A share is divided by all, kept and left out.",
            ),
            Mistake(
                "the mass kept",
                lambda d: 1 - answers.lost_at_most(d),
                "<<value:.2f>> is the mass that is kept at the least. The question is about the rest.",
            ),
        ),
        why="All omitted scores at their limit is the worst case, and it can happen.",
        hints=("What is the largest that the sum of the omitted exponentials can be?",),
        solution=r"""
The omitted exponentials add up to at most $<<n>> \cdot <<p>>$. The share of $x$ in $x$ plus the kept sum
grows with $x$, so the worst case is $<<answer:.2f>>$.""",
    ),
    Code(
        id="ch07-sparse",
        title="Attention over index sets",
        difficulty=2,
        minutes=12,
        prompt=r"""
Write `sparse_attention(query, key, value, indices)` in NumPy. `query` has the shape `(L, D)`, `key` the
shape `(S, D)`, `value` the shape `(S, Dv)`, and the result `(L, Dv)`. Row $i$ of `indices`, of shape
`(L, k)`, lists the positions that query $i$ reads, in any order; `-1` is an unused slot. Scores are divided
by the root of `D`.

A set holds a position once: one that is listed twice counts once. A row that lists nothing gives zeros. A
loop over the rows is fine.""",
        stub=answers.STUB,
        code=answers.CODE,
        inputs=answers.index_rows,
        reference=answers.by_mask,
        mistakes=(
            CodeMistake(
                "misaligned gather",
                answers.spoiled(("value[G]", "value[: len(G)]")),
                "The keys are those of $G$, but the values are the first rows of `value`. Weight and"
                " value must belong to the same position: gather both with the same indices.",
            ),
            CodeMistake(
                "not renormalised",
                answers.spoiled(
                    ("scores = key[G]", "scores = key"),
                    ("powers / powers.sum()", "(powers / powers.sum())[G]"),
                ),
                "The softmax runs over all keys, and the weights of $G$ are picked out of it: they add"
                " up to less than 1. The denominator must run over $G$ alone.",
            ),
            CodeMistake(
                "no guard for the empty row",
                answers.spoiled(("        if len(G) == 0:\n            continue\n", "")),
                "A row without positions has no maximum. Leave such a row at zero.",
            ),
            CodeMistake(
                "unused slots read",
                answers.spoiled(("row[row >= 0]", "row")),
                "An unused slot was used as an index. In NumPy `-1` is the last row, so the last"
                " position joined $G$. Drop the slots that hold `-1`.",
            ),
            CodeMistake(
                "unused slots read as 0",
                answers.spoiled(("row[row >= 0]", "np.maximum(row, 0)")),
                "An unused slot was read as position 0. Drop the slots that hold `-1`.",
            ),
            CodeMistake(
                "position 0 dropped",
                answers.spoiled(("row[row >= 0]", "row[row > 0]")),
                "Position 0 is never read. Only `-1` marks an unused slot.",
            ),
        ),
        diagnose=partial(named_fault, style="indices", layout="LD", kind="numpy"),
        why="Every row is the reference's attention over its own set.",
        hints=(
            "Treat one row at a time. `row[row >= 0]` drops the unused slots, `np.unique` what is listed"
            " twice.",
            "Gather keys and values with the same indices: `key[G]`, `value[G]`.",
            "An empty set has no maximum. Start from zeros and skip such a row.",
        ),
        solution="Make a set of each row; then it is the formula of the chapter, one line a step.",
    ),
]
