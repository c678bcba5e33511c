"""Chapter 4, The dense assumption. Every answer and every expected mistake is computed from the data."""

from functools import partial

import numpy as np

from companion.cost import flops
from companion.exercises.answers import ch04 as answers
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
    Order,
    PickTokens,
    Right,
    Vector,
    Wrong,
    edited,
)
from companion.patterns import causal
from companion.reference import softmax

__all__ = ["EXERCISES"]

EXERCISES = [
    Number(
        id="ch04-far-below",
        title="Twenty below",
        difficulty=1,
        minutes=3,
        prompt=r"""
A query has two scores, $<<s>>$. What is the weight of the second position, in exact arithmetic? One
digit is enough; write it like `3.4e-5`.""",
        data={"s": [0, -20]},
        answer=lambda d: softmax(d.s)[1],
        tolerance=1e-10,
        label="Weight",
        mistakes=(
            Mistake(
                "made it zero",
                0,
                "No finite score has the weight 0. This position is still read: its value is multiplied "
                "by the weight "
                "and added.",
            ),
            Mistake(
                "gave the other weight",
                lambda d: softmax(d.s)[0],
                "That is the weight of the first position, to all digits that you would write.",
            ),
            Mistake(
                "left out the exponential",
                lambda d: 1 / 20,
                "Weights follow the exponential of a score: $e^{-20}$, not 1/20.",
            ),
        ),
        why="It is tiny and it is not zero: the position is still read.",
        hints=("What is $e^{-20}$?", "The denominator is so near to 1 that you can leave it out."),
        solution=r"""
$\frac{e^{-20}}{e^0 + e^{-20}} = <<answer:.2g>>$. A program that computes all weights computes this one,
loads the value, multiplies and adds.""",
    ),
    Choices(
        id="ch04-where-zeros",
        title="Where a zero can come from",
        difficulty=2,
        minutes=3,
        prompt="""
A row of scores has its maximum at 30. Another of its scores is given. In which of these cases is the
weight at that other place exactly 0? Tick all. Numbers too small for a format round to the nearest that
it has.""",
        options=(
            Wrong("exact arithmetic, score $-1000$", "$e^{-1030}$ is a positive real number."),
            Right("any arithmetic, score $-\\infty$"),
            Wrong(
                "float32, score 0",
                "It lies 30 below the maximum. float32 rounds to 0 only from about 104 below.",
            ),
            Right("float16, score 0"),
            Right("float32, score $-80$"),
            Wrong(
                "float64, score $-80$",
                "It lies 110 below the maximum. float64 rounds to 0 only from about 745 below.",
            ),
        ),
        why="What counts is the distance to the maximum, and the smallest number that the format has.",
        hints=(
            "Subtract the maximum first: 30 below, 110 below.",
            "The limits: float16 17.3, float32 104, float64 745.",
        ),
        solution="""
The mask gives zeros in any arithmetic. Otherwise compare the distance below the maximum with the limit of
the format: 30 is past that of float16 (17.3) but not of float32 (104); 110 is past that of float32 but
not of float64 (745).""",
    ),
    Vector(
        id="ch04-effective",
        title="Two effective numbers",
        difficulty=2,
        minutes=5,
        prompt=r"""
A query has the weights $<<alpha>>$. Compute both effective numbers, first $e^{H}$, then
$1 / \sum_j \alpha_j^2$, to two decimals.""",
        data={"alpha": [0.5, 0.25, 0.25]},
        vary=lambda rng: {
            "alpha": rng.permutation(rng.choice([[2, 3, 5], [1, 2, 7], [1, 3, 6], [2, 2, 6], [1, 1, 8]])) / 10
        },
        label="Both numbers",
        answer=lambda d: [answers.by_entropy(d.alpha), answers.by_squares(d.alpha)],
        tolerance=0.006,
        mistakes=(
            Mistake(
                "stopped at the entropy",
                lambda d: [answers.entropy(d.alpha), answers.by_squares(d.alpha)],
                "The first is the entropy itself, <<value[0]:.2f>> nats. Its exponential is a number of "
                "tokens.",
            ),
            Mistake(
                "exchanged them",
                lambda d: [answers.by_squares(d.alpha), answers.by_entropy(d.alpha)],
                "Both are right, in the other order: $e^H$ first. It is never the smaller of the two.",
            ),
            Mistake(
                "counted the tokens",
                lambda d: [3, 3],
                "3 is how many weights are not zero. That would be both numbers only if the weights "
                "were equal.",
            ),
            Mistake(
                "forgot to invert",
                lambda d: [answers.by_entropy(d.alpha), 1 / answers.by_squares(d.alpha)],
                "The second is the sum of the squares, the chance that two draws agree. Take 1 over it.",
            ),
            Mistake(
                "mixed the bases",
                lambda d: [np.exp(answers.entropy(d.alpha) / np.log(2)), answers.by_squares(d.alpha)],
                "The first is $e$ to the entropy in bits. Take $e$ with nats, or 2 with bits.",
            ),
        ),
        why="Both lie between 1 and 3, and they differ because the weights do.",
        hints=(
            r"$H = -\sum_j \alpha_j \ln \alpha_j$: three products, then the sign.",
            "The squares: add the three, then take 1 over the sum.",
        ),
        solution=r"""
$H = <<H:.3f>>$ and $e^H = <<answer[0]:.2f>>$. The squares add up to <<squares:.3f>>, and 1 over it is
<<answer[1]:.2f>>.""",
        derive=lambda d: {"H": answers.entropy(d.alpha), "squares": (d.alpha**2).sum()},
    ),
    Number(
        id="ch04-which-number",
        title="Say which",
        difficulty=2,
        minutes=3,
        prompt=r"""
One token has the weight 0.5. The other half is shared equally by <<others>> tokens. A report says: "the
effective number of tokens is <<first:.1f>>". It took $e^H$. What does $1 / \sum_j \alpha_j^2$ say?""",
        data={"others": 99},
        derive=lambda d: {
            "first": answers.by_entropy(answers.half_and_others(d)),
            "squares": (answers.half_and_others(d) ** 2).sum(),
        },
        answer=lambda d: answers.by_squares(answers.half_and_others(d)),
        tolerance=0.02,
        mistakes=(
            Mistake(
                "gave the other number",
                lambda d: d.first,
                "<<value:.1f>> is $e^H$ again. There is more than one effective number, and they answer "
                "differently.",
            ),
            Mistake(
                "counted the tokens",
                lambda d: d.others + 1,
                "<<value>> is how many weights are not zero.",
            ),
            Mistake(
                "kept the largest alone",
                4,
                "4 is what the largest weight alone would give, $1/0.5^2$. The others add a little to "
                "the sum.",
            ),
            Mistake(
                "one over the largest weight",
                2,
                "2 is 1 over the largest weight. It is an effective number too, the third one; it was "
                "not asked for.",
            ),
        ),
        why="The squares hardly see the 99 small weights; the entropy does.",
        hints=(
            r"The large one contributes $0.5^2$.",
            r"The others contribute $99 \cdot (0.5/99)^2$ together.",
        ),
        solution=r"""
$0.25 + 99 \cdot (0.5/99)^2 = <<squares:.4f>>$, and 1 over it is <<answer:.2f>>. The same row has $e^H =
<<first:.1f>>$.""",
    ),
    Order(
        id="ch04-order",
        title="From concentrated to spread",
        difficulty=1,
        minutes=2,
        prompt="Put the rows of weights in order: the smallest effective number first, the largest last.",
        items=(
            "$[1, 0, 0, 0]$",
            "$[0.9, 0.1, 0, 0]$",
            "$[0.5, 0.5, 0, 0]$",
            "$[0.4, 0.3, 0.2, 0.1]$",
            "$[0.25, 0.25, 0.25, 0.25]$",
        ),
        mistakes=(
            Mistake(
                "most spread first",
                (4, 3, 2, 1, 0),
                "This is from spread to concentrated. One token alone has the effective number 1, the "
                "smallest.",
            ),
            Mistake(
                "went by the number of zeros",
                (0, 2, 1, 3, 4),
                "$[0.9, 0.1, 0, 0]$ and $[0.5, 0.5, 0, 0]$ have the same zeros, and the first is nearly "
                "one token.",
            ),
        ),
        why="One token is 1, equal shares of n tokens are n, and the rest lies between.",
        hints=("What is the effective number of two equal weights?",),
        solution=(
            "Both effective numbers put them in this order: 1, then below 2, then 2, then below 4, then 4."
        ),
    ),
    Code(
        id="ch04-code-effective",
        title="Measure a row",
        difficulty=2,
        minutes=9,
        prompt=r"""
Write `effective_numbers(alpha)`. `alpha` is a row of weights, an array of shape `(n,)`; entries may be
exactly 0. Return an array of two numbers: $e^H$ with $H = -\sum_j \alpha_j \ln \alpha_j$, and $1 / \sum_j
\alpha_j^2$. A weight of 0 adds nothing to either sum.""",
        stub='''import numpy as np


def effective_numbers(alpha):
    """The two effective numbers of one row: exp of the entropy, 1 / sum of squares."""
    raise NotImplementedError
''',
        code=answers.EFFECTIVE,
        inputs=answers.a_row_with_zeros,
        reference=lambda alpha: np.array([answers.by_entropy(alpha), answers.by_squares(alpha)]),
        mistakes=(
            CodeMistake(
                "took the logarithm of 0",
                edited(answers.EFFECTIVE, ("alpha[alpha > 0]", "alpha")),
                "Rows with a 0 give NaN: the logarithm of 0 is $-\\infty$, and 0 times that is NaN. "
                "Leave zeros out.",
            ),
            CodeMistake(
                "stopped at the entropy",
                edited(
                    answers.EFFECTIVE,
                    ("np.exp(-(seen * np.log(seen)).sum())", "-(seen * np.log(seen)).sum()"),
                ),
                "The first number is the entropy, not its exponential.",
            ),
            CodeMistake(
                "mixed the bases",
                edited(answers.EFFECTIVE, ("np.log(", "np.log2(")),
                "The entropy is in bits (`log2`) and the exponential has base $e$. Take the same base "
                "for both.",
            ),
            CodeMistake(
                "lost the sign",
                edited(answers.EFFECTIVE, ("np.exp(-(", "np.exp((")),
                "The first number is below 1: the entropy has the wrong sign. The logarithm of a weight "
                "is negative.",
            ),
            CodeMistake(
                "averaged the squares",
                edited(answers.EFFECTIVE, ("(alpha**2).sum()", "(alpha**2).mean()")),
                "The squares are averaged. Their sum is wanted: the chance that two draws agree.",
            ),
            CodeMistake(
                "padded the logarithm",
                edited(answers.EFFECTIVE, ("alpha[alpha > 0]", "alpha + 1e-8")),
                "A small number was added to the weights, so that the logarithm exists. It moves the "
                "result; leave the "
                "zeros out instead.",
            ),
        ),
        hints=(
            "`alpha[alpha > 0]` is the row without its zeros.",
            "For the entropy sum `-a * log(a)` over those. The squares need no care.",
        ),
        solution="A zero weight is left out of the entropy, since $a \\ln a$ goes to 0 with $a$.",
    ),
    Code(
        id="ch04-code-weights",
        title="Show the weights",
        difficulty=2,
        minutes=8,
        prompt=r"""
Write `attend_and_weigh(query, key, value)` in NumPy, for one head. All three have the shape `(L, D)`; token $i$
reads tokens 0 to $i$, and scores are divided by the root of $D$. Return two arrays: the outputs, `(L, D)`, and the
weights, `(L, L)`, with zeros in the future.""",
        stub='''import numpy as np


def attend_and_weigh(query, key, value):
    """Causal attention of one head, with its weights: (L, D), (L, L)."""
    raise NotImplementedError
''',
        code=answers.WEIGHTS,
        inputs=answers.one_head,
        reference=answers.output_and_weights,
        mistakes=(
            CodeMistake(
                "returned the scores",
                edited(answers.WEIGHTS, ("weights @ value, weights", "weights @ value, scores")),
                "The second result is the scores. Weights are their softmax: no entry is negative, and each row "
                "adds up to 1.",
            ),
            CodeMistake(
                "returned the powers",
                edited(answers.WEIGHTS, ("weights @ value, weights", "weights @ value, powers")),
                "The second result is the exponentials, not yet divided by their sum.",
            ),
            CodeMistake(
                "returned one",
                edited(answers.WEIGHTS, ("weights @ value, weights", "weights @ value")),
                "One array came back. Return two: outputs, then weights.",
            ),
            CodeMistake(
                "the wrong way round",
                edited(answers.WEIGHTS, ("weights @ value, weights", "weights, weights @ value")),
                "The two results come in the other order: outputs first.",
            ),
        ),
        diagnose=partial(named_fault, style="qkv", layout="LD", kind="numpy"),
        why="Outputs and weights agree with the loop, row by row.",
        hints=(
            "Write the five steps of chapter 2 for all rows at once, and keep the weights in a name of their own.",
            "The mask comes before the softmax. `np.tri` gives ones on and below the diagonal.",
        ),
        solution="The mask before the softmax, then the weights twice: times the values, and by themselves.",
    ),
    Number(
        id="ch04-ninety",
        title="Ninety percent",
        difficulty=2,
        minutes=4,
        prompt=r"""
Ten tokens have the weight <<alpha[0]>> each. Nine of their values are 0, the last one is <<v[9]>>. You
keep the nine, which is 90 percent of the mass, and divide their weights by their sum.

How far is the new output from the old one?""",
        data={"alpha": [0.1] * 10, "v": [0] * 9 + [100]},
        answer=lambda d: abs(answers.kept_output(d) - output_of_numbers(d)),
        tolerance=0.01,
        mistakes=(
            Mistake(
                "read the mass as an error",
                0.1,
                "0.1 is the mass that was left out. It becomes an error only when it meets a value: "
                "here 100.",
            ),
            Mistake(
                "read the mass as a percentage of 10",
                1,
                "1 would be ten percent of the old output, 10. The new output is 0: all of it is lost.",
            ),
            Mistake("kept everything", 0, "The new output is 0, yes. What was the old one?"),
            Mistake(
                "forgot the weight",
                lambda d: d.v[-1],
                "<<value>> is the value that was left out. It entered with the weight 0.1.",
            ),
        ),
        why="A tenth of the mass was all of the output.",
        hints=("Compute the old output: one term is not 0.", "The new output is an average of zeros."),
        solution=r"""
Old output: $0.1 \cdot 100 = 10$. New output: 0. The error is <<answer>>, which is all of the output. The
mass bounds the error only together with the distance between values: here $0.1 \cdot 100$.""",
    ),
    Choice(
        id="ch04-mass-promise",
        title="What the mass promises",
        difficulty=2,
        minutes=3,
        prompt=r"""
You keep positions with 99 percent of the mass and divide by their sum. All values lie within a distance
of 2 of each other. What can you say of the distance between new and old output, before you know the
values?""",
        options=(
            Wrong(
                "It is 1 percent of the length of the old output.",
                "The old output may be near 0, and the error does not know its length.",
            ),
            Right("It is at most 0.02."),
            Wrong(
                "It is at most 0.01.",
                "The lost mass is 0.01, and each bit of it can move by up to 2: from a value that was "
                "left out to one that "
                "was kept.",
            ),
            Wrong(
                "Nothing.",
                "The mass alone says nothing, but you know the largest distance between values too.",
            ),
        ),
        why="Lost mass times the largest distance between values: 0.01 times 2.",
        hints=("A share of 0.01 of the mass moves. How far can it move?",),
        solution=r"""
By (4.6) the error is $(1 - Z_G)$ times the distance between two averages of values, and two averages of
values are no further apart than two values can be: $0.01 \cdot 2 = 0.02$.""",
    ),
    PickTokens(
        id="ch04-two-heads",
        title="Two heads, one set",
        difficulty=2,
        minutes=3,
        prompt=r"""
One query, two heads. Head A has the weights <<A>>, head B has <<B>>, over the nine tokens in this
order. Each head may keep its two largest. Click every token whose key and value the layer still needs.""",
        tokens=answers.WORDS,
        data=answers.HEADS,
        answer=lambda d: answers.top(d.A, 2) | answers.top(d.B, 2),
        mistakes=(
            Mistake(
                "head A alone",
                lambda d: answers.top(d.A, 2),
                "This is what head A needs. Head B reads other tokens.",
            ),
            Mistake(
                "head B alone",
                lambda d: answers.top(d.B, 2),
                "This is what head B needs. Head A reads other tokens.",
            ),
            Mistake(
                "the largest of the mean",
                lambda d: answers.top(np.add(d.A, d.B), 2),
                "These two have the largest weight on average over the heads. Each head keeps two of "
                "its own.",
            ),
            Mistake(
                "common tokens only",
                set(),
                "No token is among the two largest of both heads. The layer needs what any of them needs.",
            ),
        ),
        why="The layer needs what any of its heads needs: the union, here all four.",
        hints=("Find the two largest of each row. Then take them together.",),
        solution=(
            "Head A keeps `river` and `bank`, head B keeps `the` (the first) and `way`: the layer needs "
            "four tokens."
        ),
    ),
    Vector(
        id="ch04-union",
        title="Eight heads",
        difficulty=1,
        minutes=2,
        prompt="""
A layer has <<heads>> heads. Each keeps its top <<k>> keys for the present query, out of thousands. How
many different tokens does the layer need then: at least, and at most?""",
        data={"heads": 8, "k": 4},
        vary=lambda rng: {"heads": int(rng.choice([4, 8, 12, 16, 32])), "k": int(rng.integers(2, 17))},
        label="Least, most",
        answer=lambda d: [d.k, d.heads * d.k],
        mistakes=(
            Mistake(
                "one head's number",
                lambda d: [d.k, d.k],
                "That many if all heads agree. Nothing makes them agree: the union may be <<answer[1]>> "
                "keys.",
            ),
            Mistake(
                "always all different",
                lambda d: [d.heads * d.k] * 2,
                "That many if no two heads share a key. They may also agree on all of them.",
            ),
            Mistake(
                "from one key",
                lambda d: [1, d.heads * d.k],
                "One head alone keeps <<k>> different keys, so the union has at least <<k>>.",
            ),
        ),
        why="From full agreement to none.",
        hints=("What if all heads pick the same keys? What if no two heads pick the same one?",),
        solution=(
            "All the same: <<answer[0]>>. No two the same: <<heads>> times <<k>>, which is <<answer[1]>>."
        ),
    ),
    Number(
        id="ch04-pairs",
        title="Count the pairs",
        difficulty=1,
        minutes=2,
        prompt="""
A text has <<L>> tokens, and each token reads itself and all before it. How many pairs of a query and a
key are that, for one head?""",
        data={"L": 4},
        vary=lambda rng: {"L": int(rng.integers(5, 40))},
        answer=lambda d: causal().pairs(d.L),
        tolerance=0.1,
        mistakes=(
            Mistake(
                "the whole square",
                lambda d: d.L**2,
                "<<value>> pairs would include the future. Row $i$ has $i + 1$ keys.",
            ),
            Mistake(
                "half the square",
                lambda d: d.L**2 / 2,
                "Half of the square splits the diagonal, and every token reads itself. Add the row lengths.",
            ),
            Mistake(
                "without themselves",
                lambda d: d.L * (d.L - 1) // 2,
                "<<value>> leaves out that every token reads itself.",
            ),
        ),
        why="The rows have 1, 2, ... keys, and their sum is L(L + 1)/2.",
        hints=("Row 0 has one pair, row 1 has two.",),
        solution=r"$1 + 2 + \dots + <<L>> = \frac{<<L>> \cdot (<<L>> + 1)}{2} = <<answer>>$.",
    ),
    Number(
        id="ch04-doubling",
        title="Twice the text",
        difficulty=2,
        minutes=3,
        prompt="""
A text of 2048 tokens is replaced by one of 4096. By which factor do the operations of causal attention
grow? Give two decimals.""",
        data={"L": 2048, "D": 128},
        answer=lambda d: flops(causal().pairs(2 * d.L), d.D) / flops(causal().pairs(d.L), d.D),
        mistakes=(
            Mistake(
                "grew with the tokens",
                2,
                "2 is the factor of the bytes: each query, key, value and output once. Each pair takes "
                "operations.",
            ),
            Mistake(
                "took the power of 2",
                8,
                "That would be the third power. A pair has two ends, and each may be twice as many.",
            ),
        ),
        why="Pairs grow with the square of the tokens.",
        hints=("Count the pairs of both texts.",),
        solution=r"""
$\frac{4096 \cdot 4097}{2048 \cdot 2049} = <<answer:.4f>>$. Operations grow by a factor of 4, bytes by a
factor of 2: the longer the text, the more operations for each byte.""",
    ),
    Explain(
        id="ch04-claim",
        title="A claim to weigh",
        difficulty=3,
        minutes=8,
        prompt="""
Somebody measured a model with two layers, on one novel, and writes: "The top 16 tokens hold 90 percent of
the attention on average. So attention is sparse, and a model that reads 16 tokens makes an error of at
most 10 percent, at a sixteenth of the cost for 256 tokens."

Name what does not follow.""",
        rubric=(
            "An average over heads and rows hides heads that spread their weight: report each head.",
            "Mass is not error: the values decide, and the output may be lost altogether.",
            "Each head has its own 16 tokens: the union over heads is larger.",
            "To know the 16 largest weights one has computed all scores, so that part of the cost remains.",
            "A small model on one text says nothing about large models or other texts.",
            "Sparse is not the word: all the weights are above 0. It is concentrated.",
        ),
        hints=("Go through the claim word by word: on average, attention, error, cost.",),
        solution="""
Concentrated, not sparse: no weight is 0. The average hides the heads that spread their weight. Ninety
percent of the mass bounds the error only together with the distances between values. Sixteen tokens a
head are up to sixteen times the number of heads for a layer. The largest weights are known only after all
scores have been computed, so the cost of the scores stays. And one small model on one novel is one case.""",
    ),
]
