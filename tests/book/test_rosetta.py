"""The Rosetta page: a row with a tick says what its library does here; every row says where it is from."""

import inspect
import math
import re

import pytest
import torch
from torch.nn import MultiheadAttention
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.attention.bias import causal_lower_right
from torch.nn.attention.flex_attention import AuxRequest, flex_attention
from torch.nn.functional import scaled_dot_product_attention as sdpa

from companion.attention import attention
from companion.indices import IndexSet
from companion.patterns import causal, full, sliding_window
from helpers.attention_oracle import tensors
from helpers.project import ROOT
from helpers.rosetta import (
    CORNERS,
    EYE,
    FIRST,
    KEY,
    LAST_EMPTY,
    QUERY,
    SCORES,
    L,
    S,
    attend,
    base,
    corner,
    empty,
    flex,
    layer,
    layer_order,
    local,
    meaning,
    mha,
    only,
    order,
    scale,
    taken,
)

pytestmark = pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")

WIDTHS = (2, 3, 4)
FLASH = (False, True)  # x-transformers computes in two ways


def everything(*inputs, **options):
    return attention(*inputs, full(), **options)


def mask_of_companion():
    assert sliding_window(1).mask(2).tolist() == [[True, False], [False, True]]
    return meaning(attention(QUERY, KEY, EYE, IndexSet.from_mask(FIRST), query_offset=S))


def diagonal_of_layer():
    found = [corner(mha(attn_mask=~keep, is_causal=True)[1]) for keep in CORNERS.values()]
    return "where `attn_mask` has it" if found == list(CORNERS) else found


def diagonal_of_companion():
    found = [corner(attention(QUERY, KEY, EYE, causal(), query_offset=offset)) for offset in (0, S - L)]
    return "at `query_offset`" if found == list(CORNERS) else found


def window_of(signature):
    names = re.findall(r"\w+", str(signature))
    assert "query" in names
    return [name for name in names if "window" in name or "local" in name] or "no such argument"


def window_of_companion():
    held = [sliding_window(w).mask(9)[w:].sum(axis=1) for w in WIDTHS]
    exact = all((keys == w).all() for keys, w in zip(held, WIDTHS, strict=True))
    return "w from `sliding_window(w)`" if exact else held


def window_of_local_attention():
    held = [local(w) for w in WIDTHS]
    return "w + 1 to 2w" if held == [(w + 1, 2 * w) for w in WIDTHS] else held


def lse_of_layer():
    out, weights = mha()
    return "not returned" if torch.allclose(weights @ KEY[0], out, atol=1e-6) else weights


def empty_row_of_sdpa():
    def by(kernel):
        with sdpa_kernel(kernel):
            return empty(sdpa(QUERY, KEY, KEY, attn_mask=LAST_EMPTY))

    return only({by(SDPBackend.MATH), by(SDPBackend.FLASH_ATTENTION)})


def empty_row_of_flex():
    out, aux = flex(QUERY, KEY, EYE, lambda b, h, i, j: i < L - 1, return_aux=AuxRequest(lse=True))
    return empty(out, aux.lse)


def empty_row_of_companion():
    rows = IndexSet.from_mask(LAST_EMPTY)
    return empty(*attention(QUERY, KEY, EYE, rows, query_offset=S, return_lse=True))


def scale_of_layer():
    def two_heads(*inputs):
        joined = [x.transpose(1, 2).flatten(2) for x in inputs]
        out, _ = layer(joined[0].shape[-1], 2, batch_first=True)(*joined)
        return out.unflatten(-1, (2, -1)).transpose(1, 2)

    assert "scale" not in str(inspect.signature(MultiheadAttention))
    return scale(two_heads, heads=2)


def refused(call, error):
    with pytest.raises(error, match="[Bb]ool"):
        call(FIRST.float())
    return "refused"


