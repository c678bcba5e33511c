"""Chapter 13, A Triton kernel, line by line. Answers and expected mistakes are computed where they can be."""

import numpy as np

from companion.exercises.answers import ch13 as answers
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
    Number(
        id="ch13-programs",
        title="How many programs?",
        difficulty=1,
        minutes=3,
        prompt="""
Attention over <<batch>> texts of <<L>> tokens, with <<heads>> query heads and <<kv>> key heads. A program
owns <<rows>> rows of one query head of one text. How many programs are in the grid?""",
        data={"batch": 2, "L": 1000, "heads": 8, "kv": 2, "rows": 128},
        vary=lambda rng: {
            "batch": int(rng.integers(2, 5)),
            "L": int(rng.integers(300, 3000)),
            "heads": 8,
            "kv": 2,
            "rows": int(rng.choice([32, 64])),
        },
        answer=answers.programs,
        mistakes=(
            Mistake(
                "rounded down",
                lambda d: answers.programs(d, up=lambda a, b: a // b),
                "<<value>> programs leave the last rows of each head without an owner. Round up.",
            ),
            Mistake(
                "key heads",
                lambda d: answers.programs(d, heads=d.kv),
                "<<value>> counts key heads. A program owns queries, and there are <<heads>> query heads.",
            ),
            Mistake(
                "one text",
                lambda d: answers.programs(d) // d.batch,
                "<<value>> is the count for one text.",
            ),
            Mistake(
                "one head",
                lambda d: answers.programs(d, heads=1),
                "<<value>> is the count for one head of each text.",
            ),
        ),
        why="Texts times query heads times tiles, the last tile with rows that do not exist.",
        hints=("How many tiles has one head?", "A last tile with fewer rows is a tile too."),
        solution="""
One head has <<L>> / <<rows>> tiles, rounded up. Times <<heads>> heads, times <<batch>> texts: <<answer>>.""",
    ),
    Number(
        id="ch13-strides",
        title="The address of a row",
        difficulty=1,
        minutes=2,
        prompt="""
A head of keys in bfloat16, 2 bytes a number, lies in order: <<D>> numbers a row, one row after the other.
What does a Triton kernel add to the pointer `key` to get to row <<row>>?""",
        data={"row": 3, "D": 64},
        vary=lambda rng: {"row": int(rng.integers(2, 40)), "D": int(rng.choice([32, 64, 128, 256]))},
        answer=lambda d: d.row * d.D,
        mistakes=(
            Mistake(
                "bytes",
                lambda d: 2 * d.row * d.D,
                "<<value>> counts bytes. The pointer knows that its numbers have two; it wants elements.",
            ),
            Mistake(
                "the row's number",
                lambda d: d.row,
                "That is another number of row 0. Rows lie <<D>> numbers apart.",
            ),
        ),
        why="Row times stride, in elements.",
        hints=("How many numbers come before the row?",),
        solution=r"$<<row>> \cdot <<D>> = <<answer>>$ elements, however many bytes an element has.",
    ),
    Number(
        id="ch13-address",
        title="Tokens first",
        difficulty=2,
        minutes=4,
        prompt=r"""
The memory of a tensor was filled as (batch, tokens, heads, dim), with <<heads>> heads and $D = <<D>>$, and is
then seen as (batch, heads, tokens, dim) by a transpose. In batch element 0, at how many elements from the
base lies the number of head <<at[0]>>, token <<at[1]>>, dimension <<at[2]>>? There are <<L>> tokens.""",
        data={"heads": 4, "D": 16, "L": 10, "at": [2, 3, 5]},
        vary=lambda rng: {
            "heads": int(rng.choice([4, 8])),
            "D": int(rng.choice([16, 32])),
            "L": int(rng.integers(9, 20)),
            "at": [int(rng.integers(1, 3)), int(rng.integers(3, 8)), int(rng.integers(1, 10))],
        },
        answer=answers.address,
        mistakes=(
            Mistake(
                "as if in order",
                lambda d: answers.address(d, (d.L * d.D, d.D)),
                "<<value>> is right for heads first: a head every $L D$ elements, a token every $D$. A"
                " transpose moves no number.",
            ),
            Mistake(
                "strides exchanged",
                lambda d: answers.address(d, (d.heads * d.D, d.D)),
                "<<value>> steps $H D$ from head to head and $D$ from token to token. The heads of one token"
                " are neighbours.",
            ),
            Mistake(
                "in bytes",
                lambda d: 2 * answers.address(d),
                "<<value>> counts bytes, two a number. Count elements.",
            ),
        ),
        why="Head times D, token times all heads times D, and the dimension.",
        hints=("Which comes next in memory after the last number of head 0, token 0?",),
        solution=r"""
A head is <<D>> elements from the next, a token $<<heads>> \cdot <<D>>$. So
$<<at[0]>> \cdot <<D>> + <<at[1]>> \cdot <<heads>> \cdot <<D>> + <<at[2]>> = <<answer>>$.""",
    ),
    PickTerms(
        id="ch13-terms",
        title="Which terms are wrong?",
        difficulty=2,
        minutes=3,
        prompt="""
A kernel computes the pointers to its tile of keys. `key_batch`, `key_head` and `key_token` are strides,
`group` is the number of query heads for each key head, and `rows` are the tokens of the tile. Click every
term that is wrong.""",
        lead="`key +`",
        terms=(
            "`batch * key_batch`",
            "`head * key_head`",
            "`rows[:, None] * key_token * 2`",
            "`tl.arange(0, D)[None, :]`",
        ),
        joiner="`+`",
        answer=(1, 2),
        mistakes=(
            Mistake(
                "only the bytes",
                (2,),
                "The stride in bytes is one. There is another: `head` counts query heads, and the keys have"
                " fewer.",
            ),
            Mistake(
                "only the head",
                (1,),
                "The head is one. There is another: strides count elements, whatever their bytes.",
            ),
            Mistake(
                "the dimension too",
                (1, 2, 3),
                "The dimensions of a vector lie side by side, one element apart: that term is right.",
            ),
        ),
        why="The key head is head // group, and a stride is not multiplied by the bytes of a number.",
        hints=("How many key heads are there, and how far does `head` count?",),
        solution="""
`head` counts query heads: the key head is `head // group`. And `rows * key_token` is already in elements; the
factor 2 counts bytes.""",
    ),
    Number(
        id="ch13-int64",
        title="Too far for 32 bits",
        difficulty=2,
        minutes=4,
        prompt=r"""
Keys of the shape (batch, <<heads>>, $2^{<<power>>}$, <<D>>) lie in order. A kernel computes
`batch * key_batch` in 32 bits, where the largest number is $2^{31} - 1$. What is the number of the first
batch element, from 0, whose offset is wrong?""",
        data={"heads": 8, "power": 18, "D": 128, "tokens": 2**18},
        vary=lambda rng: {
            "heads": int(rng.choice([4, 8])),
            "power": (power := int(rng.integers(15, 19))),
            "tokens": 2**power,
            "D": int(rng.choice([64, 128])),
        },
        answer=answers.first_overflow,
        mistakes=(
            Mistake(
                "bytes",
                lambda d: answers.first_overflow(d, 2**30),
                "<<value>> counts bytes, two a number. The kernel adds elements.",
            ),
            Mistake(
                "no sign",
                lambda d: answers.first_overflow(d, 2**32),
                "<<value>> would be right for numbers without a sign. One of the 32 bits is the sign.",
            ),
            Mistake(
                "the last good one",
                lambda d: answers.first_overflow(d) - 1,
                "The offset of <<value>> still fits. The next one does not.",
            ),
        ),
        why="Its offset is 2 to the 31, one more than fits.",
        hints=(r"Write the stride of the batch axis as a power of two.",),
        solution=r"""
The stride is $<<heads>> \cdot 2^{<<power>>} \cdot <<D>>$ elements. Times <<answer>> that is $2^{31}$ or more
for the first time.""",
    ),
    Number(
        id="ch13-tail",
        title="A masked load and no more",
        difficulty=2,
        minutes=3,
        prompt="""
<<n>> keys are loaded in a block of <<block>>, under a mask with `other=0.0`. Nothing else is done about the
missing keys. All <<n>> scores are 0. What weight does key 0 get?""",
        data={"n": 3, "block": 4},
        vary=lambda rng: {"block": (block := int(rng.choice([4, 8, 16]))), "n": int(rng.integers(2, block))},
        answer=answers.tail_weight,
        mistakes=(
            Mistake(
                "as if masked",
                lambda d: softmax(np.zeros(d.n))[0],
                "1/<<n>> is what it ought to be, and what it is once the scores of missing keys are"
                " $-\\infty$. Here they are 0.",
            ),
            Mistake("nothing", 0, "A score of 0 is not a weight of 0. The exponential of 0 is 1."),
            Mistake("one", 1, "The keys that exist share the weight, with whatever else is in the softmax."),
        ),
        why="The missing keys have the score 0, like the others, and take their share.",
        hints=("What is the score of a key of zeros?", "How many exponentials are in the sum?"),
        solution="""
A missing key is a vector of zeros. Its score is 0 and its exponential 1, as that of every other key. So
there are <<block>> equal weights, and each is 1/<<block>>.""",
    ),
    Number(
        id="ch13-exp2",
        title="Without the logarithm of e",
        difficulty=2,
        minutes=3,
        prompt=r"""
A kernel computes the softmax of the scores $<<s>>$ with `exp2` in place of `exp`, and forgets to multiply by
$\log_2 e$. What is its first weight?""",
        data={"s": [1, 0]},
        vary=lambda rng: {"s": rng.choice(5, 2, replace=False)},
        answer=answers.weight_to_base_2,
        tolerance=0.004,
        mistakes=(
            Mistake(
                "the softmax",
                lambda d: answers.weight_to_base_2(d, 1 / np.log(2)),
                "<<value:.2g>> is the softmax. This kernel takes powers of 2, not of e.",
            ),
            Mistake(
                "the wrong way",
                lambda d: answers.weight_to_base_2(d, 1 / np.log(2) ** 2),
                "<<value:.2g>> would follow from multiplying twice. Here nothing is multiplied.",
            ),
            Mistake(
                "the other one",
                lambda d: 1 - answers.weight_to_base_2(d),
                "<<value:.2g>> is the second weight.",
            ),
        ),
        why="Powers of 2 are flatter than powers of e: it is a softmax at a higher temperature.",
        hints=("The two powers of 2 are easy. Their shares?",),
        solution=r"""
$2^{<<s[0]>>} / (2^{<<s[0]>>} + 2^{<<s[1]>>}) = <<answer:.2g>>$. No test for NaN or for a sum of 1 finds it.
The temperature is $\log_2 e = 1.44$ in place of 1.""",
    ),
    PickTokens(
        id="ch13-bits",
        title="Bits of a mask",
        difficulty=2,
        minutes=3,
        prompt="""
A row of a mask over 16 keys is stored in the two bytes <<bytes[0]>> and <<bytes[1]>>, in this order. Bit $b$
of byte $n$, counted from the one that is worth 1, is key $8 n + b$. Which keys are allowed?""",
        data={"bytes": [6, 128]},
        tokens=16,
        answer=answers.allowed,
        mistakes=(
            Mistake(
                "from the left",
                lambda d: answers.allowed(d, "big"),
                "You counted the bits as they are written. Bit 0 is the one on the right, worth 1.",
            ),
            Mistake(
                "bytes exchanged",
                lambda d: answers.allowed(d, turned=True),
                "The first byte holds keys 0 to 7.",
            ),
            Mistake(
                "the numbers themselves",
                {6},
                "The numbers are not keys. Write each as a sum of powers of two.",
            ),
        ),
        why="6 = 2 + 4 and 128 is the last bit of the second byte.",
        hints=("Write 6 as a sum of powers of two. Which bits are these?",),
        solution="""
6 = 2 + 4: bits 1 and 2 of byte 0, keys 1 and 2. 128 is bit 7 of byte 1: key 8 + 7 = 15.""",
    ),
    Vector(
        id="ch13-groups",
        title="Whose keys?",
        difficulty=1,
        minutes=2,
        prompt="""
<<Hq>> query heads, <<Hkv>> key heads. Which key head does the kernel read for query heads 0 to <<last>>, by
`head // group`?""",
        data={"Hq": 6, "Hkv": 2, "last": 5},
        answer=answers.key_heads,
        mistakes=(
            Mistake(
                "in turn",
                lambda d: np.arange(d.Hq) % d.Hkv,
                "<<value>> deals the heads out in turn. Query heads that share a key head are neighbours.",
            ),
            Mistake(
                "divided by the key heads",
                lambda d: np.arange(d.Hq) // d.Hkv,
                "<<value>> divides by the number of key heads. `group` is query heads for each key head.",
            ),
        ),
        why="group is 3: a run of three query heads for each key head.",
        hints=("How many query heads does a key head serve?",),
        solution="`group` = <<Hq>> / <<Hkv>> = 3. The numbers 0 to 5 over 3, rounded down, are $<<answer>>$.",
    ),
    Number(
        id="ch13-split",
        title="The last share",
        difficulty=2,
        minutes=4,
        prompt="""
A row's list has <<blocks>> blocks and is cut into <<splits>> splits by the lines of the kernel: a share is
the number of blocks over the number of splits, rounded up. How many blocks does the last split get?""",
        data={"blocks": 10, "splits": 4},
        vary=lambda rng: {
            "splits": (splits := int(rng.integers(3, 6))),
            "blocks": splits * int(rng.integers(1, 4)) + int(rng.integers(1, splits)),
        },
        answer=answers.last_share,
        mistakes=(
            Mistake(
                "a full share",
                lambda d: answers.rounded_up(d.blocks, d.splits),
                "<<value>> is a full share. The last split ends where the list ends.",
            ),
            Mistake(
                "rounded down",
                lambda d: d.blocks - (d.splits - 1) * (d.blocks // d.splits),
                "<<value>> would be left if the share were rounded down. It is rounded up, so that nothing"
                " is left.",
            ),
            Mistake(
                "the mean",
                lambda d: d.blocks / d.splits,
                "<<value:.3g>> is the mean. A block is not cut.",
            ),
        ),
        why="Shares are rounded up, so the last ones may get little or nothing.",
        hints=("Where does the last share begin?", "And where does the list end?"),
        solution="""
A share is <<blocks>> / <<splits>>, rounded up. The last split begins after all shares before it, and ends
with the list: <<answer>> blocks. Where that is 0, it reports output 0 and log-sum-exp minus infinity, and
weighs nothing in the merge.""",
    ),
    Order(
        id="ch13-loop",
        title="A step under a mask",
        difficulty=2,
        minutes=4,
        prompt="Put the lines of one step of the kernel in order.",
        items=(
            "find the first key of the step in the list of blocks",
            "load its keys and values, with 0 for those past the end",
            "multiply queries and keys",
            "set the products that the bits forbid to $-\\infty$",
            "take the new peak and scale it, or take 0 in its place where it is $-\\infty$",
            "`exp2` of products and of the old peak, both scaled and less the new one",
            "rescale the sums and add the step's own",
        ),
        mistakes=(
            Mistake(
                "peak before the mask",
                (0, 1, 2, 4, 3, 5, 6),
                "The peak is taken before the forbidden scores are gone. The result is right in real numbers,"
                " since any reference is, but a large forbidden score can push all others to 0.",
            ),
            Mistake(
                "mask after the exponential",
                (0, 1, 2, 4, 5, 3, 6),
                "The exponentials of forbidden scores are taken before the mask: they would be in the sums.",
            ),
        ),
        why="It is the step of chapter 11, with the bits of the mask where chapter 12 asked the pattern.",
        hints=("What must be known before the exponential can be taken?",),
        solution="""
Find, load, multiply, forbid; then the online softmax: peak, exponentials, sums.""",
    ),
    Choice(
        id="ch13-guard",
        title="Where the guard is not needed",
        difficulty=2,
        minutes=3,
        prompt=r"""
The guard `tl.where(new_peak == NONE, 0.0, shift)` is compiled into the second loop, over blocks under a
mask, and not into the first, over full blocks. Why can the first loop do without?""",
        options=(
            Wrong(
                "Full blocks come first, and at the beginning the peak is 0.",
                "The peak begins at $-\\infty$. It must not be 0: scores may all be far below.",
            ),
            Right("After a full block every row has met keys, so the new peak is finite."),
            Wrong(
                "In a full block no score is large.",
                "Scores may be of any size. What matters is that they are not $-\\infty$.",
            ),
            Wrong(
                r"In the first loop $-\infty - (-\infty)$ is 0.",
                "It is NaN in every loop. It does not come up in the first.",
            ),
        ),
        why="The old peak may be minus infinity, and then the factor is exp2 of minus infinity, which is 0.",
        hints=("Which two numbers are subtracted, and when can both be minus infinity?",),
        solution=r"""
`peak * scale - shift` is $-\infty$ less a finite number, which is $-\infty$, and `exp2` of it is 0: right.
NaN needs both to be $-\infty$, that is, a row that still has no key after the block. A full block gives
every row keys.""",
    ),
    Choice(
        id="ch13-past",
        title="The rows past L",
        difficulty=3,
        minutes=4,
        prompt=r"""
A tile of queries sticks out of the text. The load of its rows is not masked, so the rows past $L$ hold what
lies there, by chance NaN. Every pair with them has the weight 0, and the stores of the forward and of the
backward kernels are masked. What is wrong?""",
        options=(
            Wrong(
                "Nothing: their weights are 0 and their outputs are not stored.",
                "The first half fails for sums over queries: $0 \\cdot \\mathrm{NaN}$ is NaN.",
            ),
            Wrong(
                "The outputs of the other queries.",
                "An output is a sum over keys. A row past $L$ is a query, and enters no other output.",
            ),
            Right("The gradients of keys and values."),
            Wrong(
                "The gradients of the other queries.",
                "The gradient of a query is a sum over the keys that it reads. No other query is in it.",
            ),
        ),
        why="Gradients of keys and values are sums over queries, and 0 times NaN is NaN.",
        hints=("Which results are sums over queries?",),
        solution=r"""
$\mathrm{d}\mathbf{k}_j$ and $\mathrm{d}\mathbf{v}_j$ are sums over queries, those past $L$ included, with the
weight 0. But $0 \cdot \mathrm{NaN}$ is NaN. Read 0 in their place.""",
    ),
    Explain(
        id="ch13-explain",
        title="Two runs, two gradients",
        difficulty=3,
        minutes=6,
        prompt="""
A user trains a model twice with the same seed. The outputs of the first forward pass are equal bit for bit.
The gradients of queries differ in the last bits, those of keys and values do not. The backward kernel has one
program for each tile of keys, which adds its part of the gradient of queries by atomic additions.

Explain what happens, why keys and values are not affected, and one way to make both runs equal.""",
        rubric=(
            "It says that several programs add to the gradient of one query.",
            "It says that atomic additions lose nothing but come in an order that changes from run to run.",
            "It says that sums in floating point depend on the order.",
            "It says that the gradient of a key is finished by the one program that owns it.",
            "It names a cure: a second kernel that owns queries, or a fixed order, and what it costs.",
        ),
        hints=("Who owns a key, and who owns a query, in this kernel?",),
        solution="""
A tile of keys is owned by one program, which adds up its gradients in a fixed order: the same bits every
time. The gradient of a query gets a part from every program whose keys it reads. Atomic additions see to it
that no part is lost, but programs end in another order each time, and a sum of rounded numbers depends on the
order.

A second kernel, in which a program owns queries and goes along their keys, finishes these sums in a fixed
order too. It must compute the scores once more: seven products in place of five. The other way is to make the
programs wait for each other in a fixed order, which costs time as well.""",
    ),
    Choices(
        id="ch13-interpreter",
        title="Green in the interpreter",
        difficulty=2,
        minutes=3,
        prompt="""
A kernel passes all its tests in the interpreter. Which of these faults may it still have on a GPU? Tick
all.""",
        options=(
            Right("Two programs add to one place and lose each other's part."),
            Wrong(
                "For lengths that the tests try, it reads the wrong row for tokens-first inputs.",
                "Addresses are computed in the interpreter as on the device. A test of such inputs finds it.",
            ),
            Right("Its float32 products are in tf32."),
            Wrong(
                "It forgets to rescale the sums when the peak grows.",
                "That is arithmetic, the same in both. A test with a rising peak finds it.",
            ),
            Right("Its tiles need more fast memory than there is."),
            Right("It is slower than dense attention."),
        ),
        why="Order, precision of the matrix units, memory and speed belong to the device.",
        hints=("What does the interpreter share with a GPU, and what does it not have?",),
        solution="""
The interpreter runs the lines of the kernel, one program after the other, with NumPy's products. It shows
wrong addresses and wrong arithmetic. It has no programs side by side, no matrix units, no limit of memory and
no speed worth measuring.""",
    ),
    Code(
        id="ch13-mend",
        title="Mend the kernel",
        difficulty=3,
        minutes=20,
        prompt="""
The kernel in the stub is broken in three places. `mended(query, key, value)` launches it; all are `(batch,
heads, tokens, 16)` in float32, and every token reads all tokens. Mend the kernel, then delete the line that
raises `NotImplementedError`.""",
        stub=answers.MEND_STUB,
        code=answers.MEND_CODE,
        inputs=answers.heads_of_tokens,
        reference=answers.full_reference,
        sizes=(3, 16, 33),
        tolerance=1e-5,
        mistakes=(
            CodeMistake(
                "as it was",
                edited(answers.MEND_CODE, answers.NO_LIMIT, answers.BASE_TWO, answers.NO_FACTOR),
                "These are the outputs of the kernel as it was. Look at the end of the text, at the base of"
                " the exponentials, and at what happens when a later tile has the largest score.",
            ),
            CodeMistake(
                "no limit",
                edited(answers.MEND_CODE, answers.NO_LIMIT),
                "Keys past the end are loaded as zeros and get the score 0, and $e^0 = 1$. Their scores must"
                " be minus infinity.",
            ),
            CodeMistake(
                "base two",
                edited(answers.MEND_CODE, answers.BASE_TWO),
                "`exp2` takes powers of 2. Multiply the scores by $\\log_2 e$ first.",
            ),
            CodeMistake(
                "numerator not rescaled",
                edited(answers.MEND_CODE, answers.NO_FACTOR),
                "The sum is rescaled when the peak grows, the numerator is not.",
            ),
            CodeMistake(
                "no limit, base two",
                edited(answers.MEND_CODE, answers.NO_LIMIT, answers.BASE_TWO),
                "Two places are left: the keys past the end, and the base of the exponentials.",
            ),
            CodeMistake(
                "no limit, numerator not rescaled",
                edited(answers.MEND_CODE, answers.NO_LIMIT, answers.NO_FACTOR),
                "Two places are left: the keys past the end, and the numerator when the peak grows.",
            ),
            CodeMistake(
                "base two, numerator not rescaled",
                edited(answers.MEND_CODE, answers.BASE_TWO, answers.NO_FACTOR),
                "Two places are left: the base of the exponentials, and the numerator when the peak grows.",
            ),
        ),
        diagnose=answers.named_by_clinic,
        why="Every case agrees with float64, whole tiles or not.",
        hints=(
            "Three keys in a tile of sixteen: what are the scores of the other thirteen?",
            "What must a score be multiplied by before `exp2`?",
            "Two sums are kept. What happens to each when the peak grows?",
        ),
        solution="Three lines: minus infinity past the end, the logarithm of e, the factor of the numerator.",
    ),
]
