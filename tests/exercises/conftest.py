"""Where there is no GPU, kernels of exercises run in Triton's interpreter: it must know before import."""

import os

import torch

if not torch.cuda.is_available():
    os.environ.setdefault("TRITON_INTERPRET", "1")
