import pytest

from neodeskpet.core.announcements import Report, announce
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
    CueKind,
    CueRead,
    LoadingReported,
    LookBegun,
    PictureRead,
    RetryScheduled,
    WaitReported,
)


@pytest.mark.parametrize(
    ("report", "event"),
    [
        (CueRead(CueKind.MOTION, "Wave"), CueReached(CueKind.MOTION, "Wave")),
        (RetryScheduled(2, 1.5, "timeout"), RetryAnnounced(2, 1.5, "timeout")),
        (LoadingReported("tiny"), LoadingAnnounced("tiny")),
        (WaitReported(12.0), WaitAnnounced(12.0)),
        (LookBegun(3), LookAnnounced(3)),
        (PictureRead("d", "a cat"), PictureDescribed("d", "a cat")),
    ],
)
def test_what_is_told_of(report: Report, event: TurnEvent) -> None:
    assert announce(report) == event
