"""Every finding that the clinic knows: what one sees, what in the code does it, which chapter explains it."""

from dataclasses import dataclass

__all__ = ["CATALOG", "Entry"]

_CHAPTERS = {
    2: "Where the weights come from",
    3: "The left context",
    5: "From rows to matrices",
    6: "Decoding one token at a time",
    7: "The index set G",
    8: "Patterns",
    10: "Choosing G from the content",
    11: "Tiles and the online softmax",
    12: "Block-sparse attention",
}


@dataclass(frozen=True)
class Entry:
    """What is known about a finding before any function is looked at.

    symptom: what its user sees. cause: what in the code does it. chapter: number and title.
    """

    name: str
    symptom: str
    cause: str
    chapter: str


def _entries(*rows):
    return {
        name: Entry(name, symptom, cause, f"{chapter} {_CHAPTERS[chapter]}")
        for name, chapter, symptom, cause in rows
    }


#: The catalogue, by name.
CATALOG = _entries(
    (
        "leaks the future",
        3,
        "The training loss is too good to be true; generated text is poor.",
        "The mask is missing, or shifted by one: the wrong diagonal in tril or triu, j <= i + 1 for j <= i.",
    ),
    (
        "excludes itself",
        3,
        "The first row is empty, often NaN; no token sees its own key.",
        "The comparison is strict: j < i for j <= i, or triu(diagonal=0) marked as what to hide.",
    ),
    (
        "mask polarity inverted",
        3,
        "Each query attends exactly what it must not.",
        "True is read as 'hide' where it means 'may attend', or the other way round (nn.MultiheadAttention "
        "and scaled_dot_product_attention differ in this).",
    ),
    (
        "window one key too many",
        8,
        "A window said to be w keys holds w + 1.",
        "i - j <= w for i - j < w; triu(diagonal=-w) for triu(diagonal=1 - w).",
    ),
    (
        "window one key too few",
        8,
        "A window said to be w keys holds w - 1.",
        "The query's own key was not counted as one of the w: i - j < w - 1 for i - j < w.",
    ),
    (
        "aligned top-left",
        6,
        "Right in training, wrong in decoding: one query over a long cache attends the first key only.",
        "Query row r is taken to sit at position r; with L queries and S keys it sits at S - L + r.",
    ),
    (
        "masked after the softmax",
        3,
        "The weights of a row add up to less than 1, and hidden scores still move the output.",
        "Weights are set to 0 after the softmax and not shared out again: put the mask into the scores.",
    ),
    (
        "mask used as numbers",
        3,
        "Hidden keys keep weight; the output is a little off everywhere.",
        "A mask of 0 and 1 is added to the scores, or multiplied into them; a score of 0 is no weight of 0.",
    ),
    (
        "softmax over the wrong axis",
        5,
        "The columns of the weights add up to 1, the rows do not.",
        "The softmax runs over the queries, heads or batch: its axis must be that of the keys, the last one.",
    ),
    (
        "no scale",
        2,
        "The weights are too sharp, and the more so the larger D is.",
        "The scores are not divided by sqrt(D).",
    ),
    (
        "scaled by D",
        2,
        "The weights are too flat.",
        "The scores are divided by D: the square root is missing, or the scale is applied twice.",
    ),
    (
        "scale multiplied",
        2,
        "The weights are all but one-hot.",
        "The scores are multiplied by sqrt(D) where they are to be divided by it.",
    ),
    (
        "overflows",
        2,
        "NaN or zeros as soon as scores grow, first of all in float16.",
        "exp is taken of the scores as they are: subtract each row's maximum first. In float16 the product "
        "itself may overflow: compute the scores in float32.",
    ),
    (
        "finite sentinel",
        3,
        "Hidden keys get weight when the scores that compete with them are very negative.",
        "The mask writes or adds a finite number such as -1e9: with -inf nothing can fall below it.",
    ),
    (
        "NaN on empty rows",
        7,
        "A row with no allowed key comes out NaN.",
        "-inf - (-inf), or 0 / 0: an empty row's output is 0, so guard its maximum and its sum.",
    ),
    (
        "mean of V on empty rows",
        7,
        "A row with no allowed key comes out as the plain mean of all values.",
        "Every score of the row is the same finite number (finfo.min), so that the softmax is uniform over "
        "keys that are all hidden: an empty row's output is 0.",
    ),
    (
        "duplicates counted twice",
        7,
        "A position listed twice in G has twice its weight.",
        "Keys are gathered slot by slot: G is a set, so a repeated index is an error or counts once.",
    ),
    (
        "-1 read as the last key",
        10,
        "Rows with fewer keys than slots are pulled towards the last token, a future one.",
        "A padding slot of -1 is used as an index, which counts from the end: mask the slot.",
    ),
    (
        "kv heads tiled",
        5,
        "With grouped heads, query heads read another group's keys.",
        "repeat or tile gives 0, 1, 0, 1; kv head h serves a run of query heads, 0, 0, 1, 1: "
        "repeat_interleave, or numpy.repeat.",
    ),
    (
        "heads mixed by a reshape",
        5,
        "Heads read each other's tokens; right with one head or one token.",
        "(B, L, H, D) was reshaped to (B, H, L, D), or back: axes are exchanged by a transpose.",
    ),
    (
        "keys used as values",
        2,
        "The output lies among the keys.",
        "The weights multiply key where value is due.",
    ),
    (
        "batch elements mixed",
        5,
        "A sequence's output depends on its neighbours in the batch.",
        "An index or a reshape runs over the batch axis: value[:1], or a product that sums over it.",
    ),
    (
        "padding attended",
        5,
        "A short sequence in a padded batch differs from the same sequence alone.",
        "The mask of one sequence is used for all, or keys added to fill a block have score 0, not -inf.",
    ),
    (
        "depends on strides",
        5,
        "Right for a contiguous array, wrong for its transposed or sliced view.",
        "Memory is read in its own order: a kernel without strides, ravel(order='K'), as_strided.",
    ),
    (
        "writes to its inputs",
        5,
        "A second call with the same arrays gives another answer.",
        "An in-place operation (*=, mul_, masked_fill_) on an argument or on a view of it.",
    ),
    (
        "changes the dtype",
        5,
        "The output is of another precision than the input.",
        "A float64 number from numpy.sqrt, or float() for the softmax, is not cast back.",
    ),
    (
        "not deterministic",
        5,
        "Two calls with the same arrays differ.",
        "Random numbers, memory that was never filled, or state that is kept between calls.",
    ),
    (
        "dropout left on",
        5,
        "Two calls differ: some weights are 0, the others too large.",
        "Dropout without a look at training or eval(): scaled_dot_product_attention drops whenever "
        "dropout_p > 0.",
    ),
    (
        "wrong gradient",
        11,
        "The outputs are right, and yet it does not train.",
        "The backward pass: the softmax's row sum, the scale, a detached part, a sum over query heads that "
        "share a key, or NaN times 0 on an empty row.",
    ),
    (
        "NaN outside G reaches in",
        7,
        "One NaN in a hidden position poisons rows that do not attend it.",
        "0 * NaN is NaN: a weight of 0 does not keep a value out of a matrix product.",
    ),
    (
        "right only for multiples of a block",
        12,
        "Right for some lengths; for others the last rows are wrong.",
        "The last, shorter block is dropped, or read past its end.",
    ),
    (
        "differs from the reference",
        5,
        "The output is wrong.",
        "None of the known faults, nor a pair of them, gives this output: begin with the smallest case.",
    ),
    (
        "wrong shape",
        5,
        "What comes back is not one output row for each query.",
        "A transpose or squeeze at the end, or something else than an array is returned.",
    ),
    ("raises", 5, "The call ends in an exception.", "See the message: it is the function's own."),
    (
        "hangs",
        5,
        "The call does not end.",
        "A loop whose condition never becomes false, often while start < L with a step that stays 0.",
    ),
    (
        "cannot be called",
        5,
        "No way of calling it that was tried gives an array.",
        "Name how it is called with style, layout and kind, or wrap it in a function (query, key, value).",
    ),
)
