"""The kernels of block-sparse attention in Triton: forward, and backward in two parts.

A program owns a tile of rows and walks over the blocks that the layout lists for it,
first those in which every pair is allowed, then those under a mask. Blocks listed
nowhere are never read. No two programs write to one place, so results are the same
every time.
`companion.backends.launch` says what the kernels are given, and launches them.

B batch elements; Hq query heads in runs of ``group``, each with one of Hkv key heads; L
query tokens, S key tokens. Strides count elements. ``query``, ``key``, ``value`` and
``grad_out`` may have any, but the last must be 1; all other tensors are contiguous.
``bounds``, ``blocks``, ``which``, ``masks``: see `companion.backends.lists.Lists`; the bits
that a row of ``masks`` has for a step are read as one number.
"""

import triton
import triton.language as tl

__all__ = ["attend", "pull_keys", "pull_queries"]

LOG2E = tl.constexpr(1.4426950408889634)  # exp(x) = exp2(LOG2E x): hardware has exp2
LN2 = tl.constexpr(0.6931471805599453)
NONE = tl.constexpr(float("-inf"))
COUNTS = ["L", "S", "heads", "group", "layout_heads"]  # one translation serves all of them


@triton.jit(do_not_specialize=COUNTS)
def attend(
    query, key, value, out, lse, bounds, blocks, which, masks,
    query_batch, query_head, query_token, key_batch, key_head, key_token,
    value_batch, value_head, value_token,
    scale, L, S, heads, group, layout_heads,
    BLOCK: tl.constexpr, ROWS: tl.constexpr, STEP: tl.constexpr,
    D: tl.constexpr, DV: tl.constexpr,
):  # fmt: skip
    """out_i = sum_j exp(s_ij - lse_i) v_j and lse_i = log sum_j exp(s_ij).

    Scores are s_ij = scale q_i k_j, scale > 0. ``query`` is (B, Hq, L, D), ``key`` (B,
    Hkv, S, D), ``value`` (B, Hkv, S, DV). ``out`` (splits, B, Hq, L, DV) and ``lse``
    (splits, B, Hq, L), natural logarithm, take what each split finds in its share of a
    row's list. ``lse`` is NaN where a visited block holds what is not finite.
    Grid: (B Hq tiles of ROWS queries, splits).

    The online softmax (Milakov and Gimelshein 2018, arXiv 1805.02867; Dao et al. 2022,
    arXiv 2205.14135): with peak the largest q_i k_j so far and m = scale peak, keep
    total, the sum of exp(s - m), and weighted, that of exp(s - m) v; rescale both when
    m moves.
    """
    tiles = tl.cdiv(L, ROWS)
    # Under a causal pattern the last rows have most to do: they come first.
    tile = tiles - 1 - tl.program_id(0) % tiles
    head = (tl.program_id(0) // tiles % heads).to(tl.int64)
    batch = (tl.program_id(0) // tiles // heads).to(tl.int64)
    top = tile.to(tl.int64) * ROWS
    rows, columns = tl.arange(0, ROWS), tl.arange(0, STEP)
    dims, dims_value = tl.arange(0, D)[None, :], tl.arange(0, DV)[None, :]
    inside = top + rows < L

    # Pointers to this tile of queries, and to the first tile of keys, values and masks.
    query += batch * query_batch + head * query_head + top * query_token
    key += batch * key_batch + head // group * key_head
    value += batch * value_batch + head // group * value_head
    query += rows[:, None] * query_token + dims
    key += columns[:, None] * key_token + dims
    value += columns[:, None] * value_token + dims_value
    # A row's mask for a step is one number. It is shifted by the key's bit and byte in turn:
    # the bytes of a thread are the same constants for all, which saves registers.
    masks += (top % BLOCK + rows) * (BLOCK // STEP)
    bit, byte = columns[None, :] % 8, columns[None, :] // 8 * 8
    q = tl.load(query, inside[:, None], other=0.0)

    # This split's part of the row's list, and where in it blocks under a mask begin.
    bounds += 3 * (head % layout_heads * tl.cdiv(L, BLOCK) + top // BLOCK)
    begin, middle, end = tl.load(bounds), tl.load(bounds + 1), tl.load(bounds + 2)
    share = tl.cdiv(end - begin, tl.num_programs(1))
    begin += tl.program_id(1) * share
    end = tl.minimum(begin + share, end)
    middle = tl.maximum(tl.minimum(middle, end), begin)
    # With counters of 32 bits the assembler may have every product wait for the one before
    # it, and with a sign a division by a power of two is more than a shift.
    begin, middle, end = begin.to(tl.int64), middle.to(tl.int64), end.to(tl.int64)
    tl.assume(begin >= 0)

    scale *= LOG2E
    peak = tl.full([ROWS], NONE, tl.float32)
    total = tl.full([ROWS], 0.0, tl.float32)
    weighted = tl.full([ROWS, DV], 0.0, tl.float32)
    STEPS: tl.constexpr = BLOCK // STEP  # a block is taken in so many steps
    for MASKED in tl.static_range(2):
        lo, hi = middle if MASKED else begin, end if MASKED else middle
        for n in range(lo * STEPS, hi * STEPS):
            part = n % STEPS * STEP
            left = tl.load(blocks + n // STEPS).to(tl.int64) * BLOCK + part
            if MASKED:
                there = (left + columns < S)[:, None]
                k = tl.load(key + left * key_token, there, other=0.0)
                v = tl.load(value + left * value_token, there, other=0.0)
            else:
                k = tl.load(key + left * key_token)
                v = tl.load(value + left * value_token)

            scores = tl.dot(q, k.T, input_precision="ieee")
            doubt = 0.0 * scores  # 0, but NaN where a score is NaN or infinite
            if MASKED:
                number = tl.load(which + n // STEPS).to(tl.int64)
                bits = tl.load(masks + number * (BLOCK * STEPS) + n % STEPS)
                allowed = (bits[:, None] >> bit >> byte & 1) != 0
                scores = tl.where(allowed, scores, NONE)

            new_peak = tl.maximum(peak, tl.max(scores, 1))
            shift = new_peak * scale
            if MASKED:  # while a row has met no key at all, -inf - (-inf) would be NaN
                shift = tl.where(new_peak == NONE, 0.0, shift)
            powers = tl.exp2(scores * scale - shift[:, None])
            rescale = tl.exp2(peak * scale - shift)
            total = total * rescale + tl.sum(powers + doubt, 1)
            weighted *= rescale[:, None]
            weighted = tl.dot(powers.to(v.dtype), v, weighted, input_precision="ieee")
            peak = new_peak

    total += tl.sum(0.0 * weighted, 1)  # values may be NaN or infinite too
    total = tl.where(total == 0.0, 1.0, total)  # a row without keys: output 0, lse -inf
    plane = tl.program_id(1).to(tl.int64) * (tl.num_programs(0) // tiles)
    at = (plane + tl.program_id(0) // tiles) * L + top + rows
    tl.store(lse + at, (peak * scale + tl.log2(total)) * LN2, inside)
    out += at[:, None] * DV + dims_value
    tl.store(out, weighted / total[:, None], inside[:, None])


@triton.jit(do_not_specialize=COUNTS)
def pull_queries(
    query, key, value, grad_out, out, lse, delta, grad_query,
    bounds, blocks, which, masks,
    query_batch, query_head, query_token, key_batch, key_head, key_token,
    value_batch, value_head, value_token, pull_batch, pull_head, pull_token,
    scale, L, S, heads, group, layout_heads,
    BLOCK: tl.constexpr, ROWS: tl.constexpr, STEP: tl.constexpr,
    D: tl.constexpr, DV: tl.constexpr,
):  # fmt: skip
    """dq_i = scale sum_j ds_ij k_j, the gradient of the queries.

    Weights are p_ij = exp(s_ij - lse_i), and ds_ij = p_ij (do_i v_j - delta_i), where
    delta_i = do_i out_i less the gradient of lse_i (Dao et al. 2022, arXiv 2205.14135,
    appendix B.2). ``grad_out`` (B, Hq, L, DV) is do; ``grad_query`` (B, Hq, L, D) takes
    dq. ``delta`` (B, Hq, L), float32, comes holding minus the gradient of lse, and
    leaves complete, as `pull_keys` needs it.
    Grid: (B Hq tiles of ROWS queries,).
    """
    tiles = tl.cdiv(L, ROWS)
    tile = tiles - 1 - tl.program_id(0) % tiles
    head = (tl.program_id(0) // tiles % heads).to(tl.int64)
    batch = (tl.program_id(0) // tiles // heads).to(tl.int64)
    top = tile.to(tl.int64) * ROWS
    rows, columns = tl.arange(0, ROWS), tl.arange(0, STEP)
    dims, dims_value = tl.arange(0, D)[None, :], tl.arange(0, DV)[None, :]
    inside = top + rows < L

    query += batch * query_batch + head * query_head + top * query_token
    grad_out += batch * pull_batch + head * pull_head + top * pull_token
    key += batch * key_batch + head // group * key_head
    value += batch * value_batch + head // group * value_head
    query += rows[:, None] * query_token + dims
    grad_out += rows[:, None] * pull_token + dims_value
    key += columns[:, None] * key_token + dims
    value += columns[:, None] * value_token + dims_value
    masks += (top % BLOCK + rows) * (BLOCK // STEP)
    bit, byte = columns[None, :] % 8, columns[None, :] // 8 * 8
    q = tl.load(query, inside[:, None], other=0.0)
    do = tl.load(grad_out, inside[:, None], other=0.0)

    at = (tl.program_id(0) // tiles).to(tl.int64) * L + top + rows
    o = tl.load(out + at[:, None] * DV + dims_value, inside[:, None], other=0.0)
    pull = tl.load(delta + at, inside, other=0.0)
    pull += tl.sum(do.to(tl.float32) * o.to(tl.float32), 1)
    tl.store(delta + at, pull, inside)
    shift = tl.load(lse + at, inside, other=0.0) * LOG2E
    shift = tl.where(shift == NONE, 0.0, shift)  # without keys, exp2(-inf - 0) is 0

    bounds += 3 * (head % layout_heads * tl.cdiv(L, BLOCK) + top // BLOCK)
    begin, middle, end = tl.load(bounds), tl.load(bounds + 1), tl.load(bounds + 2)
    dq = tl.full([ROWS, D], 0.0, tl.float32)
    STEPS: tl.constexpr = BLOCK // STEP
    for MASKED in tl.static_range(2):
        lo, hi = middle if MASKED else begin, end if MASKED else middle
        for n in range(lo * STEPS, hi * STEPS):
            part = n % STEPS * STEP
            left = tl.load(blocks + n // STEPS).to(tl.int64) * BLOCK + part
            if MASKED:
                there = (left + columns < S)[:, None]
                k = tl.load(key + left * key_token, there, other=0.0)
                v = tl.load(value + left * value_token, there, other=0.0)
            else:
                k = tl.load(key + left * key_token)
                v = tl.load(value + left * value_token)

            scores = tl.dot(q, k.T, input_precision="ieee")
            if MASKED:
                number = tl.load(which + n // STEPS).to(tl.int64)
                bits = tl.load(masks + number * (BLOCK * STEPS) + n % STEPS)
                allowed = (bits[:, None] >> bit >> byte & 1) != 0
                scores = tl.where(allowed, scores, NONE)
            weights = tl.exp2(scores * (scale * LOG2E) - shift[:, None])
            pulled = tl.dot(do, v.T, input_precision="ieee") - pull[:, None]
            ds = weights * pulled
            if MASKED:  # what is not attended may be so large that pulled is infinite
                ds = tl.where(weights > 0.0, ds, 0.0)
            dq = tl.dot(ds.to(k.dtype), k, dq, input_precision="ieee")

    tl.store(grad_query + at[:, None] * D + dims, dq * scale, inside[:, None])


@triton.jit(do_not_specialize=COUNTS)
def pull_keys(
    query, key, value, grad_out, lse, delta, grad_key, grad_value,
    bounds, blocks, which, masks,
    query_batch, query_head, query_token, key_batch, key_head, key_token,
    value_batch, value_head, value_token, pull_batch, pull_head, pull_token,
    scale, L, S, heads, group, layout_heads,
    BLOCK: tl.constexpr, ROWS: tl.constexpr, STEP: tl.constexpr,
    D: tl.constexpr, DV: tl.constexpr,
):  # fmt: skip
    """dk_j = scale sum_i ds_ij q_i and dv_j = sum_i p_ij do_i, gradients of the others.

    The sums go over all query heads that a key head serves. Rows are keys here, and the
    lists those of the transposed layout: a program walks over queries, and its tiles of
    scores are (keys, queries). ``delta`` comes from `pull_queries`.
    Grid: (B Hkv tiles of ROWS keys,).
    """
    tiles = tl.cdiv(S, ROWS)
    heads_kv = heads // group
    top = (tl.program_id(0) % tiles).to(tl.int64) * ROWS
    head_kv = tl.program_id(0) // tiles % heads_kv
    batch = (tl.program_id(0) // tiles // heads_kv).to(tl.int64)
    rows, columns = tl.arange(0, ROWS), tl.arange(0, STEP)
    dims, dims_value = tl.arange(0, D)[None, :], tl.arange(0, DV)[None, :]
    inside = (top + rows < S)[:, None]

    key += batch * key_batch + head_kv.to(tl.int64) * key_head + top * key_token
    value += batch * value_batch + head_kv.to(tl.int64) * value_head + top * value_token
    k = tl.load(key + rows[:, None] * key_token + dims, inside, other=0.0)
    v = tl.load(value + rows[:, None] * value_token + dims_value, inside, other=0.0)
    query += batch * query_batch + columns[:, None] * query_token + dims
    grad_out += batch * pull_batch + columns[:, None] * pull_token + dims_value
    masks += (top % BLOCK + rows) * (BLOCK // STEP)
    bit, byte = columns[None, :] % 8, columns[None, :] // 8 * 8

    dk = tl.full([ROWS, D], 0.0, tl.float32)
    dv = tl.full([ROWS, DV], 0.0, tl.float32)
    STEPS: tl.constexpr = BLOCK // STEP
    for member in range(group):
        head = head_kv * group + member
        row = bounds + 3 * (head % layout_heads * tl.cdiv(S, BLOCK) + top // BLOCK)
        head = head.to(tl.int64)
        begin, middle, end = tl.load(row), tl.load(row + 1), tl.load(row + 2)
        for MASKED in tl.static_range(2):
            lo, hi = middle if MASKED else begin, end if MASKED else middle
            for n in range(lo * STEPS, hi * STEPS):
                part = n % STEPS * STEP
                left = tl.load(blocks + n // STEPS).to(tl.int64) * BLOCK + part
                q_at = query + head * query_head + left * query_token
                do_at = grad_out + head * pull_head + left * pull_token
                at = (batch * heads + head) * L + left
                lse_at, delta_at = lse + at + columns, delta + at + columns
                if MASKED:  # past L lies anything, and 0 x NaN is NaN: read 0 there
                    there = columns < (L - left).to(tl.int32)
                    q = tl.load(q_at, there[:, None], other=0.0)
                    do = tl.load(do_at, there[:, None], other=0.0)
                    shift = tl.load(lse_at, there, other=0.0) * LOG2E
                    shift = tl.where(shift == NONE, 0.0, shift)
                    pull = tl.load(delta_at, there, other=0.0)
                else:
                    q, do = tl.load(q_at), tl.load(do_at)
                    shift, pull = tl.load(lse_at) * LOG2E, tl.load(delta_at)

                scores = tl.dot(k, q.T, input_precision="ieee")
                if MASKED:
                    number = tl.load(which + n // STEPS).to(tl.int64)
                    bits = tl.load(masks + number * (BLOCK * STEPS) + n % STEPS)
                    allowed = (bits[:, None] >> bit >> byte & 1) != 0
                    scores = tl.where(allowed, scores, NONE)
                weights = tl.exp2(scores * (scale * LOG2E) - shift[None, :])
                dv = tl.dot(weights.to(do.dtype), do, dv, input_precision="ieee")
                pulled = tl.dot(v, do.T, input_precision="ieee") - pull[None, :]
                ds = weights * pulled
                if MASKED:
                    ds = tl.where(weights > 0.0, ds, 0.0)
                dk = tl.dot(ds.to(q.dtype), q, dk, input_precision="ieee")

    at = ((tl.program_id(0) // tiles).to(tl.int64) * S + top + rows)[:, None]
    tl.store(grad_key + at * D + dims, dk * scale, inside)
    tl.store(grad_value + at * DV + dims_value, dv, inside)
