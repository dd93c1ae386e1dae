"""The history of remarks and their limits."""

from __future__ import annotations

from dataclasses import replace

import pytest

from neodeskpet.core.proactive import (
    DAY,
    HOUR,
    LEAST_GAP_SECONDS,
    MOST_HELD,
    MOST_LEFT,
    STALE_SECONDS,
    Detection,
    Remark,
    RemarkContext,
    RemarkHistory,
    RemarkKind,
    RemarkSettings,
    UserPresence,
)

WISHES = RemarkSettings(on=True, quiet_from=0, quiet_to=0)
NOW = 1e9
BUSY = UserPresence(1.0, Detection.NO, Detection.NO)


def at(now: float = NOW, noticed: UserPresence | None = None) -> RemarkContext:
    return RemarkContext(now, 720, noticed or UserPresence(60.0, Detection.NO, Detection.NO))


def remark(name: str, kind: RemarkKind = RemarkKind.TASK, when: float = NOW) -> Remark:
    return Remark(name, kind, name, when)


def said(ledger: RemarkHistory, name: str, now: float, kind: RemarkKind = RemarkKind.TASK) -> bool:
    """Whether the remark is made when it is offered now."""
    ledger.offer(remark(name, kind, now), WISHES)
    there = ledger.next(at(now), WISHES)
    if there is None or not ledger.may_say(there.id, at(now), WISHES):
        return False
    return ledger.mark_said(there.id, now) is not None


def test_the_limits() -> None:
    ledger = RemarkHistory()
    assert said(ledger, "a", NOW)
    assert not said(ledger, "b", NOW + LEAST_GAP_SECONDS - 1)
    assert ledger.next(at(NOW + LEAST_GAP_SECONDS), WISHES) == remark(
        "b", when=NOW + LEAST_GAP_SECONDS - 1
    )
    assert ledger.mark_said("b", NOW + LEAST_GAP_SECONDS) is not None
    assert ledger.mark_said("b", NOW + LEAST_GAP_SECONDS) is None, "it is said once"
    assert not said(ledger, "c", NOW + 3 * LEAST_GAP_SECONDS), "the third of the hour"
    for hour in range(1, 5):
        assert said(ledger, str(hour), NOW + LEAST_GAP_SECONDS + hour * HOUR)
    assert not said(ledger, "seventh", NOW + DAY - 1)
    assert said(ledger, "next day", NOW + DAY)


def test_a_clock_that_was_set_back_counts_nothing_twice() -> None:
    ledger = RemarkHistory()
    assert said(ledger, "a", NOW)
    assert not said(ledger, "b", NOW - HOUR)
    assert ledger.next(at(NOW - 30 * DAY), WISHES) is None
    assert said(ledger, "c", NOW - 30 * DAY), "it was far in the future, and is invalid now"


def test_which_remarks_are_offered() -> None:
    ledger = RemarkHistory()
    assert not ledger.offer(remark("a"), RemarkSettings())
    assert not ledger.offer(remark("a"), replace(WISHES, kinds=frozenset()))
    assert ledger.offer(remark("a"), WISHES)
    assert not ledger.offer(remark("a"), WISHES), "it waits already"
    assert ledger.offer(remark("a", RemarkKind.IDLE), WISHES)
    for number in range(2 * MOST_HELD):
        ledger.offer(remark(str(number)), WISHES)
    assert len(ledger.waiting) == MOST_HELD


def test_tasks_come_first_then_the_oldest() -> None:
    ledger = RemarkHistory()
    for one in (
        remark("i", RemarkKind.IDLE),
        remark("t", RemarkKind.TIME, NOW - 5),
        remark("x", when=NOW),
    ):
        ledger.offer(one, WISHES)
    order = []
    for turn in range(3):
        there = ledger.next(at(NOW + turn * LEAST_GAP_SECONDS / 2), WISHES)
        order.append(there.id if there is not None else "")
        ledger.discard(order[-1])
    assert order == ["x", "t", "i"]


