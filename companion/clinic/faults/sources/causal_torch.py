import torch


def attention(query, key, value):
    L, S, D = query.shape[-2], key.shape[-2], query.shape[-1]
    i, j = torch.arange(S - L, S)[:, None], torch.arange(S)
    scores = query @ key.transpose(-1, -2) / D**0.5
    scores = scores.masked_fill(~(j <= i), float("-inf"))
    weights = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights @ value
