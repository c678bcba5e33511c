"""Chapter 9, What a pattern can carry. Reach is computed from the patterns' masks, not typed."""

from functools import partial

import numpy as np

from companion.exercises.answers import ch09 as answers
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
from companion.patterns import sliding_window

__all__ = ["EXERCISES"]

EXERCISES = [
    Number(
        id="ch09-share",
        title="A share through a middleman",
        difficulty=1,
        minutes=3,
        prompt=r"""
Two layers, both with a window of 2. In layer 0, token 1 gives token 0 the weight <<first>>. In layer 1,
token 2 gives token 1 the weight <<second>>. There is no residual stream, and
the values of layer 1 are the outputs of layer 0.

What is the share of $\mathbf{v}_0$ in the final output of token 2?""",
        data={"first": 0.3, "second": 0.5},
        vary=lambda rng: {"first": int(rng.integers(1, 10)) / 10, "second": int(rng.integers(2, 10)) / 10},
        answer=lambda d: d.first * d.second,
        mistakes=(
            Mistake(
                "outside the window",
                0,
                "Token 2 does not read token 0. It reads token 1, and token 1 has read token 0 one layer"
                " before.",
            ),
            Mistake(
                "added the weights",
                lambda d: d.first + d.second,
                "<<value>> is the sum. A share of a share is a product.",
            ),
            Mistake(
                "the last step alone",
                lambda d: d.second,
                "<<value>> is the share of what token 1 carries. Only a part of that is $\\mathbf{v}_0$.",
            ),
            Mistake(
                "the first step alone",
                lambda d: d.first,
                "<<value>> is the share of $\\mathbf{v}_0$ in what token 1 carries. Token 2 takes only a"
                " part of that.",
            ),
        ),
        why="There is one path, and its weights multiply.",
        hints=(
            "How much of what token 1 carries is $\\mathbf{v}_0$?",
            "Token 2 takes a part of what token 1 carries.",
        ),
        solution=(
            r"Token 1 carries $<<first>>\,\mathbf{v}_0$ and more. Token 2 takes <<second>> of it:"
            r" $<<second>> \cdot <<first>> = <<answer>>$."
        ),
    ),
    Choice(
        id="ch09-necessary",
        title="What a 1 promises",
        difficulty=2,
        minutes=2,
        prompt=r"""
In a model of four layers, $R_{9,2} = 1$ and $R_{9,1} = 0$. Which statement is true for every set of weights
that training may find?""",
        options=(
            Right("Changing token 1 leaves the output of token 9 as it is, bit for bit."),
            Wrong(
                "Changing token 2 changes the output of token 9.",
                "A path is a possibility. The weights on it may be tiny, or the matrices may wipe out what"
                " it carries.",
            ),
            Wrong(
                "Token 9 gives token 2 a weight above 0 in at least one layer.",
                "The path may have stops: token 9 need not read token 2 itself in any layer.",
            ),
            Wrong(
                "With a fifth layer of the same pattern, $R_{9,1}$ is still 0.",
                "One more layer may open a path. It need not, but it may.",
            ),
        ),
        why="A 0 is a promise, a 1 is a permission.",
        hints=("One of the two numbers says what cannot happen.",),
        solution=(
            "Without a path nothing that depends on token 1 is ever read on the way to output 9. With a"
            " path something may be read, and may be ignored."
        ),
    ),
    Code(
        id="ch09-code-reach",
        title="Reach from masks",
        difficulty=2,
        minutes=8,
        prompt=r"""
Write `stack_reach(masks)`. `masks` has the shape `(layers, L, L)`; layer 0 comes first, `True` means: may
attend. The result has the shape `(L, L)`: entry `[i, j]` is `True` if token $j$ can influence output $i$
through all layers. Each layer has a residual stream.""",
        stub=answers.REACH_STUB,
        code=answers.REACH_CODE,
        inputs=answers.some_masks,
        mistakes=(
            CodeMistake(
                "no residual stream",
                edited(answers.REACH_CODE, ("mask | np.eye(L, dtype=bool)", "mask")),
                "The residual stream is missing. A token stays where it is even in a layer that does not"
                " let it read itself: add the diagonal to each mask.",
            ),
            CodeMistake(
                "layers in reverse",
                edited(answers.REACH_CODE, ("for mask in masks", "for mask in masks[::-1]")),
                "The layers are multiplied in reverse. The last layer stands on the left, so layer 0 meets"
                " the tokens first.",
            ),
            CodeMistake(
                "paths counted",
                edited(
                    answers.REACH_CODE,
                    ("(layer.astype(int) @ product) > 0", "layer.astype(int) @ product"),
                    ("return product > 0", "return product"),
                ),
                "These are numbers of paths. Reach asks whether there is one: compare with 0.",
            ),
            CodeMistake(
                "entry by entry",
                edited(answers.REACH_CODE, ("(layer.astype(int) @ product) > 0", "layer | (product > 0)")),
                "This joins the masks entry by entry: what some single layer lets $i$ read. A path may change"
                " its token from layer to layer, so you need the matrix product.",
            ),
        ),
        why="Every product agrees, in order and with the residual stream.",
        hints=(
            "Add the identity to each mask.",
            "Start from the identity and multiply by one layer after the other. On which side?",
            "`@` of boolean arrays is the Boolean product in NumPy; with integers, compare with 0"
            " afterwards.",
        ),
        solution="Each layer is its mask or the identity. Multiply each new layer from the left.",
    ),
    Number(
        id="ch09-window",
        title="How far three windows see",
        difficulty=1,
        minutes=2,
        prompt=r"""
<<n>> layers have a window of $w = <<w>>$ keys, the query's own included. How many positions, counting its
own, can influence the last output of a long text?""",
        data={"w": 4, "n": 3},
        vary=lambda rng: {"w": int(rng.integers(3, 9)), "n": int(rng.integers(3, 7))},
        answer=answers.window_reach,
        mistakes=(
            Mistake(
                "self at each hop",
                lambda d: d.n * d.w,
                "<<value>> counts the token itself again at each hop. A hop leads $w - 1$ positions further"
                " back, not $w$.",
            ),
            Mistake(
                "self not at all",
                lambda d: d.n * (d.w - 1),
                "<<value>> is how far back the earliest position lies. The last position itself counts too.",
            ),
            Mistake(
                "one layer",
                lambda d: d.w,
                "<<value>> is what one layer reads. The keys of the last layer have read others before.",
            ),
            Mistake(
                "windows multiply",
                lambda d: d.w**d.n,
                "<<value>> multiplies the windows. They overlap: each layer moves the far end by the same"
                " step.",
            ),
        ),
        why="Each layer moves the far end $w - 1$ positions back; the last position itself is one more.",
        hints=("How far back does one layer lead, at most?", "Add the hops, then count both ends."),
        solution=r"$n(w - 1) + 1 = <<n>> \cdot (<<w>> - 1) + 1 = <<answer>>$.",
    ),
    Vector(
        id="ch09-mass",
        title="Reach is not use",
        difficulty=2,
        minutes=5,
        prompt=r"""
Two layers have a window of 3, and every query gives its 3 keys equal weights. There is no residual stream.
What share of the last output of a long text comes from the tokens at the distances 0, 1, 2, 3 and 4? Type
five numbers.""",
        data={"w": 3, "n": 2},
        label="Shares by distance",
        answer=answers.uniform_mass,
        mistakes=(
            Mistake(
                "equal shares",
                lambda d: np.full(5, 1 / 5),
                "<<value>> gives every position within reach the same share. There is one path to the"
                " farthest and three to the middle.",
            ),
            Mistake(
                "one layer",
                lambda d: np.array([1, 1, 1, 0, 0]) / 3,
                "This is one layer. Each of its three keys has itself read three.",
            ),
            Mistake(
                "counted, not divided",
                lambda d: answers.uniform_mass(d) * 9,
                "<<value>> are the numbers of paths, and right. Each path carries 1/3 of 1/3.",
            ),
        ),
        why="Paths of two steps, each 0, 1 or 2 long: most of them end in the middle.",
        hints=(
            "A distance is the sum of two steps, each 0, 1 or 2.",
            "How many of the nine pairs of steps add up to 2?",
        ),
        solution=(
            r"The nine pairs of steps add up to 0, 1, 2, 3 and 4 in 1, 2, 3, 2 and 1 ways. Divide by 9:"
            r" $<<answer>>$."
        ),
    ),
    Choice(
        id="ch09-span",
        title="A span of 131 thousand",
        difficulty=2,
        minutes=3,
        prompt=r"""
A model has 32 layers with a window of 4,096. Its card says: "theoretical attention span of 131K tokens". A
colleague concludes that it finds a sentence that stands 120,000 tokens back. What do you answer?""",
        options=(
            Right("A path exists. Whether anything comes through it must be measured, distance by distance."),
            Wrong(
                "It is impossible: a window of 4,096 reads 4,096 tokens.",
                "One layer does. Over 32 layers a path of 120,000 exists.",
            ),
            Wrong(
                "Correct: all 131,040 positions count alike.",
                "With equal weights less than 0.15 % of the mass lies beyond 85,600. Reach is no promise of"
                " use.",
            ),
            Wrong(
                "The card is wrong: the windows overlap, so the span is 65,520.",
                "65,520 is the mean distance under equal weights. The farthest path is twice as long.",
            ),
        ),
        why="The card states a bound. A bound is not a measurement.",
        hints=("What does 131K follow from: from the masks or from the weights?",),
        solution=(
            "The number follows from the masks alone. To know what the model uses, ask it at each distance,"
            " as this chapter does with a small one."
        ),
    ),
    Choice(
        id="ch09-chunks",
        title="Across the border",
        difficulty=1,
        minutes=2,
        prompt=r"""
All layers use chunks of 4: positions 0 to 3, 4 to 7, and so on. How many layers does it take until output 4
can depend on token 3?""",
        options=(
            Wrong("1", "Position 4 begins a chunk. In one layer it reads itself and nothing else."),
            Wrong("2", "Whatever position 4 reads lies in its own chunk, in layer 1 as in layer 0."),
            Wrong("4", "This would be right if each layer moved the border. The border stays where it is."),
            Right("No number of layers is enough."),
        ),
        why="A chunk is closed: whoever is in it has read only others in it.",
        hints=("List the keys of position 4. Which keys had they?",),
        solution=(
            r"$\mathbf{B}\mathbf{B} = \mathbf{B}$: if $j$ lies in the chunk of $g$ and $g$ in the chunk of"
            r" $i$, then $j$ lies in the chunk of $i$ already. Depth adds nothing."
        ),
    ),
    PickTokens(
        id="ch09-stride",
        title="One stop on the way",
        difficulty=2,
        minutes=4,
        prompt=r"""
Two layers have the pattern `sliding_window(4) | strided(4)`. Token 3 shall reach output 14. Click every
position at which a path can stand between the two layers.""",
        tokens=15,
        name="stops",
        answer=lambda d: answers.relays(answers.MIXED, 14, 3),
        mistakes=(
            Mistake(
                "stride from the key alone",
                lambda d: {7, 11},
                "These read token 3 by the stride, and token 14 reads 11 by its window. Does it read 7? And"
                " what of positions that read 3 by their window?",
            ),
            Mistake(
                "all that read token 3",
                lambda d: {g for g in range(4, 14) if answers.MIXED.mask(15)[g, 3]},
                "All of these have read token 3. Token 14 must also read them in the last layer.",
            ),
            Mistake(
                "all that token 14 reads",
                lambda d: {g for g in range(4, 14) if answers.MIXED.mask(15)[14, g]},
                "Token 14 reads all of these. Have they read token 3?",
            ),
        ),
        why="Either stride first and window last, or the other way round.",
        hints=(
            "Which positions after 3 have 3 among their keys?",
            "Which of them does token 14 read? It reads 11 to 13, and 10, 6 and 2 by the stride.",
        ),
        solution=(
            "Token 3 is read by 4, 5, 6 (window) and 7, 11 (stride). Of these, token 14 reads 6 by the"
            " stride and 11 by its window: <<answer>>."
        ),
    ),
    PickTokens(
        id="ch09-hub",
        title="Two hops through the hub",
        difficulty=2,
        minutes=4,
        prompt=r"""
Two layers have the pattern `sliding_window(6) | global_tokens([0])`, causal as all our patterns. Token 10
shall reach output 20. Click every position at which a path can stand between the two layers.""",
        tokens=21,
        name="stops",
        answer=lambda d: answers.relays(answers.HUB, 20, 10),
        mistakes=(
            Mistake(
                "the hub",
                {0},
                "Position 0 never saw token 10: it lies before it, and layer 0 lets it read only itself. A"
                " hub carries what came before the hub.",
            ),
            Mistake(
                "hub and window",
                lambda d: answers.both_ways(answers.HUB, 20, 10),
                "The stop in the window is right. Position 0 is read by 20, but it never saw token 10.",
            ),
            Mistake(
                "the whole window",
                lambda d: set(range(15, 20)),
                "Token 20 reads all of these. Have they all read token 10? A window of 6 holds a token and"
                " five before it.",
            ),
        ),
        why="The path needs a stop between 10 and 20 that has read 10 and is read by 20.",
        hints=(
            "A stop $g$ needs $10 \\le g \\le 20$. Why?",
            "Token 20 reads 15 to 20. How far back does each of them read?",
        ),
        solution=(
            "Token 20 reads 0 and 15 to 20. Of these only 15 has token 10 in its window of 6, and 0 has"
            " read nothing but itself: <<answer>>."
        ),
    ),
    PickTokens(
        id="ch09-sink",
        title="What a sink remembers",
        difficulty=2,
        minutes=3,
        prompt=r"""
Two layers have the pattern `sliding_window(4) | sinks(1)`. Click all positions that can influence output 12,
its own included.""",
        tokens=13,
        name="reach",
        answer=lambda d: answers.reached([answers.SINK] * 2, 12, 13),
        mistakes=(
            Mistake(
                "everything",
                set(range(13)),
                "Every token reads the sink, but the sink reads only itself: it passes on nothing from the"
                " middle.",
            ),
            Mistake(
                "the windows alone",
                lambda d: answers.reached([sliding_window(4)] * 2, 12, 13),
                "The two windows are right. The sink itself is read too.",
            ),
            Mistake(
                "one layer",
                lambda d: answers.reached([answers.SINK], 12, 13),
                "This is one layer. The keys in the window have read before.",
            ),
        ),
        why="Two windows reach back six positions, and the sink adds itself.",
        hints=(
            "Which positions has the sink read?",
            "Without the sink, two windows of 4 reach $2 \\cdot 3$ positions back.",
        ),
        solution=(
            "The windows reach from 6 to 12, the sink adds position 0: <<answer>>. StreamingLLM, which"
            " introduced sinks, says so itself: they do not extend the memory."
        ),
    ),
    Vector(
        id="ch09-order",
        title="The order of two layers",
        difficulty=3,
        minutes=4,
        prompt=r"""
One layer has `sliding_window(2)`, the other `chunks(4)`. What is the earliest position that can influence
output 4: first if the window is layer 0 and the chunks are layer 1, then the other way round? Type two
numbers.""",
        data={},
        label="Earliest position, twice",
        answer=lambda d: [answers.earliest(order, 4) for order in answers.ORDERS],
        mistakes=(
            Mistake(
                "orders exchanged",
                lambda d: [answers.earliest(order, 4) for order in answers.ORDERS[::-1]],
                "These are the two in the other order. Start at output 4 and go down: the last layer comes"
                " first.",
            ),
            Mistake(
                "order does not matter",
                lambda d: [answers.earliest(answers.ORDERS[1], 4)] * 2,
                "With the chunks in layer 1, output 4 reads only position 4. Where did position 4 read in"
                " layer 0?",
            ),
            Mistake(
                "chunks only",
                [4, 4],
                "Position 4 begins a chunk, but one of the two layers has a window.",
            ),
        ),
        why="Boolean products do not commute: the last layer chooses whom to ask, the first what they know.",
        hints=(
            "Draw output 4 at the top and go down one layer at a time.",
            "Whom does output 4 read in layer 1, in each of the two cases?",
        ),
        solution=(
            "Chunks last: 4 reads 4, which in layer 0 read 3 and 4. Earliest 3. Window last: 4 reads 3 and"
            " 4, and 3 has read its chunk 0 to 3. Earliest 0."
        ),
    ),
    Code(
        id="ch09-code-mixed",
        title="Window or stride",
        difficulty=2,
        minutes=10,
        prompt=r"""
Write `mixed_attention(query, key, value)` in NumPy, all `(batch, heads, tokens, dim)`: attention under
`sliding_window(4) | strided(4)`. Query $i$ reads the last 4 keys, its own included, and every key whose
distance from $i$ is a multiple of 4. It reads no later key. Scores are divided by the root of `dim`.""",
        stub=answers.MIXED_STUB,
        code=answers.MIXED_CODE,
        inputs=answers.batch,
        reference=answers.mixed_reference,
        sizes=(1, 2, 4, 5, 9, 14),
        mistakes=(
            CodeMistake(
                "window and stride",
                edited(answers.MIXED_CODE, ("near | same", "near & same")),
                "A key must be near *and* on the stride here, which leaves each query its own key. Join the"
                " two with `|`.",
            ),
            CodeMistake(
                "window alone",
                edited(answers.MIXED_CODE, ("near | same", "near")),
                "The stride is missing: query 8 must read keys 4 and 0.",
            ),
            CodeMistake(
                "stride alone",
                edited(answers.MIXED_CODE, ("near | same", "same")),
                "The window is missing: query 2 must read keys 1 and 0.",
            ),
            CodeMistake(
                "one key too few",
                edited(answers.MIXED_CODE, ("i - j < 4", "i - j < 3")),
                "The window holds three keys. A window of 4 is the query's own key and three before it.",
            ),
        ),
        diagnose=partial(named_fault, pattern=answers.MIXED, style="qkv", layout="BHLD", kind="numpy"),
        why="Every case agrees with attention under the pattern.",
        hints=(
            "Make `i` a column and `j` a row, so that `i - j` is a square of distances.",
            "Three conditions: near, on the stride, not in the future. Which are joined by `|`, which by"
            " `&`?",
        ),
        solution="The mask is causal and (near or on the stride); the rest is attention as in chapter 5.",
    ),
    Number(
        id="ch09-predict",
        title="A prediction before training",
        difficulty=2,
        minutes=3,
        prompt=r"""
Two layers have a window of $w = <<w>>$. A key and its value stand side by side, and a question asks for the
value later. Distance is counted from the value to the question. What is the largest distance at which both
key and value have a path to the question?""",
        data={"w": 16},
        vary=lambda rng: {"w": int(rng.integers(5, 33))},
        answer=answers.recall_reach,
        mistakes=(
            Mistake(
                "the value alone",
                lambda d: 2 * (d.w - 1),
                "At <<value>> the value is just within reach. Its key stands one position further back and"
                " is not.",
            ),
            Mistake(
                "one layer",
                lambda d: d.w - 1,
                "<<value>> is what one layer reads. There are two.",
            ),
            Mistake(
                "self at each hop",
                lambda d: 2 * d.w,
                "<<value>> counts $w$ for a hop. A hop leads $w - 1$ back, and the key stands one before"
                " the value.",
            ),
        ),
        why="Two hops of $w - 1$ reach the key; the value is one nearer.",
        hints=(
            "Two windows reach $2(w - 1)$ positions back.",
            "Which of the two, key or value, lies further back?",
        ),
        solution=(
            r"The key is reached up to $2(<<w>> - 1)$ positions back. The value is one position nearer:"
            r" $2(<<w>> - 1) - 1 = <<answer>>$."
        ),
    ),
    Choices(
        id="ch09-failed",
        title="What the failed prediction shows",
        difficulty=2,
        minutes=4,
        prompt="""
Under windows of 16 in both layers, questions at distances 16 to 28 were mostly answered, although it had been
predicted that they would not be. Which conclusions does the experiment of this chapter support? Tick all.""",
        options=(
            Right("A layer can do two jobs at once, at different positions."),
            Right("The reach of the masks held: beyond it, accuracy was that of guessing."),
            Wrong(
                "Reach tells how well a model will do.",
                "Within reach the accuracy went from less than a third to 1, by schedule and seed.",
            ),
            Wrong(
                "Large models with windows recall everything within reach.",
                "This is one task and one small model, trained for it. It shows what can happen, not what"
                " does.",
            ),
            Right("Cutting layer 0 down after training tells what it had been used for."),
        ),
        why="The bound held, the guess below it did not, and an intervention showed why.",
        hints=("Separate what the masks force from what training chose.",),
        solution=(
            "The masks forbid; everything else is up to training. A prediction about what training will"
            " find is a hypothesis, and this one was wrong."
        ),
    ),
    Explain(
        id="ch09-design",
        title="Chunks everywhere",
        difficulty=3,
        minutes=6,
        prompt="""
A team wants long contexts at little cost and proposes chunks of 8,192 in all layers: no overlap, simple
kernels, a small cache. You may change a quarter of the layers. What do you change, and how do you test on a
small model whether it was enough? Say what you predict before the test.""",
        rubric=(
            "It says that chunks alone never cross a border, however many layers there are.",
            "It changes some layers to something that crosses: full attention, or a window, or shifted"
            " chunks.",
            "It says where a full layer stands, and that reach alone does not decide that.",
            "Its test asks for something at known distances and compares with the level of guessing, over"
            " several seeds.",
            "It writes down a prediction from the masks, and what would count as its failure.",
        ),
        hints=("What does $\\mathbf{B}\\mathbf{B} = \\mathbf{B}$ mean for 48 layers?",),
        solution="""
Chunks are idempotent, so 48 layers of them reach as far as one. Make every fourth layer full: one such layer
is enough for reach, and a query can then ask for whatever the layers below have prepared.

Test with recall at growing distances, on both sides of a border. Predict from the masks where accuracy must
be that of guessing, train several seeds, show the spread, and keep the prediction in the report if it
fails.""",
    ),
]
