"""Chapter 12, Block-sparse attention. Answers and expected mistakes are computed wherever they can be."""

from functools import partial

import numpy as np

from companion.exercises.answers import ch12 as answers
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
    edited,
)
from companion.patterns import causal, sliding_window, strided

__all__ = ["EXERCISES"]

EXERCISES = [
    Number(
        id="ch12-stride-blocks",
        title="One key in sixty-four",
        difficulty=2,
        minutes=3,
        prompt="""
`strided(<<step>>)` over <<L>> tokens allows <<share>> percent of the causal pairs. Queries and keys are cut
into runs of <<B>>. How many blocks must be visited?""",
        data={"step": 64, "L": 512, "B": 64},
        derive=lambda d: {"share": round(answers.stride_share(d), 2)},
        answer=lambda d: answers.blocks_of(strided(d.step), d),
        mistakes=(
            Mistake(
                "pairs for blocks",
                lambda d: np.ceil(answers.stride_share(d) / 100 * answers.blocks_of(causal(), d)),
                "<<value>> is that share of the causal blocks. But blocks are not pairs: one allowed pair is"
                " enough to make a block worth a visit.",
            ),
            Mistake(
                "the diagonal",
                lambda d: answers.blocks_of(sliding_window(1), d),
                "<<value>> are the blocks on the diagonal. Query 511 reads keys 447, 383 and on: one in every"
                " block before its own.",
            ),
            Mistake(
                "all blocks",
                lambda d: (d.L // d.B) ** 2,
                "<<value>> counts the blocks of the future too. Nothing is allowed there.",
            ),
        ),
        why="Every causal block holds a live pair, so none can be skipped.",
        hints=(
            "How many blocks of queries are there?",
            "Which keys does a query read 64, 128, 192 steps back?",
        ),
        solution="""
There are 8 blocks of queries. Block $I$ has $I + 1$ causal key blocks, $1 + 2 + \\dots + 8 = 36$ in all. A
query reads one key in each run of 64 before it, so each of them holds a live pair. <<answer>> of 36.""",
    ),
    Vector(
        id="ch12-window-blocks",
        title="A window as wide as a block",
        difficulty=2,
        minutes=3,
        prompt="""
`sliding_window(<<B>>)`, blocks of <<B>>. Take a block of queries far from the beginning. How many partial and
how many full key blocks does it have? Type both numbers.""",
        data={"B": 64},
        label="Partial, full",
        answer=lambda d: answers.per_row(d.B, d.B),
        mistakes=(
            Mistake(
                "one full block",
                [0, 1],
                "As many keys as a block, but each query has its own run of them. Only the last query of the"
                " block has the run that is the block itself.",
            ),
            Mistake(
                "diagonal partial, the next one full",
                [1, 1],
                "The diagonal block is partial. The one before it is too: the last query of the block does"
                " not reach its first key.",
            ),
            Mistake(
                "a third block",
                lambda d: answers.per_row(d.B + 2, d.B),
                "The first query of the block reads back to just after the start of the block before. It does"
                " not reach a third.",
            ),
        ),
        why="Two partial blocks, half alive each.",
        hints=(
            "Write down the keys of the first query of the block, and of the last.",
            "A block is full if *every* query of it reads *every* key of it.",
        ),
        solution=r"""
Block $I$ starts at $64 I$. Its first query reads $64 I - 63$ to $64 I$, its last $64 I$ to $64 I + 63$. So
keys of two blocks are read, and neither is read whole by all queries: <<answer>>. Together the two blocks
hold 8,192 pairs, and half of them are allowed.""",
    ),
    Number(
        id="ch12-first-full",
        title="The first full block",
        difficulty=2,
        minutes=3,
        prompt="""
Blocks of <<B>>, and a text that they divide. What is the smallest window that gives a full block?""",
        data={"B": 32},
        vary=lambda rng: {"B": int(rng.integers(3, 25))},
        label="w",
        answer=lambda d: answers.smallest_window(d.B),
        mistakes=(
            Mistake(
                "one block",
                lambda d: d.B,
                "With w = <<value>> there are two partial blocks in a row and no full one.",
            ),
            Mistake(
                "one too few",
                lambda d: answers.smallest_window(d.B, -1),
                "One short. From the last query of a block to the first key of the block before it are"
                " <<value>> steps, and a window of w goes w - 1 steps back.",
            ),
            Mistake(
                "one past the block",
                lambda d: d.B + 1,
                "A window of <<value>> lets the first query of the block read all of the block before it. The"
                " last query must too.",
            ),
            Mistake(
                "three blocks",
                lambda d: 3 * d.B,
                "That is enough, and more than needed. It gives the second full block of a row.",
            ),
        ),
        why="Twice the block size: the distances in the block before the diagonal go up to 2B - 1.",
        hints=(
            "Which block is full first: the one on the diagonal, or the one before it?",
            "What is the largest distance between a query of block $I$ and a key of block $I - 1$?",
        ),
        solution=r"""
The block on the diagonal holds future pairs, so it is never full (for more than one key). In the one before
it the distances $i - j$ go from 1 to $2B - 1$. All are allowed if $2B - 1 < w$, so from $w = 2B = <<answer>>$
on.""",
    ),
    PickTokens(
        id="ch12-visit",
        title="Which blocks are visited?",
        difficulty=2,
        minutes=3,
        prompt="""
16 tokens in blocks of 4, under `sliding_window(6)`. Click every block that must be visited. Here the number
of a query is that of its block, and columns are blocks of keys.""",
        tokens=4,
        rows=4,
        name="row",
        answer=lambda d: answers.block_sets(sliding_window(6), 16, 4),
        mistakes=(
            Mistake(
                "the diagonal alone",
                lambda d: answers.block_sets(sliding_window(1), 16, 4),
                "Those are the blocks on the diagonal. Query 4 reads keys 0 to 4: it needs the block before"
                " as well.",
            ),
            Mistake(
                "a window of blocks",
                lambda d: answers.block_sets(sliding_window(5), 16, 4),
                "One more in the rows from 2 on: query 8 reads keys 3 to 8, and key 3 lies in block 0.",
            ),
            Mistake(
                "all causal blocks",
                lambda d: answers.block_sets(causal(), 16, 4),
                "Those are all causal blocks. Query 12 reads back to key 7, and block 0 ends at 3.",
            ),
            Mistake(
                "both directions",
                lambda d: [set(range(max(0, row - 2), min(3, row + 2) + 1)) for row in range(4)],
                "Blocks right of the diagonal lie in the future.",
            ),
        ),
        why="A row is decided by its first query, which reaches farthest back.",
        hints=("For each row, which key does its first query reach?",),
        solution="""
The first queries of the rows are 0, 4, 8 and 12. They read back to keys 0, 0, 3 and 7, which lie in blocks 0,
0, 0 and 1. Each row needs all blocks from there to the diagonal.""",
    ),
    Code(
        id="ch12-block-truth",
        title="None, some or all",
        difficulty=2,
        minutes=8,
        prompt="""
Write `block_truth(w, i0, i1, j0, j1)` for `sliding_window(w)`: 0 if no pair of the block is allowed, 2 if
every pair is, 1 otherwise. The block has the queries `i0` to `i1 - 1` and the keys `j0` to `j1 - 1`; none is
empty. Look at the four ends only: no loop, no array.""",
        stub=answers.TRUTH_STUB,
        code=answers.TRUTH_CODE,
        inputs=answers.block_cases,
        reference=answers.block_truth,
        sizes=tuple(range(1, 31)),
        mistakes=(
            CodeMistake(
                "ends not included",
                edited(answers.TRUTH_CODE, ("i0 - (j1 - 1), (i1 - 1) - j0", "i0 - j1, i1 - j0")),
                "The ends `i1` and `j1` are not in the block: its last query is `i1 - 1`, its last key"
                " `j1 - 1`.",
            ),
            CodeMistake(
                "all from one corner",
                edited(answers.TRUTH_CODE, ("nearest >= 0 and farthest < w", "farthest < w")),
                "A block that holds future pairs is called full. Every pair must pass both conditions.",
            ),
            CodeMistake(
                "no future",
                edited(answers.TRUTH_CODE, ("farthest < 0 or ", ""), ("nearest >= 0 and ", "")),
                "The condition $j \\le i$ is missing. A block in the future holds no allowed pair.",
            ),
            CodeMistake(
                "one key too many",
                edited(
                    answers.TRUTH_CODE, ("nearest >= w", "nearest > w"), ("farthest < w", "farthest <= w")
                ),
                "The window holds one key too many: the distance $i - j$ must be below $w$.",
            ),
            CodeMistake(
                "some for all",
                edited(answers.TRUTH_CODE, ("2 if nearest >= 0 and farthest < w else 1", "1")),
                "Full blocks are called partial. That is safe, but each of them then gets a mask that it does"
                " not need.",
            ),
        ),
        why="The least and the greatest distance decide, whatever the block's size.",
        hints=(
            "Only the distance $i - j$ matters. What are its least and its greatest value in the block?",
            "None: the whole range lies outside 0 .. w - 1. All: the whole range lies inside.",
        ),
        solution="The distances of a block fill a range, and the window is a range. Compare the two.",
    ),
    Choices(
        id="ch12-kleene",
        title="Even or odd columns",
        difficulty=2,
        minutes=3,
        prompt="""
A block of 4 by 4 lies wholly in the past. Pattern $p$ allows the even columns, pattern $q$ the odd ones. Each
of them says "some" of this block. Which statements hold?""",
        options=(
            Right('Kleene\'s logic calls `p | q` "some" here, and the truth is "all".'),
            Right('Kleene\'s logic calls `p & q` "some" here, and the truth is "none".'),
            Wrong(
                '"Some or some" is "some": so `p | q` forbids a pair of this block.',
                'Even and odd columns together are all columns. "Some" from Kleene\'s logic means: not'
                " decided by these two words.",
            ),
            Right("A program that trusts Kleene's logic gives the right output here, with needless work."),
            Wrong(
                "A program that trusts Kleene's logic skips a block that it should visit.",
                'Kleene\'s "none" and "all" are always true. Only "some" may be too weak, and a block'
                ' called "some" is visited and masked.',
            ),
        ),
        why="Safe, not exact: the words do not say *which* pairs.",
        hints=(
            "List the four columns that each pattern allows.",
            "What does a program do in a block called partial?",
        ),
        solution="""
$p$ allows columns 0 and 2, $q$ allows 1 and 3. Together they allow all, in common none. From the words alone
nobody can tell, so the logic says "some" in both cases. A partial block is masked pair by pair, so the output
is right.""",
    ),
    Vector(
        id="ch12-starts",
        title="A layout in compressed rows",
        difficulty=2,
        minutes=4,
        prompt="""
<<L>> tokens in blocks of <<B>>, under `sliding_window(<<w>>)`. No block is full. What is the array of starts
of the partial blocks?""",
        data={"L": 16, "B": 4, "w": 4},
        label="Starts, five numbers",
        answer=answers.starts,
        mistakes=(
            Mistake(
                "without the first",
                lambda d: answers.starts(d)[1:],
                "These are the ends of the rows. An array of starts begins with 0 and has one entry more than"
                " there are rows.",
            ),
            Mistake(
                "the numbers of blocks",
                lambda d: [0, *np.diff(answers.starts(d))],
                "These are how many blocks each row has. Add them up: where row $r$ starts, all rows before"
                " it have ended.",
            ),
            Mistake(
                "two in every row",
                lambda d: 2 * np.arange(d.L // d.B + 1),
                "The first row has one block only: there is nothing before it.",
            ),
            Mistake(
                "without the last",
                lambda d: answers.starts(d)[:-1],
                "One number is missing: the last start, which is the end of the last row.",
            ),
        ),
        why="Row r owns the entries from starts[r] to starts[r + 1] - 1.",
        hints=("How many blocks does each row have?", "Begin with 0 and add the counts up."),
        solution="The rows have 1, 2, 2 and 2 blocks. Added up from 0: $<<answer>>$.",
    ),
    Number(
        id="ch12-tail",
        title="The last block",
        difficulty=1,
        minutes=2,
        prompt="<<L>> tokens, blocks of <<B>>. How many keys of the last block are alive?",
        data={"L": 137, "B": 128},
        vary=lambda rng: {"L": int(rng.integers(70, 300)), "B": int(rng.choice([16, 32, 64]))},
        answer=answers.last_block,
        mistakes=(
            Mistake(
                "a full block",
                lambda d: d.B,
                "The tail block is not full. The text ends inside it.",
            ),
            Mistake(
                "what is missing",
                lambda d: d.B - answers.last_block(d),
                "<<value>> keys are missing. The others are alive.",
            ),
            Mistake(
                "one more",
                lambda d: answers.last_block(d) + 1,
                "Positions count from 0, so the last one is L - 1.",
            ),
        ),
        why="L minus all whole blocks before it.",
        hints=("Where does the last block start?",),
        solution="The blocks before it hold a multiple of <<B>> keys. What is left of <<L>> are <<answer>>.",
    ),
    Number(
        id="ch12-waste",
        title="How much is thrown away?",
        difficulty=2,
        minutes=4,
        prompt="""
`sliding_window(<<w>>)` over <<L>> tokens, blocks of <<B>>. What percentage of the computed pairs is thrown
away?""",
        data={"w": 4, "L": 12, "B": 4},
        vary=lambda rng: {
            "w": int(rng.integers(2, 7)),
            "B": (B := int(rng.choice([2, 3, 4]))),
            "L": B * int(rng.integers(3, 5)),
        },
        tolerance=0.5,
        answer=answers.wasted,
        mistakes=(
            Mistake(
                "what is kept",
                lambda d: 100 - answers.wasted(d),
                "<<value>> percent are kept. The rest is thrown away.",
            ),
            Mistake(
                "of the square",
                lambda d: 100 * (1 - sliding_window(d.w).density(d.L)),
                "That is the share of the whole square that is not allowed. Most of it lies in blocks that"
                " are never visited.",
            ),
            Mistake(
                "of the causal blocks",
                lambda d: (
                    100
                    * (1 - sliding_window(d.w).pairs(d.L) / causal().layout(d.L, block_size=d.B).pairs_bound)
                ),
                "That counts all causal blocks. Does the window touch each of them?",
            ),
        ),
        why="One minus allowed pairs over pairs in listed blocks.",
        hints=(
            "Which blocks are listed? Each has $B^2$ pairs.",
            "Allowed pairs: (8.4), or count them row by row.",
        ),
        solution=r"""
Count the listed blocks, times $B^2$: that is what is computed. The window allows $Lw - w(w - 1)/2$ pairs. The
share that is thrown away is 1 minus their ratio: <<answer>> percent.""",
    ),
    Number(
        id="ch12-predict-time",
        title="A tenth of the blocks",
        difficulty=2,
        minutes=3,
        prompt="""
A block-sparse kernel takes <<t[0]>> ms at a density of blocks of <<density[0]>> and <<t[1]>> ms at
<<density[1]>>. How many milliseconds do you predict for a density of <<at>>?""",
        data={"t": [0.57, 0.33], "density": [0.5, 0.25], "at": 0.1},
        vary=lambda rng: {
            "t": [0.9, round(0.9 - 0.05 * int(rng.integers(4, 8)), 2)],
            "density": [0.5, 0.25],
            "at": round(0.02 * int(rng.integers(1, 8)), 2),
        },
        label="ms",
        tolerance=0.004,
        answer=answers.predicted,
        mistakes=(
            Mistake(
                "in proportion",
                lambda d: d.t[0] * d.at / d.density[0],
                "<<value>> assumes that the time is proportional to the density. Then the second time would"
                " be half of the first, and it is not: a part of the time is fixed.",
            ),
            Mistake(
                "a share of the dense time",
                lambda d: d.at * sum(answers.fixed_and_slope(d)),
                "<<value>> is that share of the time at density 1. The fixed part does not shrink with the"
                " number of blocks.",
            ),
            Mistake(
                "without the fixed part",
                lambda d: d.at * answers.fixed_and_slope(d)[1],
                "<<value>> is what the blocks cost. The fixed part is missing.",
            ),
        ),
        why="A straight line: a fixed part and a part that follows the density.",
        hints=(
            "How much time do the blocks between the two densities cost?",
            "Follow the line down to density 0: what is left is the fixed part.",
        ),
        solution=r"""
The line through the two points has the slope $(<<t[0]>> - <<t[1]>>) / (<<density[0]>> - <<density[1]>>)$.
Take it to the density <<at>>: <<answer>> ms.""",
    ),
    Order(
        id="ch12-loop",
        title="The loop over listed blocks",
        difficulty=2,
        minutes=3,
        prompt="""
Put the steps for one block of queries in order. They describe what is done for each listed block, and what
before and after.""",
        items=(
            "set $m = -\\infty$, $l = 0$, $\\mathbf{u} = \\mathbf{0}$ for its queries",
            "take the next block from the row's lists and load its keys and values",
            "compute the scores of the block",
            "if the block is partial, set the scores of forbidden pairs to $-\\infty$",
            "rescale $l$ and $\\mathbf{u}$ and add the terms of the block",
            "after the last listed block, divide $\\mathbf{u}$ by $l$",
        ),
        mistakes=(
            Mistake(
                "mask at the end",
                (0, 1, 2, 4, 3, 5),
                "The mask comes after the terms were added. Forbidden pairs are then in both sums and cannot"
                " be taken out.",
            ),
            Mistake(
                "divide in the loop",
                (0, 1, 2, 3, 5, 4),
                "The division comes before the terms of the block are in.",
            ),
            Mistake(
                "reset for each block",
                (1, 0, 2, 3, 4, 5),
                "The state is set to nothing after a block was taken. It belongs before the loop: it is what"
                " one block hands on to the next.",
            ),
        ),
        why="Chapter 11's loop, over a list in place of all tiles, with a mask only where it is needed.",
        hints=("What is done once for each block of queries, and what once for each listed block?",),
        solution="It is the loop of chapter 11. New are the list, and the question whether a mask is needed.",
    ),
    Code(
        id="ch12-block-sparse",
        title="Attention over listed blocks",
        difficulty=3,
        minutes=18,
        prompt="""
Write `sparse_attention(query, key, value)` in NumPy for `PATTERN`, all `(batch, heads, tokens, dim)`. Scores
are divided by the root of `dim`. The stub makes the layout. Go through its rows, through the key blocks of
`layout.full(row)` and `layout.partial(row)`, and use the online softmax. Ask
`PATTERN(0, 0, i, j)` for a mask in partial blocks only. The last block may be shorter than `B`.""",
        stub=answers.SPARSE_STUB,
        code=answers.SPARSE_CODE,
        inputs=answers.batch,
        reference=answers.mixed_reference,
        sizes=(1, 2, 3, 5, 8, 13, 21),
        mistakes=(
            CodeMistake(
                "no mask",
                edited(answers.SPARSE_CODE, ("if not full:", "if False:")),
                "Partial blocks are treated as full: forbidden pairs of them get weight.",
            ),
            CodeMistake(
                "masked with 0",
                edited(answers.SPARSE_CODE, ("j), s, -np.inf)", "j), s, 0.0)")),
                "Forbidden pairs get the score 0, and the exponential of 0 is 1. Use minus infinity.",
            ),
            CodeMistake(
                "full blocks left out",
                edited(answers.SPARSE_CODE, ("[(b, True) for b in layout.full(row)]", "[]")),
                "The full blocks are left out. A row has two lists, and both must be visited.",
            ),
            CodeMistake(
                "partial blocks left out",
                edited(answers.SPARSE_CODE, ("[(b, False) for b in layout.partial(row)]", "[]")),
                "The partial blocks are left out. A row has two lists, and both must be visited.",
            ),
            CodeMistake(
                "mask of places in the block",
                edited(answers.SPARSE_CODE, ("i[:, None], j)", "i[:, None] % B, j % B)")),
                "The pattern is asked about places inside the block. It wants positions in the text.",
            ),
            CodeMistake(
                "one block too few",
                edited(
                    answers.SPARSE_CODE, ("for block, full in blocks:", "for block, full in blocks[:-1]:")
                ),
                "The last listed block of each row is not visited.",
            ),
            CodeMistake(
                "no rescale",
                edited(answers.SPARSE_CODE, ("c, p = np.exp(m - safe)", "c, p = 1.0")),
                "The old sums are not rescaled when the maximum grows.",
            ),
            CodeMistake(
                "not divided",
                edited(answers.SPARSE_CODE, ("u / np.where(l == 0, 1.0, l)", "u")),
                "The result is the numerator. Divide by $l$ after the last block.",
            ),
        ),
        diagnose=partial(
            named_fault, pattern=answers.MIXED, style="qkv", layout="BHLD", kind="numpy", skip=("decoding",)
        ),
        why="Every case agrees with attention under the pattern, whole blocks or not.",
        hints=(
            "Start from the tiled attention of chapter 11. Two things change: the loop's list, and the mask.",
            "`i = np.arange(row * B, min(row * B + B, L))` are the positions of a block of queries.",
            "A row of a partial block may have no allowed key, and it may be the first that is read: guard"
            " $-\\infty - (-\\infty)$.",
        ),
        solution="""
The loop of the chapter, for a fixed pattern. The guard `safe` is needed: with sinks, a partial block may come
first in which some query reads nothing.""",
    ),
    Choice(
        id="ch12-create",
        title="Out of memory before it starts",
        difficulty=1,
        minutes=2,
        prompt="""
A program calls `create_block_mask(mask_mod, None, None, 96000, 96000)` for a narrow window, uncompiled, and
runs out of memory. The block mask that it asks for is small. Where does the memory go?""",
        options=(
            Right("Into a mask of all pairs, from which the blocks are then found."),
            Wrong(
                "Into the scores of the window's pairs.",
                "No attention has been computed yet. And the pairs of a narrow window are few.",
            ),
            Wrong(
                "Into the lists of blocks, one entry for each pair of blocks.",
                "That is 750 by 750 entries for blocks of 128: some megabytes.",
            ),
            Wrong(
                "Into copies of the keys, one for each block of queries.",
                "The function gets no keys. It only asks the pattern about positions.",
            ),
        ),
        why="96,000 squared are 9.2 thousand million pairs, a byte each.",
        hints=("What must be known before a block can be called empty, if one looks at pairs?",),
        solution="""
It asks the pattern about every pair, and then looks at the blocks. A rule for blocks, as in this chapter,
does without the dense mask. So does a compiled `create_block_mask`.""",
    ),
    Explain(
        id="ch12-explain",
        title="Why is it not faster?",
        difficulty=2,
        minutes=5,
        prompt="""
A colleague masks 98 percent of the pairs with `strided(64)`, uses a block-sparse kernel with blocks of 64,
and sees no speed-up over dense causal attention. Explain why, and give two things that could be changed.""",
        rubric=(
            "A kernel skips blocks, not pairs: a block with one live pair is computed whole.",
            "The stride puts a live pair into every causal block, so all of them are listed.",
            "A change that helps: another pattern with its pairs close together, such as a window or chunks,"
            " or tokens put into another order so that the pairs of a stride come to lie together.",
            "A second one, or its limit: smaller blocks help little here and cost more for each pair.",
        ),
        hints=(
            "Count the blocks, not the pairs.",
            "Where would the live pairs have to lie for blocks to be empty?",
        ),
        solution="""
What is skipped are blocks, and a block may be skipped only if no pair of it is allowed. A stride of 64 puts
one live key into every run of 64, so every causal block of 64 by 64 is partial and computed whole. The time
is that of dense attention, and the masks come on top.

Other patterns have their pairs close together: a window, chunks, sinks, random blocks. For a stride one can
sort the tokens by their remainder modulo 64: the tokens that read each other then lie side by side, and
attention is causal within 64 separate runs. Smaller blocks alone hardly help: only with blocks much smaller
than the stride do some become empty, and small blocks use a device badly.""",
    ),
]