def test_a_remark_waits_for_a_pause_or_goes_to_the_inbox() -> None:
    ledger = RemarkHistory()
    ledger.offer(remark("task"), WISHES)
    ledger.offer(remark("idle", RemarkKind.IDLE), WISHES)
    assert ledger.next(at(NOW, BUSY), WISHES) is None
    assert len(ledger.waiting) == 2
    assert ledger.next(at(NOW + STALE_SECONDS + 1, BUSY), WISHES) is None
    assert not ledger.waiting
    assert [one.id for one in ledger.inbox] == ["task"], "small talk is dropped"
    ledger.remove_from_inbox("task")
    assert not ledger.inbox
    for number in range(2 * MOST_LEFT):
        ledger.offer(remark(str(number)), WISHES)
        ledger.next(at(NOW + DAY), WISHES)
    ledger.move_to_inbox(remark("left"))
    assert ledger.inbox[0].id == "left"
    ledger.remove_from_inbox("left")
    assert len(ledger.inbox) == MOST_LEFT - 1
    assert ledger.inbox[0].id == str(2 * MOST_LEFT - 1)


def test_with_remarks_off_nothing_waits() -> None:
    ledger = RemarkHistory()
    ledger.offer(remark("task"), WISHES)
    assert ledger.next(at(), RemarkSettings()) is None
    assert not ledger.waiting
    assert not ledger.inbox


def test_the_moment_is_checked_again() -> None:
    ledger = RemarkHistory()
    ledger.offer(remark("a"), WISHES)
    there = ledger.next(at(), WISHES)
    assert there is not None
    ledger.set_words("a", "Done!")
    ledger.set_words("b", "?")
    assert not ledger.may_say("a", at(NOW, BUSY), WISHES)
    assert not ledger.may_say("b", at(), WISHES)
    later = ledger.next(at(), WISHES)
    assert later is not None
    assert later.words == "Done!", "its text exists already"


def test_fewer_remarks_of_a_kind() -> None:
    ledger = RemarkHistory()
    ledger.offer(remark("held", RemarkKind.IDLE), WISHES)
    ledger.reduce_kind(RemarkKind.IDLE, NOW)
    assert not ledger.waiting
    assert not ledger.offer(remark("a", RemarkKind.IDLE, NOW + DAY - 1), WISHES)
    assert said(ledger, "other", NOW + 5, RemarkKind.TIME), "other kinds continue"
    assert said(ledger, "b", NOW + DAY, RemarkKind.IDLE)
    assert not ledger.offer(remark("c", RemarkKind.IDLE, NOW + DAY + 3 * HOUR), WISHES), (
        "rarely now"
    )
    assert ledger.offer(remark("d", RemarkKind.IDLE, NOW + DAY + 4 * HOUR), WISHES)
    ledger.reduce_kind(RemarkKind.TASK, NOW)
    assert said(ledger, "e", NOW + 2 * DAY)
    assert not ledger.offer(remark("f", when=NOW + 2 * DAY + HOUR), WISHES)
    for _ in range(20):
        ledger.reduce_kind(RemarkKind.TASK, NOW + 2 * DAY)
    assert ledger.offer(remark("g", when=NOW + 300 * DAY), WISHES), "rarely isn't never"


def test_fewer_is_undone() -> None:
    ledger = RemarkHistory()
    ledger.offer(remark("held", RemarkKind.IDLE), WISHES)
    once = ledger.reduce_kind(RemarkKind.IDLE, NOW)
    twice = ledger.reduce_kind(RemarkKind.IDLE, NOW + 1)
    twice()
    assert not ledger.offer(remark("a", RemarkKind.IDLE, NOW + 2), WISHES), "the first still holds"
    once()
    once()
    assert [one.id for one in ledger.waiting] == ["held"]
    assert said(ledger, "b", NOW + 5, RemarkKind.IDLE)


def test_the_history_is_stored() -> None:
    ledger = RemarkHistory()
    said(ledger, "a", NOW, RemarkKind.IDLE)
    ledger.reduce_kind(RemarkKind.TIME, NOW)
    ledger.offer(remark("old", when=NOW - 2 * STALE_SECONDS), WISHES)
    ledger.next(at(), WISHES)
    ledger.offer(replace(remark("b"), words="好的"), WISHES)
    again = RemarkHistory.read(ledger.write())
    assert again.write() == ledger.write()
    assert again.is_spent(NOW + 1)
    assert (again.waiting, again.inbox) == (ledger.waiting, ledger.inbox)
    assert not again.offer(remark("t", RemarkKind.TIME), WISHES)


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "nonsense",
        "[]",
        '{"spoken": 1}',
        '{"less": {"x": [1, 2]}}',
        '{"held": [[1]]}',
        '{"held": [["a", "task", "b", "soon", ""]]}',
        '{"spoken": [[1, "nobody"]]}',
    ],
)
def test_an_unreadable_history_is_discarded(text: str | None) -> None:
    assert RemarkHistory.read(text).write() == RemarkHistory().write()
