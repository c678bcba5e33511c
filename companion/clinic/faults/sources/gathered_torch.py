import torch


def attention(query, key, value, indices):
    ordered = indices.sort(dim=-1).values
    if ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any():
        raise ValueError("indices repeat a position")
    keys, values = key[..., indices, :], value[..., indices, :]
    scores = (keys @ query[..., None])[..., 0] / query.shape[-1] ** 0.5
    scores = torch.where(indices >= 0, scores, float("-inf"))
    peak = scores.detach().amax(dim=-1, keepdim=True)
    weights = torch.exp(scores - torch.where(peak == float("-inf"), 0, peak))
    total = weights.sum(dim=-1, keepdim=True)
    weights = weights / torch.where(total == 0, 1, total)
    return (weights[..., None, :] @ values)[..., 0, :]
