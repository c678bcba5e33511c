import torch


class Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, query, key, value):
        L, S, D = query.shape[-2], key.shape[-2], query.shape[-1]
        i, j = torch.arange(S - L, S)[:, None], torch.arange(S)
        scores = (query @ key.transpose(-1, -2) / D**0.5).masked_fill(j > i, float("-inf"))
        weights = scores.softmax(dim=-1)
        ctx.save_for_backward(query, key, value, weights)
        return weights @ value

    @staticmethod
    def backward(ctx, grad):
        query, key, value, weights = ctx.saved_tensors
        towards = grad @ value.transpose(-1, -2)
        shared = (weights * towards).sum(dim=-1, keepdim=True)
        scores = weights * (towards - shared) / query.shape[-1] ** 0.5
        return scores @ key, scores.transpose(-1, -2) @ query, weights.transpose(-1, -2) @ grad


def attention(query, key, value):
    return Attention.apply(query, key, value)
