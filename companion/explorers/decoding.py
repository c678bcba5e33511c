"""The explorer of chapter 6: what a cache takes of a device's memory, and what a step makes of its speed."""

from companion.cost import cache_bytes, flops
from companion.explorers import frontend
from companion.frontend.mount import Mount, style

__all__ = ["Decoding", "decoding"]

START = {"layers": 32, "kv": 8, "heads": 32, "dim": 128, "bytes": 2, "tokens": 8192, "batch": 1, "memory": 64}
GIB = 2**30


class Decoding(Mount):
    """A model, a length and a batch: memory and operations per byte of one decoding step."""

    kind = "explorer-decoding"
    _esm = frontend.source(kind)
    _css = style(*frontend.stylesheets())

    def alt(self):
        at = self.spec["start"]
        sizes = {"kv_heads": at["kv"], "layers": at["layers"], "batch": at["batch"], "itemsize": at["bytes"]}
        cache = cache_bytes(at["tokens"], at["dim"], **sizes)
        operations = at["layers"] * flops(at["tokens"], at["dim"], heads=at["heads"], batch=at["batch"])
        return (
            f"Explorer of the cache. {at['layers']} layers, {at['heads']} query heads, {at['kv']} key heads,"
            f" D = {at['dim']}, {at['bytes']} bytes a number, {at['tokens']} tokens: the cache takes"
            f" {cache / GIB:g} GiB of {at['memory']} GiB, and a step has {operations / cache:g} operations"
            " per byte."
        )

    def fallback(self):
        return f"<p>{self.alt()} Where scripts run, all of these can be moved.</p>"


def decoding(peak_flops: float = 312e12, bandwidth: float = 2.039e12) -> Decoding:
    """The explorer of cache and intensity, for a device of ``peak_flops`` operations and ``bandwidth``
    bytes a second, both above 0 (ValueError otherwise). Its memory is set by the reader, in GiB.
    """
    for name, value in (("peak_flops", peak_flops), ("bandwidth", bandwidth)):
        if not value > 0:
            raise ValueError(f"{name} must be above 0, got {value}")
    return Decoding(spec={"start": START, "peak": float(peak_flops), "bandwidth": float(bandwidth)})
