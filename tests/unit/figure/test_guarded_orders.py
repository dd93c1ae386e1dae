"""Some of the ten thousand orders of `tests.bench.orders`: none ends its process."""

from __future__ import annotations

import pytest

from tests.bench.orders import hunt
from tests.support.unmeasured import unmeasured_children

COUNT = 90


@pytest.mark.timeout(400)
def test_no_order_of_calls_ends_the_process() -> None:
    with unmeasured_children():
        assert hunt(COUNT) == []


def test_a_death_would_be_seen() -> None:
    # The library's own model dies of the same. When it no longer does, `motion_copies` can go.
    with unmeasured_children():
        assert hunt(10, raw=True) != []
