"""Some of the ten thousand call sequences of `tests.bench.orders`: none crashes its process."""

from __future__ import annotations

import pytest

from tests.bench.orders import hunt
from tests.support.unmeasured import unmeasured_children

COUNT = 90


@pytest.mark.timeout(400)
def test_no_order_of_calls_ends_the_process() -> None:
    with unmeasured_children():
        assert hunt(COUNT) == []


def test_a_crash_would_be_noticed() -> None:
    # The library's own model crashes with it. When it no longer does, `motion_copies` can be
    # removed.
    with unmeasured_children():
        assert hunt(10, raw=True, most=1) != []
