import torch


def attention(query, key, value, mask):
    scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
    scores = torch.where(mask, scores, float("-inf"))
    peak = scores.detach().amax(dim=-1, keepdim=True)
    peak = torch.where(peak == float("-inf"), 0, peak)
    weights = torch.exp(scores - peak)
    total = weights.sum(dim=-1, keepdim=True)
    weights = weights / torch.where(total == 0, 1, total)
    return weights @ value
