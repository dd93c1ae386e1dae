"""The same again, unmeasured: coverage makes our code three times as slow, and knows it by then."""

from __future__ import annotations

import os
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


@contextmanager
def unmeasured_children() -> Iterator[None]:
    """Coverage doesn't look at the processes that are started meanwhile. For those that are killed,
    which leave half of its file, and for many of a kind, each of which loads it.
    """
    kept = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("COVERAGE_")}
    try:
        yield
    finally:
        os.environ.update(kept)
