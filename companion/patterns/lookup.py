"""A table of numbers that ints, arrays and tensors can be looked up in."""

import numpy as np

__all__ = ["Lookup"]


class Lookup:
    """``values[index]``, where an index past the end reads the last value.

    The answer is of the index's kind: a Python number, an array, or a tensor on the index's device. Each
    device gets one copy of the table, made on the first question from there and kept. A compiled
    FlexAttention may not make it: ask once beforehand, as PyTorch's ``create_block_mask`` and
    `BlockLayout.to_flex` do.
    """

    def __init__(self, values: np.ndarray):
        self.values = values
        self._tensors = {}

    def __call__(self, index):
        last = len(self.values) - 1
        if isinstance(index, int | np.integer):
            return self.values[min(index, last)].item()
        if isinstance(index, np.ndarray):
            return self.values[np.minimum(index, last)]
        return self._tensor(index.device)[index.long().clamp(max=last)]

    def _tensor(self, device):
        if device not in self._tensors:
            import torch

            self._tensors[device] = torch.as_tensor(self.values, device=device)
        return self._tensors[device]
