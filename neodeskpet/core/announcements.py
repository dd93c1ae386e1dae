"""What a response tells beside its parts, passed on to whoever watches the turn."""

from __future__ import annotations

from typing import assert_never

from neodeskpet.core.turn_events import (
    CueReached,
    LoadingAnnounced,
    LookAnnounced,
    PictureDescribed,
    RetryAnnounced,
    TurnEvent,
    WaitAnnounced,
)
from neodeskpet.core.wire import (
    CueRead,
    LoadingReported,
    LookBegun,
    PictureRead,
    RetryScheduled,
    WaitReported,
)

Report = CueRead | RetryScheduled | LoadingReported | WaitReported | LookBegun | PictureRead


def announce(report: Report) -> TurnEvent:
    """It changes nothing in the message: no block, no state."""
    match report:
        case CueRead(kind=kind, name=name):
            return CueReached(kind, name)
        case RetryScheduled(attempt=attempt, delay=delay, code=code):
            return RetryAnnounced(attempt, delay, code)
        case LoadingReported(model=model, ready=ready):
            return LoadingAnnounced(model, ready)
        case WaitReported(seconds=seconds):
            return WaitAnnounced(seconds)
        case LookBegun(count=count):
            return LookAnnounced(count)
        case PictureRead(digest=digest, description=description):
            return PictureDescribed(digest, description)
        case _:
            assert_never(report)
