"""What a plain clone doesn't have can't be what coverage rests on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.unmeasured import unmeasured


@pytest.fixture(autouse=True)
def _unmeasured() -> Iterator[None]:
    with unmeasured():
        yield
