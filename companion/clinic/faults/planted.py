"""The list of planted faults, one for each finding that names a fault."""

from companion.clinic.faults.base import Fault
from companion.patterns import sliding_window

__all__ = ["PLANTED"]

_WINDOW = sliding_window(4)
_GUARD = (
    "    peak = np.where(peak == -np.inf, 0, peak)\n",
    '    peak = torch.where(peak == float("-inf"), 0, peak)\n',
)
_ALL_ROW = (
    "    scores = np.where(j <= i, scores, -np.inf)\n",
    '    scores = scores.masked_fill(~(j <= i), float("-inf"))\n',
)
_SUM = (
    "    weights = weights / weights.sum(axis=-1, keepdims=True)\n",
    "    weights = weights / weights.sum(dim=-1, keepdim=True)\n",
)

#: The planted faults, in the order of the catalogue.
PLANTED = (
    Fault(
        "leaks the future",
        "causal",
        (("j <= i, scores", "j <= i + 1, scores"),),
        (("~(j <= i)", "~(j <= i + 1)"),),
        "keras-team/keras#23038",
    ),
    Fault(
        "excludes itself",
        "causal",
        (("j <= i, scores", "j < i, scores"),),
        (("~(j <= i)", "~(j < i)"),),
        "pbloem/former#10",
    ),
    Fault(
        "mask polarity inverted",
        "masked",
        (("np.where(mask, scores, -np.inf)", "np.where(mask, -np.inf, scores)"),),
        (('torch.where(mask, scores, float("-inf"))', 'torch.where(mask, float("-inf"), scores)'),),
        "rasbt/LLMs-from-scratch#1061",
    ),
    Fault(
        "window one key too many",
        "window",
        (("j > i - WINDOW", "j >= i - WINDOW"),),
        (("j > i - WINDOW", "j >= i - WINDOW"),),
        "huggingface/transformers#39408",
        _WINDOW,
    ),
    Fault(
        "window one key too few",
        "window",
        (("j > i - WINDOW", "j > i - WINDOW + 1"),),
        (("j > i - WINDOW", "j > i - WINDOW + 1"),),
        "lightseekorg/tokenspeed#578",
        _WINDOW,
    ),
    Fault(
        "aligned top-left",
        "causal",
        (("np.arange(S - L, S)[:, None]", "np.arange(L)[:, None]"),),
        (("torch.arange(S - L, S)[:, None]", "torch.arange(L)[:, None]"),),
        "pytorch/pytorch#108108",
    ),
    Fault(
        "masked after the softmax",
        "causal",
        ((_ALL_ROW[0], ""), (_SUM[0], _SUM[0] + "    weights = np.where(j <= i, weights, 0)\n")),
        ((_ALL_ROW[1], ""), (_SUM[1], _SUM[1] + "    weights = weights.masked_fill(~(j <= i), 0)\n")),
        "NVIDIA/Megatron-LM#731",
    ),
    Fault(
        "mask used as numbers",
        "masked",
        (("np.where(mask, scores, -np.inf)", "scores + mask"),),
        (('torch.where(mask, scores, float("-inf"))', "scores + mask"),),
        "pytorch/pytorch#21518",
    ),
    Fault(
        "softmax over the wrong axis",
        "causal",
        (("scores.max(axis=-1", "scores.max(axis=-2"), ("weights.sum(axis=-1", "weights.sum(axis=-2")),
        (("scores.amax(dim=-1", "scores.amax(dim=-2"), ("weights.sum(dim=-1", "weights.sum(dim=-2")),
        "PetrochukM/PyTorch-NLP#2",
    ),
    Fault("no scale", "causal", ((" / D**0.5", ""),), ((" / D**0.5", ""),), "mlc-ai/mlc-llm#3426"),
    Fault(
        "scaled by D",
        "causal",
        ((" / D**0.5", " / D"),),
        ((" / D**0.5", " / D"),),
        "huggingface/transformers#38290",
    ),
    Fault(
        "scale multiplied",
        "causal",
        ((" / D**0.5", " / D**-0.5"),),
        ((" / D**0.5", " / D**-0.5"),),
        "esceptico/perceiver-io#9",
    ),
    Fault(
        "overflows",
        "causal",
        (("scores - scores.max(axis=-1, keepdims=True)", "scores"),),
        (("scores - scores.amax(dim=-1, keepdim=True)", "scores"),),
        "huggingface/transformers#17437",
    ),
    Fault(
        "finite sentinel",
        "causal",
        (("scores, -np.inf)", "scores, -1e4)"),),
        (('float("-inf")', "-1e4"),),
        "huggingface/transformers#17121",
    ),
    Fault(
        "NaN on empty rows",
        "masked",
        ((_GUARD[0], ""), ("np.where(total == 0, 1, total)", "total")),
        ((_GUARD[1], ""), ("torch.where(total == 0, 1, total)", "total")),
        "pytorch/pytorch#103749",
    ),
    Fault(
        "mean of V on empty rows",
        "masked",
        (("scores, -np.inf)", "scores, np.finfo(scores.dtype).min)"),),
        (('scores, float("-inf")', "scores, torch.finfo(scores.dtype).min"),),
        "d2l-ai/d2l-en#2423",
    ),
    Fault(
        "duplicates counted twice",
        "gathered",
        (('        raise ValueError("indices repeat a position")\n', "        pass\n"),),
        (('        raise ValueError("indices repeat a position")\n', "        pass\n"),),
        "NVIDIA/cudnn-frontend#793",
    ),
    Fault(
        "-1 read as the last key",
        "gathered",
        (("    scores = np.where(indices >= 0, scores, -np.inf)\n", ""),),
        (('    scores = torch.where(indices >= 0, scores, float("-inf"))\n', ""),),
        "flashinfer-ai/flashinfer#4484",
    ),
    Fault(
        "kv heads tiled",
        "heads",
        (("np.repeat(x, groups, axis=1)", "np.tile(x, (1, groups, 1, 1))"),),
        (("x.repeat_interleave(groups, dim=1)", "x.repeat(1, groups, 1, 1)"),),
        "onnx/onnx#7274",
    ),
    Fault(
        "heads mixed by a reshape",
        "heads",
        (
            (
                "(x.swapaxes(1, 2) for x in (query, key, value))",
                "(x.reshape(x.shape[0], x.shape[2], x.shape[1], -1) for x in (query, key, value))",
            ),
        ),
        (
            (
                "(x.transpose(1, 2) for x in (query, key, value))",
                "(x.reshape(x.shape[0], x.shape[2], x.shape[1], -1) for x in (query, key, value))",
            ),
        ),
        "reczoo/FuxiCTR#30",
    ),
    Fault(
        "keys used as values",
        "causal",
        (("weights @ value", "weights @ key"),),
        (("weights @ value", "weights @ key"),),
        "ruvnet/agentic-flow#191",
    ),
    Fault(
        "batch elements mixed",
        "causal",
        (("weights @ value", "weights @ value[:1]"),),
        (("weights @ value", "weights @ value[:1]"),),
        "yxlu-0102/MP-SENet#64",
    ),
    Fault(
        "padding attended",
        "masked",
        (("np.where(mask,", "np.where(mask.reshape(-1, *mask.shape[-2:])[0],"),),
        (("torch.where(mask,", "torch.where(mask.reshape(-1, *mask.shape[-2:])[0],"),),
        "lsdefine/attention-is-all-you-need-keras#36",
    ),
    Fault(
        "depends on strides",
        "causal",
        (("weights @ value", 'weights @ value.ravel(order="K").reshape(value.shape)'),),
        (("weights @ value", "weights @ value.as_strided(value.shape, torch.empty(value.shape).stride())"),),
        "Dao-AILab/flash-attention#2670",
    ),
    Fault(
        "writes to its inputs",
        "causal",
        (
            ("    scores = query @", "    query /= D**0.5\n    scores = query @"),
            (" / D**0.5\n    scores = np.where", "\n    scores = np.where"),
        ),
        (
            ("    scores = query @", "    query.data /= D**0.5\n    scores = query @"),
            (" / D**0.5\n    scores = scores.masked", "\n    scores = scores.masked"),
        ),
        "flashinfer-ai/flashinfer#2084",
    ),
    Fault(
        "changes the dtype",
        "causal",
        ((" / D**0.5", " / np.sqrt(D)"),),
        (
            (
                "scores = query @ key.transpose(-1, -2)",
                "scores = query.float() @ key.float().transpose(-1, -2)",
            ),
            ("weights @ value", "weights @ value.float()"),
        ),
        "lucidrains/flash-attention-jax#13",
    ),
    Fault(
        "not deterministic",
        "causal",
        (
            (
                _ALL_ROW[0],
                _ALL_ROW[0] + "    scores = scores + np.random.normal(size=S).astype(scores.dtype)\n",
            ),
        ),
        ((_ALL_ROW[1], _ALL_ROW[1] + "    scores = scores + torch.randn(S)\n"),),
        "thunlp/TritonBench#13",
    ),
    Fault(
        "dropout left on",
        "causal",
        ((_SUM[0], _SUM[0] + "    weights = weights * (np.random.random(weights.shape) < 0.9) / 0.9\n"),),
        ((_SUM[1], _SUM[1] + "    weights = torch.nn.functional.dropout(weights, 0.1)\n"),),
        "pytorch/pytorch#124464",
    ),
    Fault(
        "wrong gradient",
        "trained",
        (("weights * (towards - shared)", "weights * towards"),),
        (("weights * (towards - shared)", "weights * towards"),),
        "Dao-AILab/flash-attention#355",
    ),
    Fault(
        "NaN outside G reaches in",
        "rows",
        (
            ("        scores = key[..., seen, :]", "        scores = key"),
            (
                "        weights = np.exp(scores - scores.max(axis=-2, keepdims=True))\n",
                "        scores[..., seen.stop :, :] = -np.inf\n"
                "        weights = np.exp(scores - scores.max(axis=-2, keepdims=True))\n",
            ),
            ("value[..., seen, :]", "value"),
        ),
        (
            ("        scores = key[..., seen, :]", "        scores = key"),
            (
                "        weights = torch.softmax(scores, dim=-2)\n",
                '        scores[..., seen.stop :, :] = float("-inf")\n'
                "        weights = torch.softmax(scores, dim=-2)\n",
            ),
            ("value[..., seen, :]", "value"),
        ),
        "pytorch/pytorch#101967",
        options={"strict": True, "skip": ("scores",)},
    ),
    Fault(
        "right only for multiples of a block",
        "tiled",
        (("range(0, L, BLOCK)", "range(0, L // BLOCK * BLOCK, BLOCK)"),),
        (("range(0, L, BLOCK)", "range(0, L // BLOCK * BLOCK, BLOCK)"),),
        "jax-ml/jax#27224",
    ),
)
