"""Chapter 6, Decoding one token at a time. Answers and mistakes are computed wherever they can be."""

from functools import partial

from companion.exercises.answers import ch06 as answers
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
from companion.reference import weighted_sum

__all__ = ["EXERCISES"]

EXERCISES = [
    PickTerms(
        id="ch06-keep",
        title="What need not be kept",
        difficulty=1,
        minutes=2,
        prompt=r"""
Tokens 0 and 1 have been processed, and their outputs handed on. More tokens will come. Click everything
that no later step will read.""",
        lead="Computed so far:",
        joiner="$,$",
        terms=(
            r"$\mathbf{q}_0$",
            r"$\mathbf{k}_0$",
            r"$\mathbf{v}_0$",
            r"$\mathbf{q}_1$",
            r"$\mathbf{k}_1$",
            r"$\mathbf{v}_1$",
        ),
        answer={0, 3},
        mistakes=(
            Mistake(
                "nothing of the queries",
                {1, 2, 4, 5},
                "It is the other way round. Token 2 will score every past key and average every past value.",
            ),
            Mistake(
                "keep the latest query",
                {0},
                "And $\\mathbf{q}_1$? It stands in row 1 of the scores and in no other, and row 1 is done.",
            ),
            Mistake(
                "drop the keys too",
                {0, 1, 3, 4},
                "Token 2 will need the past keys again: it must score them with its own query.",
            ),
            Mistake(
                "token 0 is done",
                {0, 1, 2},
                "Token 2 may still read token 0. What it never reads is a query of the past.",
            ),
        ),
        why="A past query is never read: row $i$ of the scores is the only place where query $i$ stands.",
        hints=(
            "Write the output of token 2. Which letters with index 0 or 1 stand in it?",
            "Later tokens bring a query of their own.",
        ),
        solution=r"""
The output of a later token $t$ contains $\mathbf{q}_t$, all keys and all values up to $t$. The queries
$\mathbf{q}_0$ and $\mathbf{q}_1$ stand in none of them.""",
    ),
    Number(
        id="ch06-old-rows",
        title="How many rows change?",
        difficulty=1,
        minutes=1,
        prompt=r"""
The outputs of <<old>> tokens have been computed, in every layer of a causal model. One more token arrives.
How many of the <<old>> old outputs change?""",
        data={"old": 9},
        answer=0,
        mistakes=(
            Mistake(
                "all of them",
                lambda d: d.old,
                "A whole new pass would give the same <<value>> rows again. Which of them may read the new"
                " token?",
            ),
            Mistake(
                "the last one",
                1,
                "One output is new. It is not among the old ones. Which old row may read the new token?",
            ),
            Mistake(
                "all and the new one",
                lambda d: d.old + 1,
                "<<value>> is the number of rows of a whole pass. No old row may read the new token.",
            ),
        ),
        why="No old row may read the new token, in any layer.",
        hints=("Which columns of the scores does row 3 use?",),
        solution="""
Row $i$ reads positions 0 to $i$. The new token stands after all of them, so no old row reads it: <<answer>>
rows change. In the next layer the old rows are made from old outputs, which did not change, and so on.""",
    ),
    Vector(
        id="ch06-step",
        title="One step, by hand",
        difficulty=1,
        minutes=3,
        prompt=r"""
The cache holds two tokens with the values $<<V[0]>>$ and $<<V[1]>>$. Token 2 arrives with
$\mathbf{v}_2 = <<V[2]>>$. The exponentials of its scores with keys 0, 1 and 2 are <<powers[0]>>,
<<powers[1]>> and <<powers[2]>>. What is its output?""",
        data={"powers": [1, 6, 3], "V": answers.VALUES},
        vary=answers.fresh_step,
        answer=lambda d: answers.step(d, [0, 1, 2]),
        mistakes=(
            Mistake(
                "attended before appending",
                lambda d: answers.step(d, [0, 1]),
                "<<value:.2f>> averages the cache alone: the new token's own key and value were appended too"
                " late. A token reads itself.",
            ),
            Mistake(
                "aligned top left",
                lambda d: d.V[0],
                "<<value>> is the value of token 0. A mask that takes the one query for position 0 hides all"
                " keys but the first.",
            ),
            Mistake(
                "plain mean",
                lambda d: d.V.mean(axis=0),
                "<<value:.2f>> counts the three values alike. Divide each exponential by their sum and use"
                " that as weight.",
            ),
            Mistake(
                "not divided",
                lambda d: weighted_sum(d.powers, d.V),
                "<<value>> uses the exponentials as weights. Divide by their sum first.",
            ),
        ),
        why="Append first, then attend: the two cached values and the token's own.",
        hints=(
            "How many keys does token 2 read?",
            "The exponentials add up to 10, so the weights are tenths.",
        ),
        solution=r"""
The weights are the exponentials over their sum, 10. So the output is

$0.<<powers[0]>> \cdot <<V[0]>> + 0.<<powers[1]>> \cdot <<V[1]>> + 0.<<powers[2]>> \cdot <<V[2]>> = <<answer>>$.""",
    ),
    Order(
        id="ch06-order",
        title="A decoding step",
        difficulty=1,
        minutes=2,
        prompt="""
Put the steps of one decoding step in order. `x` is the new token's vector; `K` and `V` are the cache.""",
        items=(
            "`q, k, v = x @ W_Q, x @ W_K, x @ W_V`",
            "`K, V = np.vstack([K, k]), np.vstack([V, v])`",
            "`scores = q @ K.T / np.sqrt(len(q))`",
            "`alpha = softmax(scores)`",
            "`o = alpha @ V`",
        ),
        mistakes=(
            Mistake(
                "append last",
                (0, 2, 3, 4, 1),
                "The new key is appended after the scores are made here, so the token does not read itself.",
            ),
            Mistake(
                "append after the scores",
                (0, 2, 1, 3, 4),
                "The scores are made before the new key is in the cache: one weight too few for `V`.",
            ),
            Mistake(
                "append after the softmax",
                (0, 2, 3, 1, 4),
                "There is one weight too few for `V`: the new key was not in the cache when the scores were"
                " made.",
            ),
        ),
        why="The cache grows before it is read, since a token reads itself.",
        hints=("A token reads itself. When must its own key be in the cache?",),
        solution="Project, append, score, softmax, sum. Append comes before score.",
    ),
    PickTokens(
        id="ch06-chunk",
        title="Two tokens after three",
        difficulty=2,
        minutes=2,
        prompt="""
Three tokens are cached, positions 0 to 2. Two more arrive in one call, positions 3 and 4. Click every key
that the query at position 3 may read.""",
        tokens=5,
        name="Keys of query 3",
        answer=lambda d: answers.row_of_call(3, 0),
        mistakes=(
            Mistake(
                "aligned top left",
                lambda d: answers.row_of_call(0, 0),
                "This takes the query for position 0, since it is the first of its call. Three tokens came"
                " before.",
            ),
            Mistake(
                "no mask",
                lambda d: answers.row_of_call(3, 1),
                "Both tokens arrive in one call, but position 4 lies in the future of position 3.",
            ),
            Mistake(
                "cache alone",
                {0, 1, 2},
                "This is the cache alone. A token reads itself.",
            ),
            Mistake(
                "new tokens alone",
                {3},
                "This is the new tokens' own triangle. The cache lies in the past of both.",
            ),
        ),
        why="All of the cache, and itself.",
        hints=("Query $r$ of the call stands at position $3 + r$.",),
        solution="""
The query at position 3 reads keys 0 to 3, and the one at position 4 reads keys 0 to 4. Those are the last
two rows of the causal mask over five tokens.""",
    ),
    Code(
        id="ch06-attend-cached",
        title="Queries at the end",
        difficulty=2,
        minutes=10,
        prompt="""
Write `attend_cached(query, key, value)` in NumPy. `key` and `value` have the shape
`(batch, heads, S, dim)` and hold all tokens so far, the new ones included. `query` has the shape
`(batch, heads, L, dim)` and holds the queries of the last $L$ of them. Attention is causal, scores are
divided by the root of `dim`. It must be right for $L = 1$, for $L = S$, and in between.""",
        stub=answers.STUB,
        code=answers.CODE,
        inputs=answers.continuation,
        reference=answers.causal_reference,
        sizes=(1, 2, 3, 5, 8, 13),
        mistakes=(
            CodeMistake(
                "aligned top left",
                answers.spoiled(("S - L + np.arange(L)", "np.arange(L)")),
                "The queries were taken for the first $L$ tokens. They are the last: row $r$ stands at"
                " position $S - L + r$.",
            ),
            CodeMistake(
                "no mask",
                answers.spoiled(("np.where(keep, scores, -np.inf)", "scores")),
                "There is no mask. That is right for one new token and wrong for several: the first of them"
                " reads the last.",
            ),
            CodeMistake(
                "excludes itself",
                answers.spoiled(("<= positions", "< positions")),
                "No query reads its own key. Use `<=`.",
            ),
            CodeMistake(
                "one too many",
                answers.spoiled(("S - L + np", "S - L + 1 + np")),
                "The offset is one too large: each query reads the token after it. The first new token stands"
                " at $S - L$.",
            ),
            CodeMistake(
                "the cache alone",
                answers.spoiled(("np.arange(S) <= positions[:, None]", "np.arange(S) < S - L")),
                "The queries read the tokens before the call and none of the call's own.",
            ),
            CodeMistake(
                "no scale",
                answers.spoiled((" / D**0.5", "")),
                "The scores are not divided by the root of `dim`.",
            ),
        ),
        diagnose=partial(named_fault, style="qkv", layout="BHLD", kind="numpy"),
        why="One function for prefill, chunks and single tokens.",
        hints=(
            "The mask has $L$ rows and $S$ columns. At which position does row 0 stand?",
            "Compare `np.arange(S)` with the queries' positions, as a column.",
        ),
        solution="Five lines of chapter 5, with the queries' positions counted from $S - L$.",
    ),
    Choices(
        id="ch06-flag",
        title="Which calls are right?",
        difficulty=2,
        minutes=3,
        prompt="""
`q` holds the queries of the $L$ newest tokens, `k` and `v` hold all $S$ tokens so far, `sdpa` is PyTorch's
`scaled_dot_product_attention`. Tick every call that computes causal attention.""",
        options=(
            Right("$L = S = 6$: `sdpa(q, k, v, is_causal=True)`"),
            Wrong(
                "$L = 1$, $S = 6$: `sdpa(q, k, v, is_causal=True)`",
                "With one query the flag keeps key 0 and hides the rest of the cache.",
            ),
            Right("$L = 1$, $S = 6$: `sdpa(q, k, v)`"),
            Wrong(
                "$L = 6$, $S = 6$: `sdpa(q, k, v)`, since the cache was empty",
                "An empty cache does not make the mask needless: the six tokens of the call would read each"
                " other's future.",
            ),
            Wrong(
                "$L = 2$, $S = 6$: `sdpa(q, k, v)`, since a cache holds only the past",
                "The cache does, but the call brings two tokens, and the first would read the second.",
            ),
            Right("$L = 2$, $S = 6$: `sdpa(q, k, v, attn_mask=torch.ones(2, 6, dtype=torch.bool).tril(4))`"),
        ),
        why="The flag fits $L = S$, no mask fits $L = 1$, the shifted triangle fits every $L$.",
        hints=("Write the rows that each call allows.", "`tril(4)` moves the diagonal by $S - L$ columns."),
        solution="""
The triangle must end in the lower right corner. The flag puts it into the upper left, so it fits only if
there is no difference, $L = S$. Without a mask every query reads everything, which fits only the very last
position, $L = 1$. `tril(S - L)` is right for all $L$ from 1 to $S$.""",
    ),
    Number(
        id="ch06-bytes",
        title="The memory bill",
        difficulty=1,
        minutes=3,
        prompt=r"""
A model has <<layers>> layers, <<heads_q>> query heads, <<heads_kv>> key and value heads, $D = <<dim>>$, and
keeps its cache in bfloat16, 2 bytes a number. How many GiB ($2^{30}$ bytes) does the cache of one sequence
of <<tokens>> tokens take?""",
        data={"layers": 32, "heads_q": 32, "heads_kv": 8, "dim": 128, "tokens": 8192},
        label="GiB",
        vary=answers.fresh_model,
        answer=lambda d: answers.gibibytes(d, d.heads_kv),
        mistakes=(
            Mistake(
                "forgot the values",
                lambda d: answers.gibibytes(d, d.heads_kv) / 2,
                "<<value>> GiB are the keys alone. The cache holds the values too.",
            ),
            Mistake(
                "used the query heads",
                lambda d: answers.gibibytes(d, d.heads_q),
                "<<value>> GiB would be the cache with <<heads_q>> key heads. It keeps no queries: count the"
                " key and value heads.",
            ),
            Mistake(
                "query heads, a factor 2 short",
                lambda d: answers.gibibytes(d, d.heads_q) / 2,
                "<<value>> GiB counts the query heads and lacks a factor 2: the values, or the second byte.",
            ),
            Mistake(
                "one layer",
                lambda d: answers.gibibytes(d, d.heads_kv) / d.layers,
                "<<value>> GiB is one layer. Every layer has keys and values of its own.",
            ),
        ),
        tolerance=0.002,
        why="Keys and values, in every layer, for every key head.",
        hints=(
            "Start with one token in one layer: how many numbers are a key and a value of all key heads?",
            "All the factors are powers of two: add the exponents.",
        ),
        solution=r"""
$2 \cdot <<layers>> \cdot <<heads_kv>> \cdot <<dim>> \cdot <<tokens>> \cdot 2$ bytes are <<answer>> GiB. The
first 2 is for keys and values, the last for the bytes of a number.""",
    ),
    Choice(
        id="ch06-groups",
        title="What grouped heads save",
        difficulty=1,
        minutes=2,
        prompt="""
A layer has 32 query heads. Its 32 key heads are replaced by 8 that are shared. For one decoding step, what
happens to the bytes read from the cache and to the operations of attention?""",
        options=(
            Wrong(
                "Both fall to a quarter.",
                "Every one of the 32 query heads still scores every key and averages every value.",
            ),
            Right("Bytes fall to a quarter, operations stay the same."),
            Wrong(
                "Operations fall to a quarter, bytes stay the same.",
                "It is the other way round: fewer keys are stored, and as many products are computed with"
                " them.",
            ),
            Wrong(
                "Both stay the same, only the parameters become fewer.",
                "The cache holds 8 key heads in place of 32, so a quarter of it is read.",
            ),
        ),
        why="Each key is read once and used four times.",
        hints=("How many dot products does one step compute in one layer?",),
        solution="""
A step computes one dot product for each query head and each token, and the 32 query heads are still there.
Only the store shrinks. So the operations per byte grow by a factor of 4.""",
    ),
    Number(
        id="ch06-batch",
        title="A batch of sequences",
        difficulty=2,
        minutes=3,
        prompt=r"""
A server decodes <<batch>> sequences of 8192 tokens at once, with <<heads_q>> query heads, <<heads_kv>> key
heads, $D = 128$ and bfloat16. How many operations of attention come to each byte of cache that is read?""",
        data={"batch": 64, "heads_q": 32, "heads_kv": 8},
        label="Operations per byte",
        vary=lambda rng: {
            "batch": int(rng.choice([16, 32, 48, 64, 128])),
            "heads_q": 32,
            "heads_kv": int(rng.choice([2, 4, 8, 16])),
        },
        answer=lambda d: answers.intensity(d, heads_kv=d.heads_kv, batch=d.batch),
        mistakes=(
            Mistake(
                "times the batch",
                lambda d: d.batch * answers.intensity(d, heads_kv=d.heads_kv, batch=1),
                "<<value>> would need <<batch>> sequences that share one cache. Each reads its own, so bytes"
                " grow with the batch as operations do.",
            ),
            Mistake(
                "one key head a query head",
                lambda d: answers.intensity(d, heads_kv=d.heads_q, batch=d.batch),
                "<<value>> is the number for <<heads_q>> key heads. Here several query heads use each key"
                " that is read.",
            ),
            Mistake(
                "products only",
                lambda d: answers.intensity(d, heads_kv=d.heads_kv, batch=d.batch) / 2,
                "A multiplication and an addition are two operations. You have half of the right number.",
            ),
            Mistake(
                "forgot the values",
                lambda d: answers.intensity(d, heads_kv=d.heads_kv, batch=d.batch) * 2,
                "<<value>> divides by the keys alone. The values are read too.",
            ),
        ),
        why="Each sequence reads its own cache, so the batch cancels.",
        hints=(
            "A key number of 2 bytes meets one multiplication and one addition in each query head that uses"
            " it.",
        ),
        solution=r"""
Each number in the cache is read once, 2 bytes, and takes part in one multiplication and one addition in
each of $<<heads_q>> / <<heads_kv>>$ query heads. So there are
$2 \cdot (<<heads_q>> / <<heads_kv>>) / 2 = <<answer>>$ operations a byte, for any batch.""",
    ),
    Choice(
        id="ch06-raise",
        title="What raises the intensity?",
        difficulty=2,
        minutes=2,
        prompt="""
One sequence of 8192 tokens, 32 query heads, 8 key heads, bfloat16: its decoding step has 4 operations per
byte of cache. Which change raises that number most?""",
        data={"heads_q": 32, "heads_kv": 8},
        derive=lambda d: {"chunk": answers.chunk_intensity(d, chunk=16)},
        options=(
            Wrong(
                "Decode 16 sequences at once.",
                "Operations and bytes both grow by 16: each sequence reads its own cache.",
            ),
            Wrong(
                "Let the sequence grow to 131072 tokens.",
                "Operations and bytes both grow by 16. The length cancels.",
            ),
            Wrong(
                "Use head dimension 256 in place of 128.",
                "Operations and bytes both double. The head dimension cancels.",
            ),
            Right("Process 16 tokens of this sequence in one call."),
        ),
        why="Sixteen queries share one read of the cache: about <<chunk:.0f>> operations per byte.",
        hints=("In which case does one byte of cache serve more than one query?",),
        solution="""
Only queries of the same sequence share a cache. Sixteen of them in one call give <<chunk:.1f>> operations
per byte, close to 16 times as many. This is why a prompt is processed in chunks and not token by token.""",
    ),
    Explain(
        id="ch06-garbage",
        title="Good loss, bad text",
        difficulty=3,
        minutes=6,
        prompt="""
A model has a small training loss. Its generated text is garbage from the first word on. With the cache
switched off the text is good. A colleague sends you the line `if cache is None: scores = mask(scores)`.

What goes wrong, in which call, and which test shows it? Say why the training loss did not.""",
        rubric=(
            (
                "It says that the prompt is processed with a cache attached, so its tokens are not masked and"
                " read their own future."
            ),
            "It says that single tokens are right without a mask: all keys lie in their past.",
            (
                "Its test compares a prompt processed with a cache, or in chunks, with one pass without a"
                " cache, row by row; or changes a token and looks at the rows before it."
            ),
            "It says that training passes no cache, so the mask was there.",
        ),
        hints=("How many tokens does the first call bring?",),
        solution="""
The first call brings the whole prompt and a cache, so the mask is left out and every token of the prompt
reads the tokens after it. The layers above make their keys and values from those outputs, so the cache is
spoiled for all later steps. A single token needs no mask, so the later calls add no error of their own.

A test: process the same tokens in one pass, in chunks and one by one; all rows must agree. Or change the
last token of a prompt: no earlier row may move. Training never passes a cache, so there the mask was always
in place.""",
    ),
]
