from __future__ import annotations

from dataclasses import replace

import pytest

from neodeskpet.core.initiative.ledger import (
    DAY,
    GAP,
    HOUR,
    MOST_HELD,
    MOST_LEFT,
    STALE,
    Ledger,
)
from neodeskpet.core.initiative.moment import Kind, Moment, Noticed, Remark, Sense, Wishes

WISHES = Wishes(on=True, quiet_from=0, quiet_to=0)
NOW = 1e9
BUSY = Noticed(1.0, Sense.NO, Sense.NO)


def at(now: float = NOW, noticed: Noticed | None = None) -> Moment:
    return Moment(now, 720, noticed or Noticed(60.0, Sense.NO, Sense.NO))


def remark(name: str, kind: Kind = Kind.TASK, when: float = NOW) -> Remark:
    return Remark(name, kind, name, when)


def said(ledger: Ledger, name: str, now: float, kind: Kind = Kind.TASK) -> bool:
    """Whether it is said, being offered now."""
    ledger.offer(remark(name, kind, now), WISHES)
    there = ledger.next(at(now), WISHES)
    if there is None or not ledger.may_say(there.id, at(now), WISHES):
        return False
    return ledger.spend(there.id, now) is not None


def test_the_budget() -> None:
    ledger = Ledger()
    assert said(ledger, "a", NOW)
    assert not said(ledger, "b", NOW + GAP - 1)
    assert ledger.next(at(NOW + GAP), WISHES) == remark("b", when=NOW + GAP - 1)
    assert ledger.spend("b", NOW + GAP) is not None
    assert ledger.spend("b", NOW + GAP) is None, "once"
    assert not said(ledger, "c", NOW + 3 * GAP), "the third of the hour"
    for hour in range(1, 5):
        assert said(ledger, str(hour), NOW + GAP + hour * HOUR)
    assert not said(ledger, "seventh", NOW + DAY - 1)
    assert said(ledger, "next day", NOW + DAY)


def test_a_clock_that_was_set_back_spends_nothing_twice() -> None:
    ledger = Ledger()
    assert said(ledger, "a", NOW)
    assert not said(ledger, "b", NOW - HOUR)
    assert ledger.next(at(NOW - 30 * DAY), WISHES) is None
    assert said(ledger, "c", NOW - 30 * DAY), "it was in the far future, and is nonsense now"


def test_what_is_offered() -> None:
    ledger = Ledger()
    assert not ledger.offer(remark("a"), Wishes())
    assert not ledger.offer(remark("a"), replace(WISHES, kinds=frozenset()))
    assert ledger.offer(remark("a"), WISHES)
    assert not ledger.offer(remark("a"), WISHES), "it waits already"
    assert ledger.offer(remark("a", Kind.IDLE), WISHES)
    for number in range(2 * MOST_HELD):
        ledger.offer(remark(str(number)), WISHES)
    assert len(ledger.held) == MOST_HELD


def test_tasks_first_then_the_oldest() -> None:
    ledger = Ledger()
    for one in (remark("i", Kind.IDLE), remark("t", Kind.TIME, NOW - 5), remark("x", when=NOW)):
        ledger.offer(one, WISHES)
    order = []
    for turn in range(3):
        there = ledger.next(at(NOW + turn * GAP / 2), WISHES)
        order.append(there.id if there is not None else "")
        ledger.drop(order[-1])
    assert order == ["x", "t", "i"]


def test_it_waits_for_a_pause_or_goes_to_the_inbox() -> None:
    ledger = Ledger()
    ledger.offer(remark("task"), WISHES)
    ledger.offer(remark("idle", Kind.IDLE), WISHES)
    assert ledger.next(at(NOW, BUSY), WISHES) is None
    assert len(ledger.held) == 2
    assert ledger.next(at(NOW + STALE + 1, BUSY), WISHES) is None
    assert not ledger.held
    assert [one.id for one in ledger.inbox] == ["task"], "what was small talk is gone"
    ledger.forget("task")
    assert not ledger.inbox
    for number in range(2 * MOST_LEFT):
        ledger.offer(remark(str(number)), WISHES)
        ledger.next(at(NOW + DAY), WISHES)
    ledger.leave(remark("left"))
    assert ledger.inbox[0].id == "left"
    ledger.forget("left")
    assert len(ledger.inbox) == MOST_LEFT - 1
    assert ledger.inbox[0].id == str(2 * MOST_LEFT - 1)


