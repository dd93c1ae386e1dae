"""Processes that coverage doesn't measure: it makes them three times as slow."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def unmeasured_children() -> Iterator[None]:
    """Coverage doesn't measure the processes that are started meanwhile. For those that are killed,
    which leave half of its file, and for many of a kind, each of which loads it.
    """
    kept = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("COVERAGE_")}
    try:
        yield
    finally:
        os.environ.update(kept)
