import numpy as np


def attention(query, key, value, mask):
    scores = query @ key.swapaxes(-1, -2) / query.shape[-1] ** 0.5
    scores = np.where(mask, scores, -np.inf)
    peak = scores.max(axis=-1, keepdims=True)
    peak = np.where(peak == -np.inf, 0, peak)
    weights = np.exp(scores - peak)
    total = weights.sum(axis=-1, keepdims=True)
    weights = weights / np.where(total == 0, 1, total)
    return weights @ value
