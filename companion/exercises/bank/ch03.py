"""Chapter 3, The left context. Every answer and every expected mistake is computed from the data."""

import numpy as np

from companion.exercises.answers import ch03 as answers
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
    edited,
)
from companion.reference import softmax

__all__ = ["EXERCISES"]

EXERCISES = [
    PickTokens(
        id="ch03-first-row",
        title="What may the first token read?",
        difficulty=1,
        minutes=1,
        prompt=r"""
A model is trained to predict the next token. Click every token that the query at position 0, `the`, may
read: the set $G_0$.""",
        tokens=answers.SENTENCE,
        name="G",
        answer=lambda d: set(np.flatnonzero(answers.causal(4)[0])),
        mistakes=(
            Mistake(
                "nothing",
                set(),
                "A token may read itself. At position 0 the model predicts `river`; it has been given `the`.",
            ),
            Mistake(
                "its target",
                {1},
                "`river` is what position 0 has to predict. Reading it would be copying the answer.",
            ),
            Mistake(
                "itself and its target",
                {0, 1},
                "`the` is right. `river` is the answer that position 0 has to predict.",
            ),
            Mistake(
                "everything",
                {0, 1, 2, 3},
                "When the model is used, the tokens after `the` do not exist yet. Only the past and the "
                "token itself do.",
            ),
        ),
        why="The target is the next token, so the token itself is no secret.",
        hints=("What does position 0 have to predict? What has it been given?",),
        solution=r"$G_0 = \{0\}$: position 0 has been given `the` and predicts `river`.",
    ),
    Number(
        id="ch03-predictions",
        title="How many predictions?",
        difficulty=1,
        minutes=2,
        prompt="""
A text has <<L>> tokens. The model reads it once, with the rule of this chapter. How many predictions does
that one pass make for which the right answer stands in the text?""",
        data={"L": 1000},
        vary=lambda rng: {"L": int(rng.integers(5, 200)) * 10},
        answer=lambda d: d.L - 1,
        tolerance=0.1,
        mistakes=(
            Mistake(
                "counted the last",
                lambda d: d.L,
                "The last token has no next token in the text: its prediction has no answer there.",
            ),
            Mistake("one a text", 1, "Every position makes a prediction of its own, not the last one alone."),
            Mistake(
                "counted pairs",
                lambda d: d.L * (d.L + 1) // 2,
                "<<value>> is the number of allowed pairs $j \\le i$. A row of pairs makes one prediction.",
            ),
        ),
        why="Each position but the last has its answer one place to the right.",
        hints=("Try a text of 2 tokens.",),
        solution="Positions 0 to <<L>> - 2 have a next token in the text: <<answer>> predictions.",
    ),
    Number(
        id="ch03-zero-mask",
        title="Masked with a zero",
        difficulty=2,
        minutes=4,
        prompt=r"""
The past scores of a query are 1, 2 and 3. Somebody masks the one future score by setting it to 0, and
then takes the softmax of all four.

What weight does the future token get? Give three decimals.""",
        data={"past": [1, 2, 3]},
        answer=lambda d: softmax([*d.past, 0])[-1],
        tolerance=0.0005,
        label="Leaked weight",
        mistakes=(
            Mistake(
                "thought a score of 0 is a weight of 0",
                0,
                "A score of 0 is not a weight of 0: $e^0 = 1$. Only $-\\infty$ gives weight 0.",
            ),
            Mistake("shared equally", 0.25, "That would be four equal scores."),
            Mistake(
                "left it out below",
                lambda d: 1 / np.exp(d.past).sum(),
                "<<value:.3f>> divides by the past powers alone. The softmax was taken of all four scores.",
            ),
            Mistake(
                "typed percent",
                lambda d: 100 * softmax([*d.past, 0])[-1],
                "<<value:.1f>> percent, yes. Type it as a weight, between 0 and 1.",
            ),
        ),
        why="The future token still has the power 1 among four.",
        hints=("What is $e^0$?", "Divide it by the sum of all four powers."),
        solution=r"""
$\frac{e^0}{e^1 + e^2 + e^3 + e^0} = \frac{1}{2.72 + 7.39 + 20.09 + 1}$, which is <<answer:.3f>>: 3.2
percent leak. The smaller the past scores, the larger the leak.""",
    ),
    Order(
        id="ch03-steps",
        title="One row, in order",
        difficulty=1,
        minutes=2,
        prompt="Put the steps that compute one row of causal attention in order.",
        items=(
            r"take the products $\mathbf{q}_i \cdot \mathbf{k}_j$ for all $j$",
            r"divide each product by $\sqrt{D}$",
            r"put $-\infty$ in every place $j > i$",
            "take the softmax of the row",
            "multiply the values by the weights and add",
        ),
        also=((0, 2, 1, 3, 4),),
        mistakes=(
            Mistake(
                "mask after the softmax",
                (0, 1, 3, 2, 4),
                "After the softmax the future has already been counted in the denominator, and $-\\infty$ "
                "is no weight. The mask comes first.",
            ),
            Mistake(
                "scale after the softmax",
                (0, 2, 3, 1, 4),
                "Dividing the weights makes their sum $1/\\sqrt{D}$. The scores are divided, before the "
                "softmax.",
            ),
            Mistake(
                "mask at the end",
                (0, 1, 3, 4, 2),
                "At the end there is one output vector and no place $j$ to mask. The mask acts on scores.",
            ),
        ),
        why="The mask acts on scores, so that the softmax never counts the future.",
        hints=("Where does the denominator of the weights come from?",),
        solution=r"""
Products, division, mask, softmax, sum. Division and mask may change places, because $-\infty$ divided by
$\sqrt{D}$ is $-\infty$.""",
    ),
    Code(
        id="ch03-causal-attention",
        title="Causal attention",
        difficulty=2,
        minutes=12,
        prompt="""
Write causal attention for one head in NumPy. `query` and `key` have the shape `(L, D)`, `value` has the
shape `(L, Dv)`. Return the outputs, `(L, Dv)`. The largest cases have scores in the hundreds.""",
        stub=answers.stub_of(answers.CAUSAL_ATTENTION),
        code=answers.CAUSAL_ATTENTION,
        inputs=answers.qkv,
        reference=answers.mask_first,
        sizes=(1, 2, 3, 5, 8),
        diagnose=named_fault,
        mistakes=(
            CodeMistake(
                "no mask",
                edited(answers.CAUSAL_ATTENTION, (answers.MASKED, "")),
                "Every row reads every position. Row 0 must be $\\mathbf{v}_0$.",
            ),
            CodeMistake(
                "mask after the softmax",
                edited(
                    answers.CAUSAL_ATTENTION,
                    (answers.MASKED, ""),
                    ("return weights", "return np.tril(weights)"),
                ),
                "The mask comes after the softmax: rows add up to less than 1, and future keys still stand "
                "in the denominator.",
            ),
            CodeMistake(
                "divided too late",
                edited(
                    answers.CAUSAL_ATTENTION,
                    (answers.MASKED, ""),
                    (
                        "return weights",
                        "weights = np.tril(weights)\n    return weights / weights.sum(axis=1, keepdims=True)",
                    ),
                ),
                "In exact arithmetic this is right. With large scores a future score takes all the weight, "
                "the past rounds to 0, and 0 divided by 0 is NaN. Mask before the softmax.",
            ),
            CodeMistake(
                "no shift",
                edited(answers.CAUSAL_ATTENTION, (" - scores.max(axis=1, keepdims=True)", "")),
                "The exponentials overflow. Subtract the largest allowed score of the row first.",
            ),
            CodeMistake(
                "masked with zeros",
                edited(answers.CAUSAL_ATTENTION, ("-np.inf", "0")),
                "The future scores are 0, and a score of 0 is not a weight of 0. Put $-\\infty$ there.",
            ),
            CodeMistake(
                "left itself out",
                edited(answers.CAUSAL_ATTENTION, ("dtype=bool)", "dtype=bool), k=-1")),
                "The diagonal is masked: a token may read itself, and row 0 has nothing else.",
            ),
            CodeMistake(
                "upside down",
                edited(answers.CAUSAL_ATTENTION, ("np.tril", "np.triu")),
                "The triangle is upside down: row $i$ reads $i$ and what comes after it.",
            ),
            CodeMistake(
                "no scale",
                edited(answers.CAUSAL_ATTENTION, (" / np.sqrt(D)", "")),
                "The scores are not divided by $\\sqrt{D}$.",
            ),
        ),
        hints=(
            "`np.tril` of a matrix of ones is the mask.",
            "`np.where(mask, scores, -np.inf)`, then the stable softmax of each row.",
        ),
    ),
    PickTerms(
        id="ch03-debugging",
        title="Debugging a Causal Attention Calculation",
        difficulty=1,
        minutes=2,
        prompt=r"""
A developer builds an autoregressive model and finds a bug. In a sequence of 4 tokens, at positions 0 to
3, the attention output of position 2 is computed as below. Click the term that violates the principle of
causal attention.""",
        lead=r"$\mathbf{o}_2 =$",
        terms=(
            r"$0.1\,\mathbf{v}_0$",
            r"$0.2\,\mathbf{v}_1$",
            r"$0.6\,\mathbf{v}_2$",
            r"$0.1\,\mathbf{v}_3$",
        ),
        answer={3},
        mistakes=(
            Mistake("its own value", {2}, "Position 2 may read itself: what it predicts is position 3."),
            Mistake(
                "itself and the future",
                {2, 3},
                "Half right: position 3 is the future. But position 2 may read itself.",
            ),
            Mistake(
                "the other 0.1",
                {0},
                "The weight is the same, 0.1. But position 0 lies in the past of position 2.",
            ),
            Mistake(
                "both small ones",
                {0, 3},
                "The size of a weight is not the question. Which of the two positions lies ahead of 2?",
            ),
        ),
        why="Position 3 comes after position 2, and is what position 2 has to predict.",
        hints=("Compare each position with 2.",),
        solution=r"The term $0.1\,\mathbf{v}_3$: the sum for position 2 runs over $j = 0, 1, 2$.",
    ),
    Vector(
        id="ch03-debugging-repair",
        title="Debugging, second part: the repair",
        difficulty=2,
        minutes=4,
        prompt=r"""
In the buggy sum the weights of position 2 are $<<alpha>>$, the softmax of four scores. Now the future
score is masked before the softmax. The other scores stay as they are.

What are the three weights of positions 0, 1 and 2? You may type fractions.""",
        data={"alpha": [0.1, 0.2, 0.6, 0.1]},
        vary=answers.other_weights,
        label="Three weights",
        answer=answers.divided,
        mistakes=(
            Mistake(
                "deleted the term",
                lambda d: d.alpha[:3],
                "<<value>> adds up to <<left>>. Without the future score the denominator is smaller, so "
                "every weight grows.",
            ),
            Mistake(
                "shared equally",
                lambda d: d.alpha[:3] + d.alpha[3] / 3,
                "You gave each a third of what was lost. The powers $e^{s_j}$ stay in their proportion, so "
                "the weights do too.",
            ),
            Mistake(
                "gave it to itself",
                lambda d: d.alpha[:3] + [0, 0, d.alpha[3]],
                "The lost weight does not go to position 2 alone: the weights keep their proportion.",
            ),
            Mistake(
                "a second softmax",
                lambda d: softmax(d.alpha[:3]),
                "<<value:.2f>> is the softmax of the weights. The softmax is taken once, of the scores.",
            ),
        ),
        derive=lambda d: {"left": d.alpha[:3].sum()},
        why="The past keeps its proportions and adds up to 1.",
        hints=(
            "A weight is its power $e^{s_j}$ divided by the sum of powers. What becomes of the sum when "
            "one score is $-\\infty$?",
            "The proportion between the three weights does not change. Which common factor makes them add "
            "up to 1?",
        ),
        solution=r"""
The three powers keep their proportion, and the sum below them is smaller by the factor <<left>>. So each
weight is divided by <<left>>: $<<answer:.3f>>$. For 0.1, 0.2, 0.6 that is
$\frac{1}{9}, \frac{2}{9}, \frac{6}{9}$.""",
    ),
    Explain(
        id="ch03-debugging-why",
        title="Debugging, third part: the reason",
        difficulty=2,
        minutes=5,
        prompt=r"""
Explain to the developer why the term $0.1\,\mathbf{v}_3$ is wrong in an autoregressive model, and why it
is not enough to delete it.""",
        rubric=(
            "Position 2 is trained to predict the token at position 3, so reading it is copying the answer.",
            "When the model generates, position 3 does not exist yet: training and use would differ.",
            "After the deletion the weights add up to 0.9, so the output is too short.",
            "The score of position 3 still stands in the denominator, so the key of the future token still "
            "moves the output.",
            "The repair is to mask the score before the softmax: the weights become 1/9, 2/9, 6/9.",
        ),
        hints=(
            "Say what position 2 has to predict.",
            "Then ask what the numbers 0.1, 0.2, 0.6 were divided by.",
        ),
        solution=r"""
Position 2 has to predict token 3. If its output may contain $\mathbf{v}_3$, the model can learn to copy
the answer, and its loss in training says nothing. When it generates, there is no token 3 to copy.

Deleting the term leaves $0.1 + 0.2 + 0.6 = 0.9$, so the output shrinks. Worse, the three weights were
divided by a sum that contains $e^{s_3}$: they still depend on the future key. The mask belongs before the
softmax. Then the weights are $\frac{1}{9}, \frac{2}{9}, \frac{6}{9}$.""",
    ),
    Choice(
        id="ch03-float",
        title="Renormalised, in float32",
        difficulty=2,
        minutes=3,
        prompt=r"""
The scores of a query are $[0, 0, 0, 120]$ in float32, and position 3 is its future. Somebody takes the
softmax of all four, drops the last weight, and divides the other three by their sum. What comes out?""",
        options=(
            Wrong(
                "`[0.333, 0.333, 0.333]`",
                "In exact arithmetic, yes. In float32 the three weights were rounded to 0 before the "
                "division.",
            ),
            Wrong("`[0, 0, 0]`", "The three weights are 0, and so is their sum. What is 0 divided by 0?"),
            Right("`[nan, nan, nan]`"),
            Wrong(
                "`[inf, inf, inf]`",
                "A number above 0 divided by 0 gives infinity. Here the number above is 0 too.",
            ),
        ),
        why="The weights underflow to 0, and 0 divided by 0 is NaN.",
        hints=("The past weights are about $e^{-120}$. The smallest positive float32 is about $10^{-45}$.",),
        solution=r"""
$e^{-120} \approx 10^{-52}$ is 0 in float32. So the three weights are 0, their sum is 0, and the division
gives NaN. Masked first, the largest score is 0 and each weight is $\frac{1}{3}$.""",
    ),
    Number(
        id="ch03-kept-mass",
        title="A key that should not matter",
        difficulty=2,
        minutes=4,
        prompt=r"""
The mask is applied after the softmax, and nothing is divided again. The past scores of a query are
$<<past>>$. The score of the one future key rises from 0 to <<s>>.

What do the three past weights add up to now?""",
        data={"past": [0, 0, 0], "s": 3},
        vary=lambda rng: {"past": rng.integers(-1, 3, 3), "s": float(rng.integers(2, 9)) / 2},
        derive=lambda d: {"before": answers.kept(d.past, 0)},
        answer=lambda d: answers.kept(d.past, d.s),
        mistakes=(
            Mistake(
                "thought nothing leaks",
                1,
                "That is the sum when the mask comes before the softmax. Here the future power stands in "
                "the denominator.",
            ),
            Mistake(
                "unchanged",
                lambda d: d.before,
                "<<value:.2f>> is the sum while the future score is 0. It has risen to <<s>>.",
            ),
            Mistake(
                "what was lost",
                lambda d: 1 - answers.kept(d.past, d.s),
                "<<value:.2f>> is the weight that was dropped. How much is left?",
            ),
        ),
        why="The value of the future token was never read, and yet its key moved every weight.",
        hints=("Write the four powers and divide the past ones by the sum of all.",),
        solution=r"""
The powers of the past scores stay, the future one grows from 1 to $e^{<<s>>}$. The share that is kept
falls from <<before:.2f>> to <<answer:.2f>>, and the output shrinks by the same factor.""",
    ),
    Choices(
        id="ch03-late-leak",
        title="What moves row 2?",
        difficulty=2,
        minutes=3,
        prompt=r"""
Four tokens. The mask is applied after the softmax, without dividing again. Tick everything whose change
can move the output $\mathbf{o}_2$.""",
        options=(
            Right(r"the key $\mathbf{k}_1$"),
            Wrong(
                r"the value $\mathbf{v}_3$",
                r"$\mathbf{v}_3$ has the weight 0 in row 2. It is never read; the leak takes another way.",
            ),
            Right(r"the key $\mathbf{k}_3$"),
            Wrong(r"the query $\mathbf{q}_3$", r"$\mathbf{q}_3$ enters row 3 and no other."),
            Right(r"the value $\mathbf{v}_0$"),
        ),
        why="The future key stands in the denominator, though its value is never read.",
        hints=("Write the weight $\\alpha_{2,0}$ as a fraction. Which scores stand in it?",),
        solution=r"""
$\mathbf{v}_0$ and $\mathbf{k}_1$ belong to the past and may move it. $\mathbf{k}_3$ moves it through the
sum of powers: that is the leak. $\mathbf{v}_3$ and $\mathbf{q}_3$ do not occur in row 2.""",
    ),
    Choice(
        id="ch03-perturb",
        title="A test that is too weak",
        difficulty=2,
        minutes=3,
        prompt=r"""
A tester changes the values of all future positions by a large amount and sees that no earlier output
moves. Which of these functions passes the test although it reads the future?""",
        options=(
            Wrong(
                "no mask at all",
                "Its rows give weight to future values, so they move: the test finds it.",
            ),
            Right("mask after the softmax, not divided again"),
            Wrong(
                "a triangle upside down",
                "Its rows read the future values, so they move: the test finds it.",
            ),
            Wrong("mask before the softmax", "It passes, and it should: it does not read the future."),
        ),
        why="It leaks through future keys alone, so the keys have to be changed too.",
        hints=("Which of the four reads something of a future position, but not its value?",),
        solution="""
Masked after the softmax, future values have weight 0 and future keys stand in the denominator. Change both
keys and values.""",
    ),
    PickTokens(
        id="ch03-key-jacobian",
        title="Which keys move which output?",
        difficulty=3,
        minutes=4,
        prompt=r"""
Healthy causal attention of 3 tokens. Row $i$ of the grid is the output $\mathbf{o}_i$, column $j$ the key
$\mathbf{k}_j$. Mark every cell where a change of $\mathbf{k}_j$ can move $\mathbf{o}_i$.""",
        tokens=3,
        rows=3,
        name="keys",
        answer=lambda d: answers.moves_by_key(3),
        mistakes=(
            Mistake(
                "the whole triangle",
                [{0}, {0, 1}, {0, 1, 2}],
                "Nearly. Row 0 has one weight, and one weight is 1 whatever the key: "
                "$\\mathbf{o}_0 = \\mathbf{v}_0$.",
            ),
            Mistake(
                "no diagonal",
                [set(), {0}, {0, 1}],
                "A token reads itself, so its own key enters its weights, in rows with a choice.",
            ),
            Mistake(
                "upside down",
                [{0, 1, 2}, {1, 2}, {2}],
                "That is the future. Rows are queries: row $i$ reads 0 to $i$.",
            ),
            Mistake("everything", [{0, 1, 2}] * 3, "Then row 0 would read the future."),
        ),
        why="The triangle, without the corner: row 0 has no choice.",
        hints=("Row 0 has how many weights? What must they add up to?",),
        solution=r"""
Rows 1 and 2 depend on all keys up to their own. Row 0 has one weight, which is 1, so no key moves it. A
test by keys alone says nothing about row 0 in its own past; the value $\mathbf{v}_0$ moves it.""",
    ),
    Code(
        id="ch03-causality-test",
        title="Write the test",
        difficulty=3,
        minutes=12,
        prompt="""
Write a test of causality. `attention(query, key, value)` is the function under test and gives outputs
`(L, Dv)`. Return `True` if changing keys or values at positions `t, t + 1, ...` moves an output before
row `t` by more than `1e-9`, else `False`. Do not write into the arrays that you are given.""",
        stub=answers.stub_of(answers.CAUSALITY_TEST),
        code=answers.CAUSALITY_TEST,
        inputs=answers.a_suspect,
        reference=answers.any_output_before_moves,
        sizes=(1, 2, 3, 4, 5, 6),
        mistakes=(
            CodeMistake(
                "values only",
                edited(answers.CAUSALITY_TEST, ("    other_key[t:] += 1\n", "")),
                "You change the values alone. A function that masks after the softmax reads future keys and "
                "no future value.",
            ),
            CodeMistake(
                "one row too many",
                edited(answers.CAUSALITY_TEST, ("[:t]", "[: t + 1]")),
                "Row `t` reads position `t`, its own, and may move. Stop before it.",
            ),
            CodeMistake(
                "all rows",
                edited(answers.CAUSALITY_TEST, ("[:t]", "")),
                "You compare all rows. Rows from `t` on may read what you changed; "
                "look at the rows before `t`.",
            ),
        ),
        hints=(
            "Copy both arrays, change rows `t:` of both, call the function twice.",
            "Compare the rows `:t` of the two results.",
        ),
    ),
    PickTokens(
        id="ch03-order",
        title="A swap in the past",
        difficulty=3,
        minutes=3,
        prompt=r"""
One layer of causal attention, and nothing tells a token its position. The tokens at positions 0 and 1
change places; keys, values and queries move with them. Click every position whose output is sure to stay
what it was.""",
        tokens=answers.SENTENCE,
        name="unchanged",
        answer={2, 3},
        mistakes=(
            Mistake(
                "only the last",
                {3},
                "Position 3 is right. Position 2 reads the same three pairs as before, too.",
            ),
            Mistake(
                "all",
                {0, 1, 2, 3},
                "Blind to order means: the same pairs, the same output. Position 0 now reads another pair.",
            ),
            Mistake(
                "all but the first",
                {1, 2, 3},
                "Position 1 reads both tokens, in both orders. But the query that stands there is another "
                "one.",
            ),
            Mistake(
                "none",
                set(),
                "The output is a sum over pairs, and a sum does not depend on the order of its terms. "
                "Which rows have the same query and the same pairs?",
            ),
        ),
        why="Same query, same pairs, in another order: the sum is the same.",
        hints=("An output depends on a query and a collection of pairs. Where are both the same as before?",),
        solution=r"""
Positions 2 and 3 keep their query and read the same pairs in another order, so their sums are the same.
Position 0 reads another pair, and position 1 asks with another query.""",
    ),
]
