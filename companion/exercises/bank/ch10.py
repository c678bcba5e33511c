"""Chapter 10, Choosing G from the content. Answers and mistakes are computed wherever they can be."""

from functools import partial

import numpy as np

from companion.exercises.answers import ch10 as answers
from companion.exercises.answers.oracles import output_of_numbers
from companion.exercises.diagnosis import named_fault
from companion.exercises.kinds import (
    Choice,
    Choices,
    Code,
    CodeMistake,
    Explain,
    Mistake,
    Number,
    PickTokens,
    Right,
    Vector,
    Wrong,
    edited,
)
from companion.indices import topk
from companion.patterns import sliding_window
from companion.reference import softmax

__all__ = ["EXERCISES"]

EXERCISES = [
    Number(
        id="ch10-scores-first",
        title="Before you know the largest",
        difficulty=1,
        minutes=2,
        prompt=r"""
The query at position $i = <<i>>$ is to read the top <<k>> by score, and nothing else. How many of its
scores must be computed before you know which <<k>> these are?""",
        data={"i": 9, "k": 2},
        vary=lambda rng: {"i": int(rng.integers(12, 400)), "k": int(rng.integers(2, 9))},
        answer=lambda d: d.i + 1,
        tolerance=0.1,
        mistakes=(
            Mistake(
                "only those that are kept",
                lambda d: d.k,
                "<<value>> scores are used in the end. To know that no other is larger, you need the others"
                " too.",
            ),
            Mistake(
                "forgot itself",
                lambda d: d.i,
                "<<value>> leaves out the token itself. Positions 0 to $i$ are $i + 1$ positions.",
            ),
            Mistake(
                "one too few",
                lambda d: d.i + 1 - d.k,
                "<<value>> is the number of scores that lose. You learn that they lose by computing them.",
            ),
        ),
        why="Any score that you have not seen could be the largest: all i + 1 of them are needed.",
        hints=(
            "Suppose one score was never computed. Can you be sure that it is not the largest?",
            "Which positions may a query at position $i$ read?",
        ),
        solution=r"""
The query may read positions 0 to <<i>>, and each of these scores could be the largest. All <<answer>> are
needed. Top-k saves the reading of values, not the reading of keys.""",
    ),
    Vector(
        id="ch10-row-zero",
        title="Top 4 of one",
        difficulty=1,
        minutes=2,
        prompt=r"""
Attention is causal, and `topk(scores, 4)` returns four integers for each row. What does it return for
row 0 of a sentence of six tokens? Type four numbers.""",
        data={"s": [0.3, 2.0, 1.0, 0.1, 1.5, 0.7], "i": 0, "k": 4},
        label="Row 0",
        answer=lambda d: answers.chosen(d.s, d.i, d.k),
        mistakes=(
            Mistake(
                "the first four",
                [0, 1, 2, 3],
                "Positions 1, 2 and 3 lie in the future of row 0. A row that has fewer than 4 positions is"
                " filled up with -1.",
            ),
            Mistake(
                "its own four times",
                [0, 0, 0, 0],
                "That would count position 0 four times. A set holds each position once.",
            ),
            Mistake(
                "nothing at all",
                [-1, -1, -1, -1],
                "Row 0 may read itself. One slot is alive.",
            ),
            Mistake(
                "itself last",
                [-1, -1, -1, 0],
                "The right set. `topk` puts the largest score first and fills up behind it.",
            ),
        ),
        why="One position is allowed, so one slot holds it and three are dead.",
        hints=("Which positions may row 0 read?", "What stands in a slot that has nothing to hold?"),
        solution=r"""
Row 0 may read position 0 and no other. One slot holds it and the others are filled up: $<<answer>>$. The
scores do not matter here.""",
    ),
    Vector(
        id="ch10-ties",
        title="Three that are equal",
        difficulty=2,
        minutes=3,
        prompt=r"""
A row of scores is $<<s>>$ for positions 0 to 5. The query is at position $i = <<i>>$, and attention is
causal. What does `topk` return for $k = <<k>>$? Type the positions in its order.""",
        data={"s": [1, 4, 2, 4, 4, 9], "i": 4, "k": 2},
        label="Positions",
        answer=lambda d: answers.chosen(d.s, d.i, d.k),
        mistakes=(
            Mistake(
                "the future too",
                lambda d: answers.chosen(d.s, len(d.s) - 1, d.k),
                "<<value>> holds position 5, which has the largest score of all and lies in the future of"
                " position 4.",
            ),
            Mistake(
                "the later one wins",
                [4, 3],
                "Three positions tie, and two are wanted. The rule of this book: the smaller index wins.",
            ),
            Mistake(
                "the ends of the tie",
                [1, 4],
                "Position 1 is right. Of positions 3 and 4, which have equal scores, the smaller index wins.",
            ),
        ),
        why="Positions 1, 3 and 4 tie, and the smaller indices win.",
        hints=("Cross out what position 4 may not read.", "Which two of the three equal scores come first?"),
        solution=r"""
Position 5 is the future. Of the others the scores at 1, 3 and 4 are the largest and equal. The smaller
indices win: $<<answer>>$. Without such a rule two programs, or two runs of one, may read different keys.""",
    ),
    Number(
        id="ch10-best-one",
        title="The best single position",
        difficulty=2,
        minutes=4,
        prompt=r"""
Three positions have the weights $<<alpha>>$ and the values $<<v>>$, one number each. You may keep one
position; its weight then becomes 1. Which position gives the output nearest to the full one? Type its
number.""",
        data={"alpha": [0.4, 0.35, 0.25], "v": [0, 10, 3]},
        derive=lambda d: {"o": output_of_numbers(d), "off": answers.errors_of_one(d)},
        tolerance=0.1,
        label="Position",
        answer=lambda d: answers.errors_of_one(d).argmin(),
        mistakes=(
            Mistake(
                "the largest weight",
                lambda d: d.alpha.argmax(),
                "That is what top-k keeps, and its error is <<off[0]:.2f>>. It keeps the most mass. The"
                " output that is left is $v_0$ alone.",
            ),
            Mistake(
                "the largest term",
                lambda d: (d.alpha * d.v).argmax(),
                "That is the largest term of the sum. Kept alone it has the weight 1, and its error is"
                " <<off[1]:.2f>>.",
            ),
        ),
        why="The value nearest to the output has the smallest weight.",
        hints=(
            "Compute the full output first.",
            "With one position kept, the output is its value. Which value is nearest?",
        ),
        solution=r"""
The full output is $0.4 \cdot 0 + 0.35 \cdot 10 + 0.25 \cdot 3 = <<o>>$. The errors of keeping one position
are $<<off>>$. The best is position <<answer>>, the one with the smallest weight. Top-k maximises the mass
$Z_G$. It does not minimise the error, and cannot: it never looks at a value.""",
    ),
    Choice(
        id="ch10-outside",
        title="A key that was not read",
        difficulty=2,
        minutes=3,
        prompt=r"""
The scores of a query at position 4 are $<<s>>$. It reads $G = \{1, 3\}$. Somebody changes key <<j>>, so
that its score becomes <<new>>. Does the output change?""",
        data={"s": [1.0, 5.0, 2.0, 4.0, 3.0], "i": 4, "k": 2, "j": 0, "new": 6.0},
        derive=lambda d: {"after": answers.entering(d)},
        options=(
            Wrong(
                "No: position 0 is not in $G$, and what is outside $G$ cannot influence.",
                "That holds if $G$ is fixed, a window for example. If $G$ is the top 2 by score, the new"
                " score puts position 0 into it.",
            ),
            Wrong(
                "Yes: every key stands in the denominator of the softmax.",
                "The softmax runs over $G$ alone. A key outside $G$ is in no denominator.",
            ),
            Right("It depends on how $G$ came about: not if it is fixed, yes if it is the top 2 by score."),
            Wrong(
                "Yes, but by little, since its weight was small before.",
                "If $G$ is chosen, the change is a jump: position 0 enters with the largest weight, and"
                " another position leaves.",
            ),
        ),
        why="A chosen set is itself a function of all keys.",
        hints=("Compute the top 2 again, with the new score.",),
        solution=r"""
With a fixed $G$ the key is not read. Under top 2 by score the set becomes <<after>>: position 0 enters,
position 3 leaves, and the output jumps. In a chosen set every key that could be chosen has influence, through
the choice.""",
    ),
    Number(
        id="ch10-halved",
        title="What exact top-k can save",
        difficulty=2,
        minutes=4,
        prompt=r"""
One query, <<n>> cached tokens, keys and values of $D = <<D>>$ numbers. Dense attention reads all keys and
all values. Top <<k>> by score reads all keys, and then only the values of the <<k>> winners.

By which factor are there fewer numbers to read? Give two decimals.""",
        data={"n": 4096, "D": 64, "k": 16},
        vary=lambda rng: {
            "n": int(rng.choice([1024, 2048, 8192])),
            "D": int(rng.choice([32, 64, 128])),
            "k": int(rng.choice([8, 64, 128])),
        },
        answer=lambda d: answers.bytes_of(d, choosing=0, kept=d.n) / (d.n * d.D + d.k * d.D),
        mistakes=(
            Mistake(
                "the winners alone",
                lambda d: d.n / d.k,
                "<<value>> would be true if nothing were read in order to choose. All <<n>> keys are read to"
                " find the winners.",
            ),
            Mistake(
                "the wrong way round",
                lambda d: (d.n * d.D + d.k * d.D) / answers.bytes_of(d, choosing=0, kept=d.n),
                "<<value:.2f>> is the share that is still read. The factor is 1 over it.",
            ),
        ),
        why="Half of the numbers are keys, and all keys are read: the factor stays below 2.",
        hints=(
            "Dense: $2 n D$ numbers.",
            "Top-k: $n D$ for the keys, and the values of the winners.",
        ),
        solution=r"""
Dense reads $2 \cdot <<n>> \cdot <<D>>$ numbers. Top-k reads $<<n>> \cdot <<D>> + <<k>> \cdot <<D>>$. The
factor is $\frac{2 n}{n + k} = <<answer:.4f>>$. However small $k$ is, it stays below 2.""",
    ),
    Number(
        id="ch10-block-mean",
        title="What a mean hides",
        difficulty=2,
        minutes=4,
        prompt=r"""
Eight keys lie in two blocks of four. Their scores for one query are $<<a>>$ in block A and $<<b>>$ in
block B. You read one block, the one with the larger mean score. How much of the mass lies in the block that
you do not read? Give three decimals.""",
        data={"a": [9, -9, -9, -9], "b": [1, 1, 1, 1]},
        derive=lambda d: {"means": [d.a.mean(), d.b.mean()]},
        tolerance=0.0005,
        label="Mass not read",
        answer=lambda d: answers.block_masses(d)[0],
        mistakes=(
            Mistake(
                "the other block",
                lambda d: answers.block_masses(d)[1],
                "<<value:.3f>> is the mass of block B. Block B has the larger mean, so it is the one that is"
                " read.",
            ),
            Mistake(
                "softmax of the means",
                lambda d: softmax(d.means)[0],
                "<<value:.3f>> is the share of block A if each block were as heavy as its mean says. Compute"
                " the mass from the eight scores.",
            ),
            Mistake(
                "half",
                0.5,
                "The blocks have equally many keys, but not equal mass. Take the exponentials of the scores.",
            ),
        ),
        why="One score of 9 outweighs everything else, and three scores of -9 hide it in the mean.",
        hints=(
            "Which block is read? Compare the two means.",
            "The mass of a block is the sum of the exponentials of its scores, over the sum of all eight.",
        ),
        solution=r"""
The means are <<means[0]>> and <<means[1]>>, so block B is read. The exponentials of block A add up to $e^9 +
3 e^{-9}$, those of block B to $4 e$. The share of A is <<answer:.4f>>: the mean hides 99.9 percent of the
mass.""",
    ),
    Number(
        id="ch10-bound",
        title="The best that a block could hold",
        difficulty=2,
        minutes=4,
        prompt=r"""
Of a block of keys you know only, for each coordinate, the smallest and the largest number that occurs: the
smallest are $<<low>>$, the largest $<<high>>$. The query is $<<q>>$.

No dot product of the query with a key of this block can be larger than which number?""",
        data={"q": [2, -1], "low": [-1, -3], "high": [2, 1]},
        answer=answers.block_bound,
        mistakes=(
            Mistake(
                "the largest coordinates",
                lambda d: d.q @ d.high,
                "<<value>> uses the largest number of each coordinate. Where the query is negative, the"
                " smallest number gives the largest product.",
            ),
            Mistake(
                "the smallest coordinates",
                lambda d: d.q @ d.low,
                "<<value>> uses the smallest number of each coordinate. Where the query is positive, the"
                " largest gives more.",
            ),
            Mistake(
                "the middle",
                lambda d: d.q @ (d.low + d.high) / 2,
                "<<value>> is the dot product with the middle of the block. A key in a corner can have more.",
            ),
        ),
        why="Each coordinate takes the end that suits the query best.",
        hints=(
            "Go coordinate by coordinate. Which number between the ends gives the largest product?",
            "The second coordinate of the query is negative.",
        ),
        solution=r"""
Coordinate 0: the query has 2, the best number is the largest, 2, which gives 4. Coordinate 1: the query
has -1, the best number is the smallest, -3, which gives 3. Together <<answer>>. There need be no key with
this score. But no key can have a larger one, so no peak is hidden.""",
    ),
    PickTokens(
        id="ch10-own-block",
        title="Two blocks for one query",
        difficulty=2,
        minutes=4,
        prompt=r"""
Twelve tokens lie in blocks of <<size>>. The query is at position $i = <<i>>$. It reads two blocks: its own,
always, and of the blocks before it the one with the larger mean score. The mean scores of blocks 0 and 1 are
<<means[0]>> and <<means[1]>>. Attention is causal. Click every position that it reads.""",
        data={"i": 9, "size": 4, "means": [0.2, 0.7]},
        tokens=12,
        answer=lambda d: answers.own_and(int(np.argmax(d.means)), d),
        mistakes=(
            Mistake(
                "the whole of its own block",
                lambda d: answers.own_and(1, d) | {10, 11},
                "Positions 10 and 11 lie in the query's own block and in its future. The causal rule still"
                " holds inside a block.",
            ),
            Mistake(
                "the best of the past alone",
                {4, 5, 6, 7},
                "The own block is always read: positions 8 and 9 are missing.",
            ),
            Mistake(
                "the two blocks before",
                set(range(8)),
                "These are blocks 0 and 1. One of the two blocks is the query's own.",
            ),
            Mistake(
                "the smaller mean",
                lambda d: answers.own_and(0, d),
                "Block 0 has the smaller mean score.",
            ),
        ),
        why="Its own block up to itself, and the better of the two before it.",
        hints=("In which block does position 9 lie?", "Which positions of that block may it read?"),
        solution=r"""
Position 9 lies in block 2, positions 8 to 11, and may read 8 and 9 of it. Block 1 has the larger mean. So
$G = <<answer>>$. The mean of the own block is never computed: it would hold keys of the future.""",
    ),
    Code(
        id="ch10-top-k",
        title="Choose, and never too much",
        difficulty=2,
        minutes=8,
        prompt=r"""
Write `top_k_indices(scores, k)`. `scores` has the shape `(n, n)`: row $i$ holds the scores of query $i$,
those of the future included. Return an integer array `(n, k)`: in row $i$ the positions of the $k$ largest
scores among positions 0 to $i$, the largest first; of equal scores the smaller index first; -1 in slots that
stay empty.""",
        stub=answers.TOPK_STUB,
        code=answers.TOPK_CODE,
        inputs=answers.tied_scores,
        reference=lambda scores, k: topk(scores, k).array,
        mistakes=(
            CodeMistake(
                "looked ahead",
                edited(answers.TOPK_CODE, ("row[: i + 1]", "row")),
                "The scores of the future took part. Cut the row after position $i$ before you sort.",
            ),
            CodeMistake(
                "filled up from the future",
                edited(
                    answers.TOPK_CODE, ("-row[: i + 1]", "np.where(np.arange(len(row)) <= i, -row, np.inf)")
                ),
                "The future is sorted behind the past, but where the past is too short it fills the slots."
                " An empty slot holds -1.",
            ),
            CodeMistake(
                "excluded itself",
                edited(answers.TOPK_CODE, ("row[: i + 1]", "row[:i]")),
                "No query chooses itself. Position $i$ is among those that it may read.",
            ),
            CodeMistake(
                "smallest first",
                edited(answers.TOPK_CODE, ("-row[: i + 1]", "row[: i + 1]")),
                "These are the smallest scores. `argsort` sorts from small to large.",
            ),
            CodeMistake(
                "the larger index wins",
                edited(answers.TOPK_CODE, ("-row", "row"), ('"stable")', '"stable")[::-1]')),
                "Where scores are equal, the larger index came first: reversing a sorted row reverses its"
                " ties too. Sort the negative scores instead.",
            ),
            CodeMistake(
                "filled up with 0",
                edited(answers.TOPK_CODE, ("(len(scores), k), -1", "(len(scores), k), 0")),
                "Empty slots hold 0, which is a position. They must hold -1.",
            ),
        ),
        why="No future, ties by the smaller index, and empty slots that say so.",
        hints=(
            "Work on one row: which part of it may query $i$ see?",
            '`np.argsort(-x, kind="stable")` sorts from large to small and leaves ties in their order.',
            "Start from an array filled with -1, and write as many positions as there are.",
        ),
        solution="Cut, sort stably by falling score, and write what there is over an array of -1.",
    ),
    Code(
        id="ch10-attend-over",
        title="Over indices, without a loop",
        difficulty=3,
        minutes=15,
        prompt=r"""
Chapter 7 did this for one head. Now write `attend_over(query, key, value, indices)` in NumPy for all heads
and sentences at once, without a loop over tokens. `query`, `key` and `value` have the shape
`(batch, heads, tokens, dim)`. `indices` has the shape `(tokens, k)`: row $i$ lists the positions that query
$i$ reads, each once, in any order, the same for all heads; -1 is an empty slot. Scores are divided by the
root of `dim`. A row without any position has output 0.""",
        stub=answers.ATTEND_STUB,
        code=answers.ATTEND_CODE,
        inputs=answers.a_choice,
        reference=answers.over_indices,
        mistakes=(
            CodeMistake(
                "read -1 as the last key",
                edited(answers.ATTEND_CODE, ("kept = indices >= 0", "kept = indices >= -1")),
                "NumPy reads index -1 as the last position, so empty slots read the last token, which lies in"
                " the future of most queries. Mask them.",
            ),
            CodeMistake(
                "an empty slot has the score 0",
                edited(
                    answers.ATTEND_CODE, ("np.where(kept, scores, -np.inf)", "np.where(kept, scores, 0.0)")
                ),
                "Empty slots have the score 0, and the exponential of 0 is 1: they take weight. Give them"
                " minus infinity.",
            ),
            CodeMistake(
                "empty slots read position 0",
                edited(answers.ATTEND_CODE, ("scores = np.where(kept, scores, -np.inf)\n", "\n")),
                "Empty slots were sent to position 0 and then counted. Mask their scores.",
            ),
            CodeMistake(
                "masked too late",
                edited(
                    answers.ATTEND_CODE,
                    ("scores = np.where(kept, scores, -np.inf)\n", "\n"),
                    ("(weights[..., None] * V)", "(np.where(kept, weights, 0)[..., None] * V)"),
                ),
                "The empty slots are dropped after the softmax, so the weights of the others add up to less"
                " than 1. The mask belongs before it.",
            ),
            CodeMistake(
                "values not gathered",
                edited(answers.ATTEND_CODE, ("value[:, :, place]", "value[:, :, None, : place.shape[1]]")),
                "The weights meet the first `k` values, whatever the indices say. Gather the values with the"
                " same indices as the keys.",
            ),
            CodeMistake(
                "NaN in the empty row",
                edited(
                    answers.ATTEND_CODE,
                    ("np.where(peak == -np.inf, 0, peak)", "peak"),
                    ("np.where(total == 0, 1, total)", "total"),
                ),
                "A row of empty slots alone gives NaN: its maximum is minus infinity, and minus infinity"
                " minus itself is NaN. Its output is 0.",
            ),
            CodeMistake(
                "no scale",
                edited(answers.ATTEND_CODE, (" / query.shape[-1] ** 0.5", "")),
                "The scores are not divided by the root of `dim`.",
            ),
        ),
        diagnose=partial(
            named_fault,
            pattern=sliding_window(4),
            style="indices",
            layout="BHLD",
            kind="numpy",
            skip=("duplicates",),  # the task promises that there are none
        ),
        why="Every row equals attention under the mask that the indices describe.",
        hints=(
            "`key[:, :, place]` with `place` of shape `(tokens, k)` is `(batch, heads, tokens, k, dim)`.",
            "Let empty slots gather some position that exists, and set their scores to minus infinity.",
            "The sum of the exponentials is 0 in a row of empty slots alone. Divide by 1 there.",
        ),
        solution=r"""
Gather keys and values, `(batch, heads, tokens, k, dim)`, score, mask the empty slots, softmax over the slots,
weighted sum. It reads $n k$ pairs. Whether it is faster than a mask is another question: chapter 12.""",
    ),
    Number(
        id="ch10-nudge",
        title="Nudge the selector",
        difficulty=2,
        minutes=3,
        prompt=r"""
Two positions have the cheap scores $<<z>>$ and the values $<<v>>$. The one with the larger cheap score is
read, alone. A parameter of the selector moves so that the first cheap score grows by 0.001. By how much
does the output change?""",
        data={"z": [1.0, 0.6], "v": [10, 3]},
        tolerance=1e-6,
        label="Change",
        answer=lambda d: answers.winner_of_two(d, 0.001) - answers.winner_of_two(d),
        mistakes=(
            Mistake(
                "as if the scores were weights",
                lambda d: 0.001 * softmax(d.z).prod() * (d.v[0] - d.v[1]),
                "<<value:.5f>> is how a softmax over the cheap scores would move. Here the scores decide"
                " which value is read, and enter nothing.",
            ),
            Mistake(
                "score times value",
                lambda d: 0.001 * d.v[0],
                "<<value>> multiplies the change by the value. The cheap score is no factor of the output.",
            ),
            Mistake(
                "the nudge itself",
                0.001,
                "0.001 is the change of the cheap score. Does the winner change?",
            ),
        ),
        why="The winner stays the winner, so the output does not move at all.",
        hints=("Which position is read before the nudge, and which one after it?",),
        solution=r"""
Position 0 is read before and after. The output is $v_0 = 10$ both times, and it has not moved at all. So it
stays until the two cheap scores cross, and there it jumps. The loss of the model tells the selector
nothing.""",
    ),
    Choices(
        id="ch10-who-trains",
        title="Who trains the selector?",
        difficulty=3,
        minutes=4,
        prompt=r"""
A selector with parameters of its own makes cheap scores; the top 16 are read. Which of these give its
parameters a gradient that is not 0? Tick all.""",
        options=(
            Wrong(
                "The loss of the language model, through the output over the chosen keys.",
                "The output depends on the parameters only through the set, and a small step does not change"
                " the set: the derivative is exactly 0.",
            ),
            Wrong(
                "The same loss, with a learning rate that is large enough to change the set.",
                "A learning rate multiplies the gradient. Any number times 0 is 0.",
            ),
            Right("A second loss: how far the softmax of the cheap scores is from the attention weights."),
            Right("A branch whose output uses the cheap scores as weights, added to the output with a gate."),
            Right("The straight-through rule: go forward with the hard choice, backward as if it were soft."),
            Wrong(
                "Computing the cheap scores in float64 instead of float16.",
                "The output is a staircase in any precision: flat almost everywhere.",
            ),
        ),
        why="The cheap scores must enter something that is differentiated: a loss, an output, or a stand-in.",
        hints=("Ask of each: where do the cheap scores enter, as numbers?",),
        solution="""
A second loss is what DeepSeek's sparse attention does. A branch that uses the scores as weights is what
Native Sparse Attention has. The straight-through rule replaces the derivative by that of another function;
it is a rule that often works and no derivative of what was computed.""",
    ),
    Choice(
        id="ch10-one-attention",
        title="Three branches, one attention?",
        difficulty=2,
        minutes=3,
        prompt=r"""
Native Sparse Attention adds three branches with gates: over compressed keys, over selected blocks, over a
window. Is the sum equal to one attention over one `IndexSet`, the union of what the branches read?""",
        options=(
            Wrong(
                "Yes: the union of the three sets, by the mixing identity of chapter 7.",
                "The mixing identity needs disjoint sets of positions and the weights $Z_A$ and $1 - Z_A$."
                " Selected blocks and window overlap, and the gates are not these shares.",
            ),
            Wrong(
                "Yes, if the gates add up to 1.",
                "Even then a position that stands in two branches counts twice, and the compressed keys are"
                " no positions.",
            ),
            Right(
                "No: compressed keys are no positions, and each branch has a softmax and a gate of its own."
            ),
            Wrong(
                "No, and no branch equals an attention over an `IndexSet` either.",
                "Two of them do: selected blocks and window are attention, each over a set of its own.",
            ),
        ),
        why="Two branches are attention over a set of positions. The third is not, and the sum is none.",
        hints=(
            "Which position is a compressed key?",
            "What do gates do to a row of weights that adds up to 1?",
        ),
        solution="""
The selected branch and the window branch equal attention, each on its own `IndexSet`. A compressed key
stands for a block, and no position has it. Gates between 0 and 1 need not add up to 1, so the sum can leave
the hull of the values.""",
    ),
    Explain(
        id="ch10-claim",
        title="A selector is praised",
        difficulty=3,
        minutes=8,
        prompt="""
A report says: "Our selector keeps 16 of 256 tokens and 80 percent of the attention mass on average over all
heads. A window of 16 keeps 70 percent. So the selector is better, its error is 20 percent, and attention
costs a sixteenth."

What would you ask, and what does not follow?""",
        rubric=(
            "The average over heads hides that in some heads a window is as good, and in others far worse.",
            "Mass is not error: the values decide, so the error has to be measured.",
            "The cost of choosing is missing: what is read, for each cached key, in order to choose?",
            "Is it one set for all heads, or one for each? The union over heads is larger than 16.",
            "Was the selector fitted on other text than it was tested on?",
            "A measurement on one model of one size says little about another.",
        ),
        hints=("Take the sentence apart: on average, mass, error, costs.",),
        solution="""
I would ask for the numbers by layer and head: where heads look at their neighbourhood a window is as good
and costs nothing to choose. I would ask for errors beside masses, since a mass of 0.8 fixes no error. I would
count what is read in order to choose: an exact top 16 reads every key. I would ask whether the heads share
one set. And I would ask on which text the selector was fitted, and on which model all this was measured.""",
    ),
]