#: What each row with a tick must say, found by calling the library.
FACTS = {
    "What does True mean in a boolean mask?": {
        "SDPA": lambda: meaning(sdpa(QUERY, KEY, EYE, attn_mask=FIRST)),
        "FlexAttention": lambda: meaning(flex(QUERY, KEY, EYE, lambda b, h, i, j: j == 0)),
        "MHA": lambda: meaning(mha(attn_mask=FIRST)[1]),
        "`companion`": mask_of_companion,
        "x-transformers": lambda: only({meaning(attend(mask=FIRST, flash=flash)) for flash in FLASH}),
    },
    "Where does the causal diagonal lie when L ≠ S?": {
        "SDPA": lambda: corner(sdpa(QUERY, KEY, EYE, is_causal=True)),
        "FlexAttention": lambda: corner(flex(QUERY, KEY, EYE, lambda b, h, i, j: i >= j)),
        "MHA": diagonal_of_layer,
        "`companion`": diagonal_of_companion,
        "x-transformers": lambda: only({corner(attend(causal=True, flash=flash)) for flash in FLASH}),
    },
    "How many keys does a causal window of w hold?": {
        "SDPA": lambda: window_of(sdpa.__doc__.partition("->")[0]),
        "FlexAttention": lambda: window_of(inspect.signature(flex_attention)),
        "MHA": lambda: window_of(inspect.signature(MultiheadAttention.forward)),
        "`companion`": window_of_companion,
        "local-attention": window_of_local_attention,
    },
    "Which base has the log-sum-exp?": {
        "SDPA": lambda: "not returned" if sdpa(QUERY, KEY, EYE).shape == (1, 1, L, S) else "returned",
        "FlexAttention": lambda: base(flex(QUERY, KEY, EYE, return_aux=AuxRequest(lse=True))[1].lse),
        "MHA": lse_of_layer,
        "`companion`": lambda: base(everything(QUERY, KEY, EYE, return_lse=True)[1]),
    },
    "In which order are the axes?": {
        "SDPA": lambda: order(sdpa),
        "FlexAttention": lambda: order(flex),
        "MHA": layer_order,
        "`companion`": lambda: order(everything),
        "x-transformers": lambda: order(attend),
    },
    "What does a row without keys give?": {
        "SDPA": empty_row_of_sdpa,
        "FlexAttention": empty_row_of_flex,
        "MHA": lambda: empty(mha(attn_mask=~LAST_EMPTY)[0]),
        "`companion`": empty_row_of_companion,
        "x-transformers": lambda: only({empty(attend(mask=LAST_EMPTY, flash=flash)) for flash in FLASH}),
    },
    "What is the default scale?": {
        "SDPA": lambda: scale(sdpa, "scale"),
        "FlexAttention": lambda: scale(flex, "scale"),
        "MHA": scale_of_layer,
        "`companion`": lambda: scale(everything, "scale"),
        "x-transformers": lambda: scale(attend, "scale"),
    },
    "Which dtype may a float mask have?": {
        "SDPA": lambda: taken(lambda d, mask: sdpa(QUERY.to(d), KEY.to(d), EYE.to(d), attn_mask=mask)),
        "FlexAttention": lambda: refused(
            lambda mask: flex(QUERY, KEY, EYE, lambda b, h, i, j: mask[i, j]), AssertionError
        ),
        "MHA": lambda: taken(lambda d, mask: mha(d, attn_mask=mask)),
        "`companion`": lambda: refused(lambda mask: attention(QUERY, KEY, EYE, mask), TypeError),
        "x-transformers": lambda: refused(lambda mask: attend(mask=mask), TypeError),
    },
}

PAGE = (ROOT / "book/rosetta.md").read_text()
SECTIONS = dict(re.findall(r"^## (.+?)$(.+?)(?=^## |\Z)", PAGE, re.M | re.S))
ROWS = {
    (heading, library): (says, source)
    for heading, section in SECTIONS.items()
    for library, says, source in re.findall(r"^\| (\S+) \| (.+) \| (.+) \|$", section, re.M)
    if library not in ("library", "---")
}


@pytest.mark.parametrize(("question", "library"), [(asked, name) for asked in FACTS for name in FACTS[asked]])
def test_a_row_says_what_its_library_does(question, library):
    assert ROWS[question, library][0] == FACTS[question][library]()


def test_the_rows_with_a_tick_are_those_that_are_run():
    ticked = {row for row, (_, source) in ROWS.items() if source.startswith("✓ ")}
    assert ticked == {(asked, name) for asked in FACTS for name in FACTS[asked]}


