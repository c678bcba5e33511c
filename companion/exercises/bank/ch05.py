"""Chapter 5, From rows to matrices. Answers and expected mistakes are computed wherever they can be."""

from functools import partial

import numpy as np

from companion.exercises.answers import ch05 as answers
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
    PickTokens,
    Right,
    Vector,
    Wrong,
)
from companion.patterns import causal
from companion.reference import softmax

__all__ = ["EXERCISES"]

EXERCISES = [
    Order(
        id="ch05-order",
        title="From queries to outputs",
        difficulty=1,
        minutes=2,
        prompt=r"""
Put the five steps in order. They start from `Q`, `K` and `V` of one sentence and end at its outputs.""",
        items=(
            "`scores = Q @ K.T`",
            "`scores = scores / D**0.5`",
            "`scores = np.where(mask, scores, -np.inf)`",
            "`A = softmax(scores)`",
            "`outputs = A @ V`",
        ),
        also=((0, 2, 1, 3, 4),),
        mistakes=(
            Mistake(
                "mask after softmax",
                (0, 1, 3, 2, 4),
                "`A` is made before the mask here, so every row of it reads the future. Masking `scores`"
                " afterwards changes nothing in `A`.",
            ),
            Mistake(
                "scale after softmax",
                (0, 2, 3, 1, 4),
                "Dividing after the softmax changes nothing: the weights were made from scores without the"
                " scale.",
            ),
        ),
        why="Scores, scale, mask, softmax, sum. A mask of minus infinity may also come before the scale.",
        hints=(
            "Which steps work on scores, and which on weights?",
            "The mask belongs before the softmax: chapter 3.",
        ),
        solution="""
The scores are made, scaled and masked; then they become weights; then the weights meet the values. Scale
and mask may change places, since minus infinity divided by a positive number is minus infinity.""",
    ),
    Vector(
        id="ch05-axis",
        title="The other axis",
        difficulty=2,
        minutes=3,
        prompt=r"""
All four scores of two tokens are 0. The future is masked with $-\infty$. Somebody writes
`softmax(scores, axis=0)`, so each column adds up to 1.

What are the sums of the two rows? Type row 0, then row 1.""",
        data={"L": 2},
        label="Row sums",
        answer=answers.column_sums_to_one,
        mistakes=(
            Mistake(
                "the right axis",
                lambda d: softmax(answers.masked_zeros(d.L)).sum(axis=1),
                "<<value>> are the row sums when the softmax runs along each row, as it should. Here it runs"
                " down the columns.",
            ),
            Mistake(
                "half of row 1",
                [0.5, 1],
                "Row 1 has two entries: 0.5 from column 0, and what column 1 gives. Add them.",
            ),
            Mistake(
                "rows exchanged",
                lambda d: answers.column_sums_to_one(d)[::-1],
                "Those are the two sums in the wrong order. Row 0 has only its first entry, for its second is"
                " masked.",
            ),
        ),
        why=r"The rows are [0.5, 0] and [0.5, 1]. Neither is a row of attention weights.",
        hints=(
            "Write the 2 by 2 matrix of masked scores.",
            "Column 0 holds two equal scores. Column 1 holds minus infinity and 0.",
        ),
        solution=r"""
Column 0 is shared by two equal scores: 0.5 and 0.5. Column 1 has one finite score, so its lower entry is 1.
The rows are $[0.5, 0]$ and $[0.5, 1]$, with the sums $<<answer>>$. They do not add up to 1, and row 0
depends on a score of query 1, which lies in its future.""",
    ),
    Choice(
        id="ch05-equality",
        title="A test that fails",
        difficulty=2,
        minutes=2,
        prompt=r"""
You replace a loop by a matrix product, in float64. The test `np.array_equal(loop, matrix)` fails. The
largest difference is $4 \cdot 10^{-16}$, where the largest value is 1.3. What do you do?""",
        options=(
            Wrong(
                "Look for the bug: two correct programs give the same numbers.",
                "They compute the same real number. Rounded sums depend on the order of the terms, and the"
                " product chooses its own order.",
            ),
            Right("Compare with a tolerance of a few units in the last place of the largest value."),
            Wrong(
                "Compare with `np.allclose` and its defaults.",
                "Its defaults allow a relative error of 1e-5. That lets a float32 computation pass, and a"
                " small leak of the future too.",
            ),
            Wrong(
                "Compute both in float32, where the difference disappears.",
                "In float32 the same effect is about half a billion times larger.",
            ),
        ),
        why="About two units in the last place is what another order of the same sum costs.",
        hints=("The distance from 1 to the next float64 is 2.2e-16.",),
        solution=r"""
A unit in the last place of 1.3 is $2.2 \cdot 10^{-16}$. A difference of two such units is what reordering
costs. A tolerance of, say, eight units passes every correct order and still catches float32, whose unit is
$1.2 \cdot 10^{-7}$.""",
    ),
    Code(
        id="ch05-causal-batch",
        title="Causal attention for a batch",
        difficulty=2,
        minutes=12,
        prompt="""
Write `causal_attention(query, key, value)` in NumPy. All three have the shape
`(batch, heads, tokens, dim)`, and so has the result. Token $i$ reads tokens 0 to $i$. Scores are divided by
the root of `dim`. Use no loop.""",
        stub=answers.ATTENTION_STUB,
        code=answers.ATTENTION_CODE,
        inputs=draws.batch,
        reference=answers.causal_reference,
        mistakes=(
            CodeMistake(
                "no mask",
                answers.spoiled(("np.where(keep, scores, -np.inf)", "scores")),
                "Every token reads all tokens: the mask is missing, or it has no effect.",
            ),
            CodeMistake(
                "mask upside down",
                answers.spoiled(("[:, None] >= np", "[:, None] <= np")),
                "The mask keeps the future and drops the past: rows are queries, so query $i$ keeps the"
                " columns $j$ up to $i$.",
            ),
            CodeMistake(
                "softmax over the queries",
                answers.spoiled(
                    ("scores.max(axis=-1", "scores.max(axis=-2"),
                    ("powers.sum(axis=-1", "powers.sum(axis=-2"),
                ),
                "The softmax runs over the queries. It must run over the keys, the last axis.",
            ),
            CodeMistake(
                "no scale",
                answers.spoiled((" / D**0.5", "")),
                "The scores are not divided by the root of `dim`.",
            ),
            CodeMistake(
                "divided by dim",
                answers.spoiled((" / D**0.5", " / D")),
                "The scores are divided by `dim`. Divide by its root.",
            ),
            CodeMistake(
                "mask after the softmax",
                answers.spoiled(
                    ("scores = np.where(keep, scores, -np.inf)\n", "\n"),
                    ("return weights @ value", "return np.where(keep, weights, 0) @ value"),
                ),
                "The mask comes after the softmax. The rows then add up to less than 1, and the future stays"
                " in the denominator.",
            ),
            CodeMistake(
                "masked with 0",
                answers.spoiled(("np.where(keep, scores, -np.inf)", "np.where(keep, scores, 0.0)")),
                "The future has the score 0, and the exponential of 0 is 1: it still gets weight. Use minus"
                " infinity.",
            ),
        ),
        diagnose=partial(named_fault, layout="BHLD", kind="numpy"),
        why="Every case agrees with the loop, batch by batch and head by head.",
        hints=(
            (
                "`@` multiplies the last two axes and repeats over the others. Which axes of `key` must"
                " change places?"
            ),
            "A mask of shape `(tokens, tokens)` broadcasts over batch and heads by itself.",
            (
                "Softmax: subtract the largest entry of each row with `keepdims=True`, then the exponential,"
                " then divide."
            ),
        ),
        solution="The five steps of the chapter, with `swapaxes` in place of `.T`.",
    ),
    Vector(
        id="ch05-split",
        title="Head 0 of two tokens",
        difficulty=2,
        minutes=3,
        prompt=r"""
One sentence of two tokens is stored as the rows $<<x[0]>>$ and $<<x[1]>>$. It is cut into 2 heads of 2
numbers each.

Which four numbers belong to head 0? Type its row 0, then its row 1.""",
        data={"x": [[0, 1, 2, 3], [4, 5, 6, 7]]},
        label="Head 0, four numbers",
        vary=lambda rng: {"x": rng.permutation(40)[:8].reshape(2, 4)},
        answer=lambda d: answers.heads_of(d)[0].ravel(),
        mistakes=(
            Mistake(
                "a view alone",
                lambda d: d.x[0],
                "<<value>> is all of token 0. That is `x.view(heads, tokens, dim)`, which reads on in memory"
                " and cuts between tokens, not inside them.",
            ),
            Mistake(
                "every second number",
                lambda d: d.x[:, ::2].ravel(),
                "<<value>> takes every second column. A head takes a run of neighbouring columns.",
            ),
            Mistake(
                "the other head",
                lambda d: answers.heads_of(d)[1].ravel(),
                "<<value>> is head 1: the right half of each row.",
            ),
            Mistake(
                "column by column",
                lambda d: answers.heads_of(d)[0].T.ravel(),
                "These are the right four numbers. Type them row by row: first what token 0 gives, then what"
                " token 1 gives.",
            ),
        ),
        why="Each head takes the same run of columns from every token.",
        hints=("Every token gives something to every head.", "Cut each row in the middle."),
        solution=r"""
Head 0 takes the first two columns of every token: $[<<x[0][0]>>, <<x[0][1]>>]$ from token 0 and
$[<<x[1][0]>>, <<x[1][1]>>]$ from token 1. In code: `x.reshape(2, 2, 2).swapaxes(0, 1)[0]`.""",
    ),
    Code(
        id="ch05-split-heads",
        title="Cut into heads",
        difficulty=1,
        minutes=5,
        prompt="""
Write `split_heads(x, heads)`: from `(batch, tokens, heads * dim)` to `(batch, heads, tokens, dim)`, with
head $h$ made of the columns `h * dim` to `(h + 1) * dim - 1` of every token.""",
        stub=answers.SPLIT_STUB,
        code=answers.SPLIT_CODE,
        inputs=answers.wide_rows,
        mistakes=(
            CodeMistake(
                "a reshape alone",
                "def split_heads(x, heads):\n    B, L, W = x.shape\n    return x.reshape(B, heads, L, W //"
                " heads)\n",
                "The shape is right and the numbers are not. A reshape alone reads on in memory: head 0 gets"
                " the first tokens whole.",
            ),
            CodeMistake(
                "every second number",
                "def split_heads(x, heads):\n    B, L, W = x.shape\n"
                "    return x.reshape(B, L, W // heads, heads).transpose(0, 3, 1, 2)\n",
                "Head $h$ got every `heads`-th column. It takes a run of neighbouring columns: reshape to"
                " (..., heads, dim), not (..., dim, heads).",
            ),
            CodeMistake(
                "tokens before heads",
                "def split_heads(x, heads):\n    B, L, W = x.shape\n    return x.reshape(B, L, heads, W //"
                " heads)\n",
                "The cut is right. The axes are still (batch, tokens, heads, dim): bring the heads before the"
                " tokens.",
            ),
        ),
        why="Every case agrees, for one token and for thirteen.",
        hints=("Two moves: cut the last axis in two, then let two axes change places.",),
        solution="Cut the last axis, then swap axes 1 and 2.",
    ),
    Vector(
        id="ch05-heads-hull",
        title="Two heads that disagree",
        difficulty=2,
        minutes=3,
        prompt=r"""
There are two heads with one number each. The values of the two tokens, both heads side by side, are
$\mathbf{v}_0 = <<V[0]>>$ and $\mathbf{v}_1 = <<V[1]>>$. The query at position 1 has the weights $<<A[0]>>$
in head 0 and $<<A[1]>>$ in head 1.

What are the outputs of the two heads, side by side?""",
        data={"V": [[0, 0], [1, 1]], "A": [[1, 0], [0, 1]]},
        answer=answers.opposite,
        mistakes=(
            Mistake(
                "averaged the heads",
                lambda d: d.V.mean(axis=0),
                "<<value>> is what you get when the heads share one row of weights, half and half. Each head"
                " has its own.",
            ),
            Mistake(
                "swapped the heads",
                lambda d: answers.opposite(d)[::-1],
                "<<value>> has the heads in the wrong order. Head 0 comes first; it reads token 0.",
            ),
            Mistake(
                "head 1 for both",
                lambda d: d.V[1],
                "<<value>> is the value of token 1. Head 0 does not read token 1.",
            ),
            Mistake(
                "head 0 for both",
                lambda d: d.V[0],
                "<<value>> is the value of token 0. Head 1 does not read token 0.",
            ),
        ),
        why="The point is no mixture of the two values: it lies off the line between them.",
        hints=("Head 0 sees only the first coordinates, head 1 only the second.",),
        solution=r"""
Head 0 mixes 0 and 1 with the weights $<<A[0]>>$ and gives 0. Head 1 mixes 0 and 1 with $<<A[1]>>$ and its
output is 1. Side by side: $<<answer>>$. Each head stays in its own hull. The two together leave the hull of
the two values, which is a segment.""",
    ),
    Vector(
        id="ch05-groups",
        title="Which key head?",
        difficulty=1,
        minutes=2,
        prompt=r"""
A layer has <<heads_q>> query heads and <<heads_kv>> key and value heads. Which key head do the query heads
0, 1, 2 and 3 use? Type four numbers.""",
        data={"heads_q": 4, "heads_kv": 2},
        label="Key heads",
        answer=answers.kv_head,
        mistakes=(
            Mistake(
                "alternating",
                lambda d: np.arange(d.heads_q) % d.heads_kv,
                "<<value>> lets the key heads take turns. PyTorch, and this book, give each key head a run of"
                " neighbouring query heads.",
            ),
            Mistake(
                "one each",
                lambda d: np.arange(d.heads_q),
                "<<value>> needs four key heads. There are two, so two query heads share each of them.",
            ),
        ),
        why="The key head is the query head divided by 2, rounded down.",
        hints=("Two query heads share a key head. Which two?",),
        solution=r"""
Each key head serves $<<heads_q>> / <<heads_kv>>$ neighbouring query heads, so query head $h$ uses key head
$\lfloor h / 2 \rfloor$: $<<answer>>$.""",
    ),
    Number(
        id="ch05-padding",
        title="A neutral zero?",
        difficulty=1,
        minutes=2,
        prompt=r"""
A row has one real key with the score $<<score>>$ and one key of padding, a vector of zeros. Nothing masks
the padding. How much weight does the padding get? Give two decimals.""",
        data={"score": 1.0},
        vary=lambda rng: {"score": float(rng.integers(-4, 16)) / 4},
        answer=lambda d: softmax([d.score, 0])[1],
        mistakes=(
            Mistake(
                "zero is neutral",
                0,
                "A key of zeros has the score 0, and the exponential of 0 is 1. Only a score of minus"
                " infinity has weight 0.",
            ),
            Mistake(
                "the real key",
                lambda d: softmax([d.score, 0])[0],
                "<<value:.2f>> is the weight of the real key. The padding gets the rest.",
            ),
        ),
        why="A score of 0 is a score like any other.",
        hints=(r"The dot product of any query with a vector of zeros is 0. What is its exponential?",),
        solution=r"""
The score of the padding is 0, its exponential 1. Its share is $1 / (1 + e^{<<score>>}) = <<answer:.2f>>$.""",
    ),
    PickTokens(
        id="ch05-left-padded",
        title="The mask of a padded sentence",
        difficulty=2,
        minutes=4,
        prompt=r"""
A sentence of three tokens is padded on the left to length 4: position 0 is padding, positions 1 to 3 are
real. A query may read a key if the key does not come later and is real. Click every pair that is allowed.
Rows are queries, from top to bottom.""",
        tokens=4,
        rows=4,
        answer=[set(), {1}, {1, 2}, {1, 2, 3}],
        mistakes=(
            Mistake(
                "causal alone",
                [{0}, {0, 1}, {0, 1, 2}, {0, 1, 2, 3}],
                "This is the causal mask alone. The padding comes first, so it lies in everybody's past:"
                " column 0 must go.",
            ),
            Mistake(
                "real keys alone",
                [{1, 2, 3}] * 4,
                "These are the real keys, without the causal rule. Query 1 may not read keys 2 and 3.",
            ),
            Mistake(
                "padding reads itself",
                [{0}, {1}, {1, 2}, {1, 2, 3}],
                "Rows 1 to 3 are right. Some programs let the padding read itself to avoid an empty row. By"
                " the rule given here row 0 is empty.",
            ),
            Mistake(
                "aligned to the left",
                [{0}, {0, 1}, {0, 1, 2}, set()],
                "This is the mask for padding on the right. Here the padding is position 0.",
            ),
        ),
        why="Causal and real, pair by pair. Row 0 is left with nothing to read.",
        hints=(
            "Start from the causal triangle, then strike out a column.",
            "Which column belongs to the padding?",
        ),
        solution=r"""
From the causal triangle, column 0 is struck out. The rows are {}, {1}, {1, 2} and {1, 2, 3}. Row 0 belongs
to the padding and reads nothing: its output is 0 by convention.""",
    ),
    Vector(
        id="ch05-decode",
        title="Two queries, five keys",
        difficulty=2,
        minutes=3,
        prompt=r"""
Five tokens are known. The queries are the last two of them, positions 3 and 4, so `query` has $L = <<L>>$
rows and `key` has $S = <<S>>$. You call PyTorch's `scaled_dot_product_attention` with `is_causal=True`.

How many keys does each of the two queries read? Type two numbers: what the call does, not what you want.""",
        data={"L": 2, "S": 5},
        label="Keys read",
        answer=lambda d: answers.keys_read(np.tri(d.L, d.S, dtype=bool)),
        mistakes=(
            Mistake(
                "what is wanted",
                lambda d: answers.keys_read(causal().mask(d.L, d.S, query_offset=d.S - d.L)),
                "<<value>> is what you want. `is_causal` builds its triangle from the top left corner: it"
                " takes the queries for positions 0 and 1.",
            ),
            Mistake(
                "no mask",
                lambda d: np.full(d.L, d.S),
                "<<value>> would be a call without any mask.",
            ),
        ),
        why="Row 0 reads key 0, row 1 reads keys 0 and 1. Nothing warns you.",
        hints=("The mask is `torch.ones(2, 5).tril()`.", "Write its two rows."),
        solution=r"""
The triangle starts in the top left corner. Row 0 is $[1, 0, 0, 0, 0]$ and row 1 is $[1, 1, 0, 0, 0]$:
$<<answer>>$ keys. The queries at positions 3 and 4 should read 4 and 5. Give the mask yourself:
`causal().mask(2, 5, query_offset=3)`.""",
    ),
    Choices(
        id="ch05-polarity",
        title="Past and self, nothing else",
        difficulty=2,
        minutes=3,
        prompt=r"""
`keep = torch.ones(L, L, dtype=torch.bool).tril()`, and query, key and value all have $L$ tokens. Which
calls let every token read its past and itself, and nothing else? Tick all. `sdpa` is
`F.scaled_dot_product_attention`, `mha` is an `nn.MultiheadAttention`.""",
        options=(
            Right("`sdpa(q, k, v, attn_mask=keep)`"),
            Wrong(
                "`sdpa(q, k, v, attn_mask=~keep)`",
                "In `sdpa`, True means: may attend. `~keep` lets each token read the future and nothing"
                " else.",
            ),
            Wrong(
                "`mha(x, x, x, attn_mask=keep)`",
                "In `nn.MultiheadAttention`, True means: may not attend. This masks the past and the token"
                " itself.",
            ),
            Right("`mha(x, x, x, attn_mask=~keep)`"),
            Wrong(
                "`sdpa(q, k, v, attn_mask=keep.float())`",
                "A float mask is added to the scores. Adding 1 to the past and 0 to the future masks"
                " nothing.",
            ),
            Right("`sdpa(q, k, v, is_causal=True)`"),
        ),
        why="With as many queries as keys, `is_causal` is the same triangle as `keep`.",
        hints=("What does True mean in each of the two?", "One of the masks is not boolean."),
        solution="""
`sdpa` keeps where the mask is True, `nn.MultiheadAttention` drops where it is True. Both add a float mask.
With $L = S$, `is_causal` and `keep` agree.""",
    ),
    Explain(
        id="ch05-shapes",
        title="All shapes are right",
        difficulty=3,
        minutes=6,
        prompt="""
A colleague joins the heads with `out.reshape(B, L, H * D)`, where `out` has the shape `(B, H, L, D)`. All
shapes are right, the model trains, and its loss falls.

What is wrong, and which one test would you write to show it? Say what the test changes and what it looks
at.""",
        rubric=(
            (
                "It says that the axes have to change places before the reshape: `out.swapaxes(1,"
                " 2).reshape(B, L, H * D)`."
            ),
            (
                "It says what the reshape alone does: a token gets numbers of other tokens, later ones among"
                " them."
            ),
            "Its test changes one token and looks at which rows of the output move, or compares with a loop.",
            (
                "It says why a falling loss proves nothing: a model can learn around a fixed shuffle, or even"
                " profit from a leak."
            ),
        ),
        hints=("Where does number 4 of the explorer end up after the wrong join?",),
        solution="""
`reshape` keeps the order in memory, and in memory all tokens of head 0 come before those of head 1. So the
first row of the result holds the first tokens of head 0, not the heads of token 0. The axes must change
places first.

A test: change the last token of a sentence and look at the rows that move. Only the last may. With the
wrong join an earlier row moves too. A falling loss does not show it. The shuffle is the same at every step,
so a model can learn around it, and a leak of later tokens makes the training loss smaller.""",
    ),
]
