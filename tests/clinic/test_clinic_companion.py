"""The book's own attention under the strictest examination: the clinic holds us to what we promise."""

import pytest

from companion.attention import attention
from companion.clinic import examine
from companion.indices import IndexSet
from companion.patterns import causal, full, sinks, sliding_window


@pytest.mark.parametrize("backend", ["dense", "blocks"])
@pytest.mark.parametrize("pattern", [causal(), sliding_window(4) | sinks(1), full()], ids=repr)
def test_every_backend_is_strictly_healthy(backend, pattern):
    def attend(query, key, value):
        options = {"query_offset": key.shape[-2] - query.shape[-2], "enable_gqa": True, "backend": backend}
        return attention(query, key, value, pattern, **options)

    report = examine(attend, pattern, strict=True)
    report.raise_for_findings()
    refused = [trial.part for trial in report.tried if "refused" in trial.outcome]
    assert refused == []


def test_index_sets_are_strictly_healthy_and_refuse_duplicates():
    def attend(query, key, value, indices):
        offset = key.shape[-2] - query.shape[-2]
        return attention(query, key, value, IndexSet(indices), query_offset=offset, enable_gqa=True)

    report = examine(attend, strict=True)
    report.raise_for_findings()
    refused = {trial.part: trial.outcome for trial in report.tried if "refused" in trial.outcome}
    assert list(refused) == ["duplicates"]
    assert "more than once" in refused["duplicates"]