@pytest.mark.parametrize("question", FACTS)
def test_a_table_has_every_library_in_one_order(question):
    named = re.findall(r"^\| (\S+) \| (?!stands|---)", PAGE.partition("\n## ")[0], re.M)
    in_all = named[: named.index("`companion`") + 1]
    here = [library for asked, library in ROWS if asked == question]
    assert here[: len(in_all)] == in_all
    assert set(here) <= set(named)


def test_every_row_links_a_source():
    targets = dict(re.findall(r"^\[(\S+)\]: (\S+)$", PAGE, re.M))
    assert set(re.findall(r"\]\[([\w-]+)\]", PAGE)) == set(targets)
    for row, (_, source) in ROWS.items():
        assert re.search(r"\]\[[\w-]+\]|\]\([\w.]+\)", source), row
    for target in [*targets.values(), *re.findall(r"\]\(([^)]+)\)", PAGE)]:
        assert target.startswith("https://") or (ROOT / "book" / target).is_file(), target


def test_both_masks_of_the_layer_read_true_alike():
    assert meaning(mha(key_padding_mask=FIRST[:1])[1]) == "may not attend"


def test_the_other_corner_of_sdpa():
    assert corner(sdpa(QUERY, KEY, EYE, attn_mask=causal_lower_right(L, S))) == "bottom right"


def test_the_flag_of_the_layer_is_a_hint():
    with pytest.raises(RuntimeError, match="attn_mask"):
        mha(is_causal=True)
    out, _ = mha(attn_mask=~CORNERS["bottom right"], is_causal=True, need_weights=False)
    torch.testing.assert_close(out, sdpa(QUERY[0], KEY[0], KEY[0], is_causal=True))


def test_companion_asks_for_the_offset():
    with pytest.raises(ValueError, match="query_offset"):
        attention(QUERY, KEY, EYE, causal())


def test_the_exact_window_of_local_attention_has_one_key_more():
    assert all(local(w, exact_windowsize=True) == (w + 1, w + 1) for w in WIDTHS)


def test_batch_first():
    assert layer_order(batch_first=True) == "(B, L, HD)"


def test_a_wrong_order_need_not_raise():
    """Each value is its token's number. So is each output: a token read nothing but its own heads."""
    query, key, _ = tensors(4, heads=3)
    value = torch.arange(4.0)[None, None, :, None].expand(1, 3, 4, 1)
    out = sdpa(*(x.transpose(1, 2) for x in (query, key, value))).transpose(1, 2)
    torch.testing.assert_close(out, value)


def test_the_formula_that_sdpa_names_gives_nan_in_an_empty_row():
    assert empty(torch.softmax(SCORES.masked_fill(~LAST_EMPTY, -math.inf), dim=-1) @ KEY[0, 0]) == "NaN"


def test_the_layer_without_weights_gives_zero_in_an_empty_row():
    assert empty(mha(attn_mask=~LAST_EMPTY, need_weights=False)[0]) == "0"


def test_the_lowest_number_gives_the_mean_in_an_empty_row():
    lowest = torch.zeros(L, S).masked_fill(~LAST_EMPTY, torch.finfo(torch.float32).min)
    out = torch.softmax(SCORES + lowest, dim=-1) @ KEY[0, 0]
    torch.testing.assert_close(out[-1], KEY[0, 0].mean(0))


def test_the_layer_without_weights_takes_float32_masks():
    found = taken(lambda d, mask: mha(d, attn_mask=mask, need_weights=False))
    assert found == "the query's, or float32"


@pytest.mark.parametrize(
    "weights",
    [
        lambda mask: sdpa(QUERY, KEY, EYE, attn_mask=mask),
        lambda mask: mha(attn_mask=mask)[1],
        lambda mask: attend(mask=mask, flash=True),
    ],
    ids=["SDPA", "MHA", "x-transformers with flash"],
)
def test_a_float_mask_is_added(weights):
    right = torch.softmax(SCORES + FIRST.float(), dim=-1)
    torch.testing.assert_close(weights(FIRST.float()).reshape(L, S), right)