def test_switched_off_nothing_waits() -> None:
    ledger = Ledger()
    ledger.offer(remark("task"), WISHES)
    assert ledger.next(at(), Wishes()) is None
    assert not ledger.held
    assert not ledger.inbox


def test_the_moment_is_looked_at_again() -> None:
    ledger = Ledger()
    ledger.offer(remark("a"), WISHES)
    there = ledger.next(at(), WISHES)
    assert there is not None
    ledger.put_words("a", "Done!")
    ledger.put_words("b", "?")
    assert not ledger.may_say("a", at(NOW, BUSY), WISHES)
    assert not ledger.may_say("b", at(), WISHES)
    later = ledger.next(at(), WISHES)
    assert later is not None
    assert later.words == "Done!", "it has its words already"


def test_less_of_a_kind() -> None:
    ledger = Ledger()
    ledger.offer(remark("held", Kind.IDLE), WISHES)
    ledger.less(Kind.IDLE, NOW)
    assert not ledger.held
    assert not ledger.offer(remark("a", Kind.IDLE, NOW + DAY - 1), WISHES)
    assert said(ledger, "other", NOW + 5, Kind.TIME), "other kinds go on"
    assert said(ledger, "b", NOW + DAY, Kind.IDLE)
    assert not ledger.offer(remark("c", Kind.IDLE, NOW + DAY + 3 * HOUR), WISHES), "seldom now"
    assert ledger.offer(remark("d", Kind.IDLE, NOW + DAY + 4 * HOUR), WISHES)
    ledger.less(Kind.TASK, NOW)
    assert said(ledger, "e", NOW + 2 * DAY)
    assert not ledger.offer(remark("f", when=NOW + 2 * DAY + HOUR), WISHES)
    for _ in range(20):
        ledger.less(Kind.TASK, NOW + 2 * DAY)
    assert ledger.offer(remark("g", when=NOW + 300 * DAY), WISHES), "seldom isn't never"


def test_less_is_taken_back() -> None:
    ledger = Ledger()
    ledger.offer(remark("held", Kind.IDLE), WISHES)
    once = ledger.less(Kind.IDLE, NOW)
    twice = ledger.less(Kind.IDLE, NOW + 1)
    twice()
    assert not ledger.offer(remark("a", Kind.IDLE, NOW + 2), WISHES), "the first still holds"
    once()
    once()
    assert [one.id for one in ledger.held] == ["held"]
    assert said(ledger, "b", NOW + 5, Kind.IDLE)


def test_it_is_kept() -> None:
    ledger = Ledger()
    said(ledger, "a", NOW, Kind.IDLE)
    ledger.less(Kind.TIME, NOW)
    ledger.offer(remark("old", when=NOW - 2 * STALE), WISHES)
    ledger.next(at(), WISHES)
    ledger.offer(replace(remark("b"), words="好的"), WISHES)
    again = Ledger.read(ledger.write())
    assert again.write() == ledger.write()
    assert again.is_spent(NOW + 1)
    assert (again.held, again.inbox) == (ledger.held, ledger.inbox)
    assert not again.offer(remark("t", Kind.TIME), WISHES)


@pytest.mark.parametrize(
    "text",
    [
        *(None, "", "nonsense", "[]", '{"spoken": 1}', '{"less": {"x": [1, 2]}}'),
        *('{"held": [[1]]}', '{"held": [["a", "task", "b", "soon", ""]]}'),
        '{"spoken": [[1, "nobody"]]}',
    ],
)
def test_what_can_not_be_read_is_forgotten(text: str | None) -> None:
    assert Ledger.read(text).write() == Ledger().write()
