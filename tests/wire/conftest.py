"""What a plain clone doesn't have can't be what coverage rests on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.marks import unmarked


@pytest.fixture(autouse=True)
def _unmarked() -> Iterator[None]:
    with unmarked():
        yield
