"""Chapter 8, Patterns. Answers and expected mistakes are computed wherever they can be."""

from functools import partial

import numpy as np

from companion.exercises.answers import ch08 as answers
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
from companion.patterns import (
    causal,
    chunks,
    dilated,
    documents,
    global_tokens,
    sinks,
    sliding_window,
    strided,
)
from companion.reference import softmax

__all__ = ["EXERCISES"]

EXERCISES = [
    PickTokens(
        id="ch08-window-row",
        title="Row 6 of a window of 4",
        difficulty=1,
        minutes=2,
        prompt="""
Click the positions that query 6 reads under `sliding_window(4)`.""",
        tokens=8,
        name="$G_6$",
        answer=lambda d: sliding_window(4).indices(6),
        mistakes=(
            Mistake(
                "one too many",
                lambda d: sliding_window(5).indices(6),
                "<<value>> has five keys: four before the query and the query's own. Its own is one of the"
                " four.",
            ),
            Mistake(
                "lost itself",
                lambda d: sliding_window(5).indices(6)[:-1],
                "<<value>> has four keys, but the query lost itself. A window ends at the query's own"
                " position.",
            ),
            Mistake(
                "one too few",
                lambda d: sliding_window(3).indices(6),
                "<<value>> has three keys. Steps back of 0, 1, 2 and 3 make four. (If you thought of blocks"
                " of four: a window moves with its query.)",
            ),
            Mistake(
                "looks ahead",
                {5, 6, 7},
                "Position 7 lies in the future of query 6. All patterns here look back only.",
            ),
        ),
        why="Four keys, the query's own included: i - 4 < j and j up to i.",
        hints=("How many keys are there to be?", "Start at the query itself and count backwards."),
        solution="The condition is $6 - 4 < j \\le 6$. The positions are <<answer>>.",
    ),
    PickTerms(
        id="ch08-conditions",
        title="Which of these hold w keys?",
        difficulty=2,
        minutes=3,
        prompt="""
Somebody writes a window as a condition on a query `i` and a key `j`, with `j <= i` checked elsewhere. All
are integers. Click every condition that gives exactly `w` keys, the query's own included.""",
        terms=tuple(answers.CONDITIONS),
        joiner="·",
        answer=answers.with_keys(4),
        mistakes=(
            Mistake(
                "one too many",
                answers.with_keys(5),
                "These hold `w + 1` keys: they count `w` steps back, and the query's own key comes on top.",
            ),
            Mistake(
                "one too few",
                answers.with_keys(3),
                "This holds `w - 1` keys: only steps back below `w - 1` pass.",
            ),
            Mistake(
                "less or equal",
                answers.with_keys(4) | answers.with_keys(5),
                "Two of these hold one key too many. Put `j = i - w` into each: it is `w` steps back, and"
                " must not pass.",
            ),
            Mistake(
                "the two strict ones",
                {
                    place
                    for place, text in enumerate(answers.CONDITIONS)
                    if text in ("`i - w < j`", "`i - j < w`")
                },
                "Both are right, and one is missing. For integers, below `w` is the same as up to `w - 1`.",
            ),
        ),
        why="All three say: fewer than w steps back.",
        hints=(
            "How many steps back does each condition allow, 0 included?",
            "Test each with `j = i - w`, which must not pass, and with `j = i - w + 1`, which must.",
        ),
        solution="""
The number of steps back is `i - j`. Exactly `w` keys means steps 0 to `w - 1`. So `i - j < w`,
`i - j <= w - 1` and `i - w < j` are right, and they are one condition. `i - j <= w` and `i - w <= j` let the
key at step `w` in. `i - j < w - 1` leaves the key at step `w - 1` out.""",
    ),
    Number(
        id="ch08-window-pairs",
        title="Pairs of a window",
        difficulty=2,
        minutes=3,
        prompt="""
A text has <<L>> tokens, each query reads a window of <<w>>. How many pairs of a query and a key is that?""",
        data={"L": 12, "w": 4},
        vary=lambda rng: {"L": int(rng.integers(8, 21)), "w": int(rng.integers(3, 7))},
        answer=lambda d: sliding_window(d.w).pairs(d.L),
        tolerance=0.4,
        mistakes=(
            Mistake(
                "no start",
                lambda d: d.L * d.w,
                "<<value>> gives every query <<w>> keys. The first ones have fewer: query 0 has only itself.",
            ),
            Mistake(
                "causal",
                lambda d: causal().pairs(d.L),
                "<<value>> are the pairs of the whole triangle. The window cuts its lower left corner off.",
            ),
            Mistake(
                "one too many",
                lambda d: sliding_window(d.w + 1).pairs(d.L),
                "<<value>> belongs to a window with one key more. The query's own key is one of the <<w>>.",
            ),
            Mistake(
                "only full rows",
                lambda d: (d.L - d.w + 1) * d.w,
                "<<value>> counts the rows that have all <<w>> keys. The shorter rows at the start read too.",
            ),
        ),
        why="Full rows times w, less the corner that is missing at the start.",
        hints=(
            "Write down how many keys each of the queries reads.",
            "Query $i$ reads $i + 1$ keys until the window is full.",
        ),
        solution=r"""
The queries read 1, 2 and so on up to <<w>> keys, then <<w>> each. With <<w>> for all it would be
$<<L>> \cdot <<w>>$. At the start $1 + \dots + (<<w>> - 1)$ are missing. That leaves <<answer>>.""",
    ),
    Code(
        id="ch08-window-attention",
        title="A window of four keys",
        difficulty=2,
        minutes=12,
        prompt="""
Write `window_attention(query, key, value)` in NumPy: attention under a sliding window of 4 keys, the
query's own included. `key` and `value` have the shape `(batch, heads, S, dim)`; `query` has the shape
`(batch, heads, L, dim)` and holds the queries of the last $L$ of the $S$ tokens. Scores are divided by the
root of `dim`.""",
        stub=answers.WINDOW_STUB,
        code=answers.WINDOW_CODE,
        inputs=answers.last_queries,
        reference=answers.window_reference,
        sizes=(1, 2, 3, 5, 6, 8, 13),
        mistakes=(
            CodeMistake(
                "one key too many",
                answers.spoiled(("i - w < j", "i - w <= j")),
                "The window holds five keys: four before the query and its own. Its own is one of the four,"
                " so the comparison is `i - 4 < j`.",
            ),
            CodeMistake(
                "one key too few",
                answers.spoiled(("i - w < j", "i - w + 1 < j")),
                "The window holds three keys. The query's own counts as one of the four.",
            ),
            CodeMistake(
                "loses itself",
                answers.spoiled(
                    ("j <= i", "j < i"), ("scores - scores.max", "scores - np.maximum(scores, -9).max")
                ),
                "No query reads its own key. A window ends at the query itself: `j <= i`.",
            ),
            CodeMistake(
                "no window",
                answers.spoiled(("(i - w < j) & ", "")),
                "This is causal attention: the window has no effect. Keys four or more steps back must go.",
            ),
            CodeMistake(
                "looks ahead",
                answers.spoiled((" & (j <= i)", "")),
                "The window has an end on the left and none on the right, so the future is read.",
            ),
            CodeMistake(
                "aligned top left",
                answers.spoiled(("S - L + np.arange(L)", "np.arange(L)")),
                "The queries were taken for the first $L$ tokens. They are the last: row $r$ stands at"
                " position $S - L + r$.",
            ),
            CodeMistake(
                "chunks",
                answers.spoiled(("(i - w < j)", "(i // w == j // w)")),
                "These are chunks: the keys stay in blocks of four. A window moves with its query.",
            ),
            CodeMistake(
                "mask after the softmax",
                answers.spoiled(
                    ("scores = np.where(keep, scores, -np.inf)\n", "\n"),
                    ("return weights @ value", "return np.where(keep, weights, 0) @ value"),
                ),
                "The mask comes after the softmax. The rows then add up to less than 1: what lies outside the"
                " window stays in the denominator.",
            ),
            CodeMistake(
                "no scale",
                answers.spoiled((" / D**0.5", "")),
                "The scores are not divided by the root of `dim`.",
            ),
        ),
        diagnose=partial(named_fault, pattern=sliding_window(4), style="qkv", layout="BHLD", kind="numpy"),
        why="The right window for a whole text, a chunk and a single token.",
        hints=(
            "Which positions do the queries have? Row 0 stands at $S - L$.",
            "Two conditions, joined by `&`: one for each end of the window.",
            "Try it on $L = S = 6$ with the identity as values: how many weights of row 5 are not 0?",
        ),
        solution="Attention as in chapter 6, with one more condition in the mask.",
    ),
    Choice(
        id="ch08-flash",
        title="4096 keys, please",
        difficulty=2,
        minutes=2,
        prompt="""
A model was trained with windows of exactly 4096 keys, the query's own included. FlashAttention's
`window_size=(left, right)` lets a query at position `i` read the keys from `i - left` to `i + right`, both
ends included. What do you pass?""",
        options=(
            Wrong(
                "`(4096, 0)`",
                "That is 4096 steps back and the query's own key: 4097 keys. Programs have shipped this.",
            ),
            Right("`(4095, 0)`"),
            Wrong(
                "`(4096, 4096)`",
                "That is a window on both sides, 8193 keys. With causal masking on top it is 4097.",
            ),
            Wrong(
                "`(4095, 1)`",
                "4095 steps back, the query's own, and one key of the future.",
            ),
        ),
        why="4095 steps back and the query's own key make 4096.",
        hints=("Count the integers from `i - left` to `i`, both included.",),
        solution="""
From `i - left` to `i` there are `left + 1` positions. For 4096 keys `left` is 4095. Nothing of the future:
`right` is 0.""",
    ),
    Vector(
        id="ch08-dilated",
        title="Keys with gaps",
        difficulty=1,
        minutes=2,
        prompt="""
Which positions does query <<i>> read under `dilated(<<w>>, <<step>>)`? Type them in ascending order.""",
        data={"i": 11, "w": 4, "step": 2},
        vary=lambda rng: {
            "i": int(rng.integers(14, 30)),
            "w": int(rng.integers(3, 5)),
            "step": int(rng.integers(2, 5)),
        },
        label="Positions",
        answer=lambda d: dilated(d.w, d.step).indices(d.i),
        tolerance=0.4,
        mistakes=(
            Mistake(
                "a window",
                lambda d: sliding_window(d.w).indices(d.i),
                "<<value>> is the window of <<w>> keys. Here the keys lie <<step>> apart.",
            ),
            Mistake(
                "lost itself",
                lambda d: dilated(d.w, d.step).indices(d.i) - d.step,
                "<<value>> begins one step back. The first step back is 0: the query reads itself.",
            ),
            Mistake(
                "all in the span",
                lambda d: strided(d.step).indices(d.i),
                "<<value>> goes on to the beginning. That is `strided(<<step>>)`; here it stops after <<w>>"
                " keys.",
            ),
            Mistake(
                "one step too far",
                lambda d: dilated(d.w + 1, d.step).indices(d.i),
                "<<value>> has one key too many. The query's own is one of the <<w>>.",
            ),
        ),
        why="Exactly w keys, the query's own first, then step by step backwards.",
        hints=("Start at the query and go back.", "There is one step fewer than there are keys."),
        solution="From <<i>> go back in steps of <<step>> until there are <<w>> keys: <<answer>>.",
    ),
    PickTokens(
        id="ch08-global-grid",
        title="One global token",
        difficulty=2,
        minutes=4,
        prompt="""
Click every pair that `global_tokens([2])` allows among 5 tokens. Rows are queries, from top to bottom.""",
        tokens=5,
        rows=5,
        answer=lambda d: answers.sets(global_tokens([2]), 5),
        mistakes=(
            Mistake(
                "both directions",
                lambda d: answers.both_directions({2}, 5),
                "That is the pattern of a model that reads in both directions. Here no query reads a later"
                " key.",
            ),
            Mistake(
                "the column alone",
                [set(), set(), {2}, {2}, {2}],
                "The column is right: later queries read the global token. It also reads all that came before"
                " it: its row is missing.",
            ),
            Mistake(
                "the row alone",
                [set(), set(), {0, 1, 2}, set(), set()],
                "The row is right: the global token reads its past. Later queries also read the global"
                " token.",
            ),
            Mistake(
                "sinks",
                lambda d: answers.sets(sinks(3), 5),
                "That is `sinks(3)`: the first three keys for everybody. Only position 2 is global here.",
            ),
            Mistake(
                "everybody reads itself",
                lambda d: answers.sets(global_tokens([2]) | sliding_window(1), 5),
                "The diagonal is not part of this pattern. With `| sliding_window(1)` everybody would read"
                " itself too.",
            ),
        ),
        why="A row and a column, cut by the diagonal. Queries 0 and 1 read nothing.",
        hints=(
            "A pair is allowed if its key is global or its query is, and if the key does not come later.",
            "Queries 0 and 1 come before the global token. What can they read?",
        ),
        solution=r"""
Row 2 is the global token: it reads 0, 1 and 2. Rows 3 and 4 read key 2. Rows 0 and 1 read nothing, for the
only global key lies in their future. So a pattern of global tokens is combined with one that lets everybody
read itself.""",
    ),
    Vector(
        id="ch08-sink-logit",
        title="A sink that is no token",
        difficulty=2,
        minutes=3,
        prompt="""
A query reads two keys with the scores <<scores>>. Its head has a learned sink logit of <<b>>, as in gpt-oss.
What weights do the two keys get?""",
        data={"scores": [0.0, 0.0], "b": 0.0},
        label="Two weights",
        answer=lambda d: answers.with_sink(d.scores, d.b),
        mistakes=(
            Mistake(
                "no sink",
                lambda d: softmax(d.scores),
                "<<value:.2f>> are the weights without a sink, and under `sinks(n)` as well: there the"
                " weights of the keys add up to 1. The logit shares the softmax and is no key, so the keys"
                " get less.",
            ),
            Mistake(
                "a sink token",
                [0, 1],
                "Neither key is the sink. A sink logit is no token of the text and has no key of its own.",
            ),
            Mistake(
                "all but lost",
                [0, 0],
                "A logit of 0 is no weight of 1. The exponential of 0 is 1, for keys and sink alike.",
            ),
        ),
        why="A third goes to the sink, which has no value. The two weights add up to 2/3.",
        hints=(
            "Three numbers stand in the denominator.",
            "The sink takes a share and adds nothing to the output.",
        ),
        solution=r"""
The denominator is $e^0 + e^0 + e^0 = 3$, so each key gets $1/3$. The third share goes to the sink, which has
no value. The weights add up to $2/3$. Under `sinks(n)` they would add up to 1: there the sink is a key of
the text, with a value.""",
    ),
    PickTokens(
        id="ch08-chunk",
        title="The first of its chunk",
        difficulty=1,
        minutes=2,
        prompt="""
Click the positions that query 4 reads under `chunks(4)`.""",
        tokens=8,
        name="$G_4$",
        answer=lambda d: chunks(4).indices(4),
        mistakes=(
            Mistake(
                "a window",
                lambda d: sliding_window(4).indices(4),
                "<<value>> is the window of 4. A chunk does not move with its query: position 4 begins a new"
                " one.",
            ),
            Mistake(
                "the chunk before",
                {0, 1, 2, 3},
                "<<value>> is the chunk before. Positions count from 0, so position 4 lies in the second"
                " chunk.",
            ),
            Mistake(
                "the whole chunk",
                {4, 5, 6, 7},
                "<<value>> is the whole chunk. The causal rule still holds: 5 to 7 lie in the future of query"
                " 4.",
            ),
            Mistake(
                "causal",
                lambda d: causal().indices(4),
                "<<value>> is everything up to the query. Between 3 and 4 runs the border of two chunks.",
            ),
        ),
        why="Position 4 begins the second chunk and has nothing before it there.",
        hints=("The chunks are 0 to 3 and 4 to 7.", "Which of 4 to 7 may query 4 read?"),
        solution=r"""
$\lfloor 4/4 \rfloor = 1$: position 4 is the first of chunk 1. Of its chunk only itself does not come later:
<<answer>>. Its neighbour at position 3 is out of reach, although it is only one step away.""",
    ),
    Number(
        id="ch08-documents",
        title="Three packed documents",
        difficulty=2,
        minutes=3,
        prompt="""
Documents of <<lengths>> tokens are packed into one row, under `documents(<<lengths>>)`. How many pairs are
allowed?""",
        data={"lengths": [3, 4, 2]},
        vary=lambda rng: {"lengths": rng.integers(2, 8, 3)},
        answer=lambda d: documents(d.lengths).pairs(sum(d.lengths)),
        tolerance=0.4,
        mistakes=(
            Mistake(
                "squares",
                lambda d: sum(n * n for n in d.lengths),
                "<<value>> are the full squares of the documents. Each is cut by the causal rule to a"
                " triangle.",
            ),
            Mistake(
                "one text",
                lambda d: causal().pairs(sum(d.lengths)),
                "<<value>> is the triangle over all tokens. A token reads nothing of another document.",
            ),
            Mistake(
                "without the diagonal",
                lambda d: sum(n * (n - 1) // 2 for n in d.lengths),
                "<<value>> leaves the diagonal out: every token reads itself.",
            ),
        ),
        why="One causal triangle a document.",
        hints=("Each document is a text of its own.", r"A triangle over $n$ tokens has $n(n + 1)/2$ pairs."),
        solution=r"""
A document of $n$ tokens has $n(n + 1)/2$ pairs. The sum over the three is <<answer>>.""",
    ),
    PickTokens(
        id="ch08-precedence",
        title="Which comes first?",
        difficulty=2,
        minutes=3,
        prompt="""
Click the positions that query 9 reads under `sinks(1) | sliding_window(4) & chunks(4)`. As in all of Python,
`&` binds before `|`.""",
        tokens=10,
        name="$G_9$",
        answer=lambda d: (sinks(1) | sliding_window(4) & chunks(4)).indices(9),
        mistakes=(
            Mistake(
                "or first",
                lambda d: ((sinks(1) | sliding_window(4)) & chunks(4)).indices(9),
                "<<value>> is `(sinks(1) | sliding_window(4)) & chunks(4)`. The chunk then cuts the sink"
                " away.",
            ),
            Mistake(
                "or everywhere",
                lambda d: (sinks(1) | sliding_window(4) | chunks(4)).indices(9),
                "<<value>> joins all three. `&` keeps only what the window and the chunk both allow.",
            ),
            Mistake(
                "and everywhere",
                set(),
                "No key is in all three, but `|` asks for one side only.",
            ),
            Mistake(
                "the whole chunk",
                lambda d: {0, 8},
                "Query 9 reads itself: 9 is in the window and in its chunk.",
            ),
        ),
        why="The sink, and what window and chunk share.",
        hints=("Write the three sets down first.", "Intersect window and chunk, then add the sink."),
        solution=r"""
The window is {6, 7, 8, 9}, the chunk is {8, 9}, the sink {0}. Window and chunk share {8, 9}. With the sink
that makes <<answer>>.""",
    ),
    Vector(
        id="ch08-union",
        title="Window and sinks together",
        difficulty=2,
        minutes=3,
        prompt="""
How many keys do the queries 1, 4 and 9 read under `sliding_window(<<w>>) | sinks(<<n>>)`? Type three
numbers.""",
        data={"w": 4, "n": 2},
        label="Keys read",
        answer=lambda d: answers.keys_read(sliding_window(d.w) | sinks(d.n)),
        tolerance=0.4,
        mistakes=(
            Mistake(
                "added",
                lambda d: [d.w + d.n] * 3,
                "<<value>> adds the two counts. Near the start there are fewer keys than that, and some are"
                " in both.",
            ),
            Mistake(
                "overlap counted twice",
                lambda d: answers.keys_read(sliding_window(d.w)) + answers.keys_read(sinks(d.n)),
                "<<value>> counts keys twice that are a sink and in the window as well. A set holds each"
                " once.",
            ),
            Mistake(
                "the window alone",
                lambda d: answers.keys_read(sliding_window(d.w)),
                "<<value>> are the counts of the window alone. The sinks come on top where the window has"
                " left them.",
            ),
        ),
        why="Sets are joined, not added: the window leaves the sinks behind only later.",
        hints=("Write the three sets.", "Query 4 reads 1 to 4 by the window. Which sink is new?"),
        solution=r"""
Query 1 reads {0, 1}. Query 4 reads {1, 2, 3, 4} by its window and {0, 1} as sinks, together {0, 1, 2, 3, 4}.
Query 9 reads {6, 7, 8, 9} and {0, 1}. The counts are <<answer>>.""",
    ),
    Order(
        id="ch08-order",
        title="From sparse to dense",
        difficulty=2,
        minutes=3,
        prompt="""
Put the patterns in order over 64 tokens, from the fewest pairs to the most.""",
        items=answers.fewest_first(sliding_window(8), chunks(8), strided(2), causal(), sinks(2)),
        mistakes=(
            Mistake(
                "chunk above window",
                (0, 2, 1, 3, 4),
                "Window and chunks are exchanged. In a chunk of 8 the queries read 1, 2 and so on up to 8"
                " keys, in a window of 8 nearly all read 8.",
            ),
            Mistake(
                "densest first",
                (4, 3, 2, 1, 0),
                "That is the order from the most pairs to the fewest.",
            ),
            Mistake(
                "stride below window",
                (0, 1, 3, 2, 4),
                "`strided(2)` reads every second key back to the beginning: the last query reads 32 keys, not"
                " 8.",
            ),
        ),
        why="What reads a fixed number of keys falls behind what reads back to the beginning.",
        hints=("How many keys does the last query read? And the average one?",),
        solution="""
Keys of the average query: a little under 2 for the sinks, 4.5 for the chunks, a little under 8 for the
window, 16.5 for the stride, 32.5 for the whole triangle.""",
    ),
    Choices(
        id="ch08-cost",
        title="What does a window save?",
        difficulty=2,
        minutes=3,
        prompt="""
A layer reads windows of 1024 keys in place of everything. Texts have 32,768 tokens. Tick all that hold.""",
        options=(
            Right("In the prefill it needs about 16 times fewer operations for scores and weighted sums."),
            Wrong(
                "In the prefill the least number of bytes falls about 16-fold as well.",
                "Every key and value is still read by some query, so each must be moved at least once.",
            ),
            Right("For the last token, decoding reads 32 times fewer keys and values."),
            Right("With texts of twice the length, the operations of the prefill about double."),
            Wrong(
                "A program that computes all scores and masks them afterwards saves the same.",
                "It computes every score and only then forgets most of them. A mask saves nothing by itself.",
            ),
        ),
        why="Operations follow the pairs; bytes follow the keys that somebody reads.",
        hints=(
            "Pairs of the triangle: about $L^2/2$. Pairs of the window: about $Lw$.",
            "Which keys does no query read, over the whole text?",
        ),
        solution=r"""
The triangle has about $L^2/2$ pairs, the window about $Lw$: the ratio is $L/(2w) = 16$. In the prefill every
key lies in somebody's window, so the bytes stay. A single late query reads 1024 of 32,768 keys, a
thirty-second. And $Lw$ grows in proportion to $L$. None of this is saved unless the program skips what the
pattern forbids.""",
    ),
    Vector(
        id="ch08-ring",
        title="What the slots hold",
        difficulty=1,
        minutes=3,
        prompt="""
A rolling cache has <<slots>> slots; position $j$ goes to slot $j$ mod <<slots>>. Tokens 0 to <<last>> have
been processed. Which positions do the slots hold? Type them from slot 0 on.""",
        data={"slots": 4, "last": 5},
        vary=lambda rng: {"slots": 4, "last": int(rng.integers(4, 8) * 4 + rng.integers(0, 3))},
        label="Positions, slot by slot",
        answer=lambda d: answers.rolled(d.last + 1, d.slots),
        tolerance=0.4,
        mistakes=(
            Mistake(
                "in order of age",
                lambda d: np.arange(d.last - d.slots + 1, d.last + 1),
                "These are the right positions in the order of their age. Nothing is moved in a rolling"
                " cache: each stays in its slot.",
            ),
            Mistake(
                "never overwritten",
                lambda d: np.arange(d.slots),
                "<<value>> is the cache before anything was overwritten.",
            ),
        ),
        why="Each slot holds the newest position with its remainder.",
        hints=(
            "Position 4 goes to slot 0. What was there before?",
            "Each slot keeps the newest that fell into it.",
        ),
        solution="Write the positions into their slots one after the other. At the end they hold <<answer>>.",
    ),
    Number(
        id="ch08-cache-bytes",
        title="The bill of a window",
        difficulty=2,
        minutes=4,
        prompt="""
A model has <<layers>> layers, <<kv_heads>> key heads, $D = <<dim>>$, and keeps its cache in bfloat16. Every
layer has a window of <<w>>, in a rolling cache of <<w>> slots. How many MiB does the cache take after 131,072
tokens?""",
        data={"layers": 32, "kv_heads": 8, "dim": 128, "w": 4096},
        vary=lambda rng: {
            "layers": int(rng.choice([16, 24, 32, 48])),
            "kv_heads": int(rng.choice([2, 4, 8])),
            "dim": 128,
            "w": int(rng.choice([1024, 2048, 4096])),
        },
        label="MiB",
        answer=answers.window_mib,
        tolerance=0.4,
        mistakes=(
            Mistake(
                "all tokens",
                lambda d: answers.window_mib(d, tokens=131072),
                "<<value>> MiB would hold all 131,072 tokens. The rolling cache has <<w>> slots and no more.",
            ),
            Mistake(
                "keys alone",
                lambda d: answers.window_mib(d) / 2,
                "<<value>> MiB holds the keys. The values take as much again.",
            ),
            Mistake(
                "one layer",
                lambda d: answers.window_mib(d, layers=1),
                "<<value>> MiB is one layer. Each of the <<layers>> has a cache of its own.",
            ),
        ),
        why="The length of the text has left the formula.",
        hints=(
            "Equation (6.4), with the slots in place of the tokens.",
            "A number in bfloat16 takes 2 bytes.",
        ),
        solution=r"""
$2 \cdot <<layers>> \cdot <<kv_heads>> \cdot <<dim>> \cdot <<w>> \cdot 2$ bytes are <<answer>> MiB, after
131,072 tokens and after a million.""",
    ),
    Choice(
        id="ch08-memory",
        title="A book in a stream",
        difficulty=2,
        minutes=2,
        prompt="""
A model with one layer decodes with `sliding_window(1000) | sinks(4)`. You feed it a book of 100,000 tokens.
The murderer is named at token 50,000 and nowhere else. Can the last query read the name?""",
        options=(
            Wrong(
                "Yes: the sinks connect the end with everything before it.",
                "The sinks are the first four tokens. They hold nothing of what came after them: they read"
                " only themselves and each other.",
            ),
            Wrong(
                "Yes: the text still flows through the cache token by token.",
                "Its key and value were overwritten about 49,000 tokens ago.",
            ),
            Wrong(
                "Yes, if there are enough sinks, say 400.",
                "400 sinks are the first 400 tokens. Token 50,000 is not among them.",
            ),
            Right("No: it reads tokens 0 to 3 and the last 1000."),
        ),
        why="Sinks keep a stream stable. They do not make it remember.",
        hints=("Write down the set of the last query, position 99,999.",),
        solution=r"""
The set is $\{0, 1, 2, 3\} \cup \{99000, \dots, 99999\}$. Token 50,000 is not in it, and changing its key or
value changes no bit of the output. The authors of StreamingLLM say the same of their method: no longer
memory, only a stream that does not break down. What several layers can pass on is the subject of chapter
9.""",
    ),
    Explain(
        id="ch08-disagree",
        title="Good at first, then odd",
        difficulty=3,
        minutes=6,
        prompt="""
A model has windows of 1024. Its tests use texts of 200 tokens and all pass, with and without a cache. Users
report that its answers to long prompts are a little worse when the cache is used.

What do you suspect, why do the tests not see it, and which test would? Say what it changes and what it
compares.""",
        rubric=(
            "It suspects that prefill and decoding do not read the same sets: another number of keys, or keys"
            " that were overwritten.",
            "It says why short texts show nothing: as long as a text fits into the window, every window is"
            " plain causal attention.",
            "Its test uses a text longer than the window, or a window of a few keys.",
            "Its test compares all rows of one pass with the rows of calls of different lengths, one call"
            " longer than the window among them.",
        ),
        hints=("What does a window of 1024 leave out of a text of 200?",),
        solution="""
I suspect that the mask of the prefill and the cache of the decoding count the window differently, by one key
or more, or that a long prompt overwrites keys before they are read. With 200 tokens the window of 1024 leaves
nothing out, so any number of keys from 200 up gives the same result.

The test: set the window to 4 and take 12 tokens. Compute all rows in one pass, then again with calls of 5, 3,
1 and 3 tokens through the cache, and compare every row. One call is longer than the window, one is a single
token. And change a key outside the window: no row that should not read it may move.""",
    ),
]
