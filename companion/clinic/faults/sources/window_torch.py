import torch

WINDOW = 4


def attention(query, key, value):
    L, S, D = query.shape[-2], key.shape[-2], query.shape[-1]
    i, j = torch.arange(S - L, S)[:, None], torch.arange(S)
    scores = query @ key.transpose(-1, -2) / D**0.5
    scores = scores.masked_fill(~((j <= i) & (j > i - WINDOW)), float("-inf"))
    return scores.softmax(dim=-1) @ value
