"""When a proactive remark must not be made."""

from __future__ import annotations

from dataclasses import replace

import pytest

from neodeskpet.core.proactive import (
    RECALL_EVERY_SECONDS,
    RESTING_SECONDS,
    SILENT_SECONDS,
    Detection,
    RemarkContext,
    RemarkKind,
    RemarkOpportunities,
    RemarkSettings,
    SilenceReason,
    UserPresence,
    is_quiet_hour,
    part_of_day,
    silence_reason,
)

WISHES = RemarkSettings(on=True)
FREE = UserPresence(60.0, Detection.NO, Detection.NO, Detection.UNKNOWN)
NOON = RemarkContext(1e9, 12 * 60, FREE)


@pytest.mark.parametrize(
    ("noticed", "reason"),
    [
        (FREE, None),
        (replace(FREE, call=Detection.UNKNOWN), None),
        (replace(FREE, idle=None), SilenceReason.UNDETECTED),
        (replace(FREE, fullscreen=Detection.UNKNOWN), SilenceReason.UNDETECTED),
        (replace(FREE, idle=3.0), SilenceReason.TYPING),
        (replace(FREE, idle=3600.0), SilenceReason.AWAY),
        (replace(FREE, fullscreen=Detection.YES), SilenceReason.FULLSCREEN),
        (replace(FREE, call=Detection.YES), SilenceReason.CALL),
        (replace(FREE, shared=Detection.YES), SilenceReason.SHARED),
    ],
)
def test_what_it_detects_prevents_a_remark(
    noticed: UserPresence, reason: SilenceReason | None
) -> None:
    assert silence_reason(replace(NOON, noticed=noticed), WISHES) is reason


def test_the_users_settings_prevent_a_remark() -> None:
    assert silence_reason(NOON, RemarkSettings()) is SilenceReason.OFF
    assert silence_reason(replace(NOON, minute=23 * 60), WISHES) is SilenceReason.NIGHT
    assert silence_reason(replace(NOON, quiet=True), WISHES) is SilenceReason.QUIET
    assert silence_reason(replace(NOON, talking=True), WISHES) is SilenceReason.TALKING


def test_quiet_hours_may_span_midnight() -> None:
    late, lunch = (
        RemarkSettings(quiet_from=22, quiet_to=8),
        RemarkSettings(quiet_from=12, quiet_to=13),
    )
    assert [is_quiet_hour(hour * 60, late) for hour in (21, 22, 0, 7, 8)] == [0, 1, 1, 1, 0]
    assert [is_quiet_hour(hour * 60, lunch) for hour in (11, 12, 13)] == [0, 1, 0]
    assert not any(
        is_quiet_hour(minute, RemarkSettings(quiet_from=9, quiet_to=9)) for minute in range(1440)
    )


def found(
    chances: RemarkOpportunities, moment: RemarkContext, talked: float | None = None
) -> list[tuple[RemarkKind, str]]:
    return list(chances.update(moment, talked))


def idle(seconds: float | None, now: float = 1e9, hour: int = 12) -> RemarkContext:
    return RemarkContext(now, hour * 60, replace(FREE, idle=seconds))


def test_opportunities_for_remarks() -> None:
    chances = RemarkOpportunities()
    assert found(chances, idle(None)) == []
    assert found(chances, idle(1e4)) == [], "the user isn't there"
    assert found(chances, idle(1.0)) == [], "the start has its own greeting"
    assert found(chances, idle(RESTING_SECONDS)) == [(RemarkKind.IDLE, "")]
    assert found(chances, idle(RESTING_SECONDS + 60)) == [], "one remark for a pause"
    assert found(chances, idle(1.0, hour=19)) == [(RemarkKind.TIME, "evening")]
    assert found(chances, idle(RESTING_SECONDS, hour=19)) == [(RemarkKind.IDLE, "")]
    assert found(chances, idle(30.0, hour=19), 1e9 - SILENT_SECONDS) == []
    assert found(chances, idle(30.0, hour=19), 1e9 - 3 * 86_400) == [(RemarkKind.SILENCE, "3")]
    later = 1e9 + RECALL_EVERY_SECONDS
    assert found(chances, idle(30.0, later, 19)) == [(RemarkKind.MEMORY, "")]
    assert found(chances, idle(30.0, later + 1, 19)) == []


def test_the_day_has_four_parts() -> None:
    parts = [part_of_day(hour * 60) for hour in (4, 5, 11, 18, 23)]
    assert parts == ["night", "morning", "day", "evening", "night"]
