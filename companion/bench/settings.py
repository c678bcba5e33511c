"""At what sizes the table is made."""

from dataclasses import dataclass, replace

__all__ = ["FULL", "GPU", "GPU_QUICK", "QUICK", "Settings"]


@dataclass(frozen=True)
class Settings:
    """Sizes in tokens; ``dtype`` is a name in torch. ``judged``: whether the targets hold at these sizes."""

    tokens: int = 8192
    long_tokens: int = 131_072
    window: int = 256
    layout_window: int = 1024
    mask_tokens: int = 16_384  # where create_block_mask is measured: it builds the dense mask first
    batch: int = 1
    heads: int = 8
    dim: int = 64
    repeats: int = 7
    flex_blocks: tuple[int, ...] = (32, 64, 128)  # to choose the best of, under the window
    pattern_flex_blocks: tuple[int, ...] = (32, 64, 128)  # and under the other patterns
    scaling: tuple[int, ...] = (1024, 2048, 4096, 8192, 16_384)
    fit_windows: tuple[int, ...] = ()  # more windows, through whose times a line is laid
    device: str = "cpu"
    dtype: str = "float32"
    quick: bool = False

    @property
    def judged(self) -> bool:
        return not self.quick and (self.device, self.dtype) in (("cpu", "float32"), ("cuda", "bfloat16"))


FULL = Settings()
QUICK = Settings(
    tokens=1024,
    long_tokens=16_384,
    window=64,
    layout_window=256,
    mask_tokens=2048,
    repeats=3,
    flex_blocks=(64,),
    pattern_flex_blocks=(),
    scaling=(256, 512, 1024, 2048),
    quick=True,
)
# Tokens enough to fill an NVIDIA H200, on which the targets are set.
GPU = Settings(
    tokens=16_384,
    long_tokens=65_536,
    window=1024,
    batch=4,
    heads=16,
    dim=128,
    repeats=20,
    flex_blocks=(128,),
    pattern_flex_blocks=(128,),
    fit_windows=(256, 512, 2048, 4096),
    device="cuda",
    dtype="bfloat16",
)
GPU_QUICK = replace(GPU, tokens=2048, long_tokens=8192, window=256, fit_windows=(512,), quick=True)
