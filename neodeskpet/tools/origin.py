"""On whose behalf a tool writes: the labels of what the model read when it made the running call.

Tools that store something ask for them and keep them with what they store. They are a context
variable, so that they hold in the threads and tasks that a call starts, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from neodeskpet.core.labels import NO_LABELS, DataSource, Labels


@dataclass(frozen=True, slots=True)
class CallOrigin:
    """`labels` of what was read; `approved`: the person saw this very call and allowed it."""

    labels: Labels = NO_LABELS
    approved: bool = False

    @property
    def untrusted(self) -> tuple[DataSource, ...]:
        """The untrusted sources of a text that is stored now."""
        return self.labels.untrusted


_PERSON = CallOrigin()
_current: ContextVar[CallOrigin] = ContextVar("origin", default=_PERSON)


def current_origin() -> CallOrigin:
    """The origin of the running call; outside of calls the person acts."""
    return _current.get()


@contextmanager
def acting_for(origin: CallOrigin) -> Iterator[None]:
    """Have what runs inside act on behalf of `origin`."""
    token = _current.set(origin)
    try:
        yield
    finally:
        _current.reset(token)
