"""The same again, unmeasured: coverage makes our code three times as slow, and knows it by then."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def unmeasured() -> Iterator[None]:
    """Coverage doesn't look at what this thread does. For what runs lines that were run before,
    some hundred times: one reply at every split.
    """
    looking = sys.gettrace()
    sys.settrace(None)
    try:
        yield
    finally:
        sys.settrace(looking)
