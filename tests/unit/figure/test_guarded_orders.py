"""Some of the ten thousand orders of `tests.bench.orders`: none ends its process."""

from __future__ import annotations

import pytest

from tests.bench.orders import hunt

COUNT = 90


@pytest.mark.timeout(400)
def test_no_order_of_calls_ends_the_process() -> None:
    assert hunt(COUNT) == []


def test_a_death_would_be_seen() -> None:
    # The library's own model dies of the same. When it no longer does, `motion_copies` can go.
    assert hunt(10, raw=True) != []
