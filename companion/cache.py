"""Key/value caches: attention over a sequence that arrives a few tokens at a time.

Both caches take the new tokens' query, key and value, in chunks of any length, and return the rows that one
pass over the whole sequence would have given these tokens. They keep no graph for gradients.
"""

from companion.extras import extra

with extra("torch"):
    import torch

from companion.attention import attention
from companion.patterns import Pattern, causal, sinks, sliding_window
from companion.patterns.numbers import whole

__all__ = ["KVCache", "WindowCache"]


class KVCache:
    """The keys and values of all tokens so far, in memory that doubles when it is full.

    >>> cache, token = KVCache(), torch.zeros(1, 1, 1, 8)
    >>> [cache.attention(token, token, torch.full((1, 1, 1, 1), v)).item() for v in (8.0, 2.0, 5.0)]
    [8.0, 5.0, 5.0]
    >>> len(cache)
    3
    """

    def __init__(self):
        self._keys = self._values = None
        self._tokens = 0

    def __len__(self) -> int:
        """How many tokens have been seen."""
        return self._tokens

    @property
    def keys(self) -> torch.Tensor | None:
        """The keys so far, (B, Hkv, tokens, D), not to be written to; None before the first token."""
        return None if self._keys is None else self._keys[:, :, : self._tokens]

    @property
    def values(self) -> torch.Tensor | None:
        """The values so far, (B, Hkv, tokens, Dv), not to be written to; None before the first token."""
        return None if self._values is None else self._values[:, :, : self._tokens]

    def attention(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        pattern: Pattern = causal(),
        **options,
    ) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
        """Appends the new tokens' ``key`` and ``value`` and lets their ``query`` attend everything so far.

        Shapes, ``options`` and errors are those of `companion.attention.attention`, with as many queries as
        keys, at the positions that follow the tokens already seen. A call that raises leaves the cache as it
        was.
        """
        _check(query, key, value, self._keys, self._values, options)
        before, tokens = self._tokens, self._tokens + key.shape[2]
        keys = _room(self._keys, key, before, tokens)
        values = _room(self._values, value, before, tokens)
        keys[:, :, before:tokens] = key
        values[:, :, before:tokens] = value
        seen = keys[:, :, :tokens], values[:, :, :tokens]
        found = attention(query, *seen, pattern, query_offset=before, **options)
        self._keys, self._values, self._tokens = keys, values, tokens
        return found


class WindowCache:
    """The keys and values that ``sliding_window(window) | sinks(sinks)`` can still reach, and no others.

    Holds at most ``sinks + window - 1`` tokens between calls, however many have been seen. Windows and sinks
    go by the tokens' absolute positions. (Xiao et al. 2023, arXiv 2309.17453, section 3.2, who renumber them
    inside the cache.)

    >>> cache, token = WindowCache(window=2, sinks=1), torch.zeros(1, 1, 1, 8)
    >>> [cache.attention(token, token, torch.full((1, 1, 1, 1), v)).item() for v in (8.0, 2.0, 5.0, 5.0)]
    [8.0, 5.0, 5.0, 6.0]
    >>> len(cache), cache.keys.shape[2]
    (4, 2)
    """

    def __init__(self, window: int, sinks: int = 0):
        self.window = whole("window", window, 1)
        self.sinks = whole("sinks", sinks, 0)
        self._keys = self._values = None
        self._tokens = 0

    def __len__(self) -> int:
        """How many tokens have been seen."""
        return self._tokens

    @property
    def pattern(self) -> Pattern:
        """Who may attend to whom, over the whole sequence."""
        window = sliding_window(self.window)
        return window | sinks(self.sinks) if self.sinks else window

    @property
    def keys(self) -> torch.Tensor | None:
        """The keys still held, (B, Hkv, at most sinks + window - 1, D); None before the first token."""
        return self._keys

    @property
    def values(self) -> torch.Tensor | None:
        """The values still held, (B, Hkv, at most sinks + window - 1, Dv); None before the first token."""
        return self._values

    def attention(
        self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, **options
    ) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
        """Lets the new tokens' ``query`` attend what `pattern` allows them, then forgets what is out of
        reach.

        Shapes, ``options`` and errors are those of `companion.attention.attention`, with as many queries as
        keys. A call that raises leaves the cache as it was.
        """
        _check(query, key, value, self._keys, self._values, options)
        keys, values = key, value
        if self._keys is not None:
            keys = torch.cat([self._keys, key], dim=2)
            values = torch.cat([self._values, value], dim=2)
        # Forgotten tokens lie between the sinks and the window. Closing the gap keeps all distances within
        # the window, and brings no key among the sinks that was not there.
        held = keys.shape[2] - key.shape[2]
        found = attention(query, keys, values, self.pattern, query_offset=held, **options)
        self._keys, self._values = self._reachable(keys), self._reachable(values)
        self._tokens += key.shape[2]
        return found

    def _reachable(self, x):
        tokens = x.shape[2]
        recent = max(self.sinks, tokens - (self.window - 1))
        return torch.cat([x[:, :, : self.sinks], x[:, :, recent:]], dim=2)


def _check(query, key, value, keys, values, options):
    """What a cache asks beyond what attention does."""
    for name, x, held in (("query", query, None), ("key", key, keys), ("value", value, values)):
        if not isinstance(x, torch.Tensor):
            raise TypeError(f"{name} must be a torch tensor; got {type(x).__name__}")
        if x.ndim != 4:
            raise ValueError(f"{name} must be (batch, heads, tokens, dim); got shape {tuple(x.shape)}")
        if torch.is_grad_enabled() and x.requires_grad:
            raise ValueError(f"{name} requires a gradient, and a cache keeps none: use torch.no_grad()")
        if x.shape[2] != query.shape[2]:
            raise ValueError(f"{name} must have the {query.shape[2]} tokens of query; got {x.shape[2]}")
        if held is not None and (_kind(x), x.dtype, x.device) != (_kind(held), held.dtype, held.device):
            raise ValueError(
                f"{name} must be like the tokens held: {_kind(held)} (batch, heads, dim), {held.dtype} on "
                f"{held.device}; got {_kind(x)}, {x.dtype} on {x.device}"
            )
    if "query_offset" in options:
        raise TypeError("query_offset is the cache's own to say: the number of tokens seen")


def _kind(x):
    return tuple(x.shape[:2]), x.shape[3]


def _room(buffer, new, used, needed):
    """``buffer`` with room for ``needed`` tokens, the first ``used`` kept."""
    if buffer is not None and buffer.shape[2] >= needed:
        return buffer
    B, heads, _, dim = new.shape
    larger = new.new_empty(B, heads, max(needed, 2 * used), dim)
    if buffer is not None:
        larger[:, :, :used] = buffer[:, :, :used]
    return larger
