import torch


def attention(query, key, value):
    # (batch, tokens, heads, dim), as a projection gives it; fewer key heads than query heads are welcome.
    query, key, value = (x.transpose(1, 2) for x in (query, key, value))
    groups = query.shape[1] // key.shape[1]
    key, value = (x.repeat_interleave(groups, dim=1) for x in (key, value))
    L, S, D = query.shape[-2], key.shape[-2], query.shape[-1]
    i, j = torch.arange(S - L, S)[:, None], torch.arange(S)
    scores = query @ key.transpose(-1, -2) / D**0.5
    scores = scores.masked_fill(~(j <= i), float("-inf"))
    return (scores.softmax(dim=-1) @ value).transpose(1, 2)
