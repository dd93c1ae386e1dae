"""Proactive remarks through a simulated year, and through any other days."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from neodeskpet.core.proactive import (
    AWAY_SECONDS,
    DAY,
    HOUR,
    LEAST_GAP_SECONDS,
    PAUSE_SECONDS,
    PER_DAY,
    PER_HOUR,
    Detection,
    Remark,
    RemarkContext,
    RemarkHistory,
    RemarkKind,
    RemarkOpportunities,
    RemarkSettings,
    UserPresence,
)

WISHES = RemarkSettings(on=True)
FIRST = 1_767_225_600.0
YES, NO = Detection.YES, Detection.NO


@dataclass(frozen=True, slots=True)
class Life:
    """The real activity of the user in a minute."""

    typing: bool = False
    meeting: bool = False
    shared: bool = False
    fullscreen: bool = False
    away: float = 0.0

    def noticed(self, random: Random) -> UserPresence:
        idle = random.uniform(0, 15) if self.typing else random.uniform(25, 400)
        return UserPresence(
            AWAY_SECONDS + self.away if self.away else idle,
            YES if self.fullscreen else NO,
            YES if self.meeting else NO,
            YES if self.shared else NO,
        )


def day_of(random: Random) -> Iterator[Life]:
    """The 1,440 minutes of a day: night, work in bursts, meetings, pauses, a film."""
    meetings = {random.randrange(9, 17) for _ in range(random.randrange(4))}
    film = random.randrange(19, 22)
    burst = 0
    for minute in range(1440):
        hour = minute // 60
        if hour < 7:
            yield Life(away=60.0 * minute + 1)
        elif hour in meetings:
            yield Life(meeting=True, shared=minute % 3 == 0, typing=minute % 4 == 0)
        elif hour == film:
            yield Life(fullscreen=True)
        else:
            burst = burst - 1 if burst else random.randrange(0, 40)
            yield Life(typing=burst > random.randrange(12), away=(burst % 17 == 16 and 5.0) or 0.0)


class Watch:
    """Runs through the minutes as the speaker does, and records the remarks."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.ledger = RemarkHistory()
        self.chances = RemarkOpportunities()
        self.said: list[tuple[float, RemarkKind]] = []
        self.wording: str = ""  # the remark whose text is being written
        self.count = 0

    def live(self, now: float, minute: int, life: Life) -> None:
        moment = RemarkContext(now, minute, life.noticed(self.random))
        if self.random.random() < 0.01:
            self.offer(RemarkKind.TASK, now)
        for kind, _ in self.chances.update(moment, now - 3 * DAY):
            self.offer(kind, now)
        if self.random.random() < 0.0005:
            self.ledger.reduce_kind(self.random.choice(list(RemarkKind)), now)
        if self.wording:
            self.speak(moment, life)
        there = self.ledger.next(moment, WISHES)
        self.wording = there.id if there is not None else ""
        if there is not None and self.random.random() < 0.5:
            self.speak(moment, life)  # its text came at once
        if self.random.random() < 0.001:
            self.ledger = RemarkHistory.read(self.ledger.write())  # the app was restarted

    def offer(self, kind: RemarkKind, now: float) -> None:
        self.count += 1
        self.ledger.offer(Remark(str(self.count), kind, str(self.count), now), WISHES)

    def speak(self, moment: RemarkContext, life: Life) -> None:
        if self.ledger.may_say(self.wording, moment, WISHES):
            spent = self.ledger.mark_said(self.wording, moment.now)
            assert spent is not None
            assert not (life.typing or life.meeting or life.shared or life.fullscreen or life.away)
            assert 8 * 60 <= moment.minute < 22 * 60
            assert moment.noticed.idle is not None
            assert moment.noticed.idle >= PAUSE_SECONDS
            self.said.append((moment.now, spent.kind))

    def check(self) -> None:
        times = [at for at, _ in self.said]
        for place, at in enumerate(times):
            before = times[:place]
            assert all(at - one >= LEAST_GAP_SECONDS for one in before[-1:])
            assert sum(at - one < HOUR for one in before) < PER_HOUR
            assert sum(at - one < DAY for one in before) < PER_DAY


def test_a_year_without_an_interruption() -> None:
    """Every fifth minute of each day."""
    watch = Watch(Random(11))
    for day in range(365):
        for minute, life in enumerate(day_of(watch.random)):
            if minute % 5 == day % 5:
                watch.live(FIRST + day * DAY + minute * 60, minute, life)
    watch.check()
    kinds = Counter(kind for _, kind in watch.said)
    assert set(kinds) == set(RemarkKind), kinds
    assert len(watch.said) > 365
    assert watch.ledger.inbox, "a remark that couldn't be made is kept"


MINUTES = st.builds(
    Life, st.booleans(), st.booleans(), st.booleans(), st.booleans(), st.sampled_from([0.0, 9.0])
)


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.integers(1, 300), MINUTES), min_size=1, max_size=25),
    st.integers(0, 1439),
    st.randoms(use_true_random=False),
)
def test_other_days_without_an_interruption(
    stretches: list[tuple[int, Life]], begin: int, random: Random
) -> None:
    """Any sequence of activities, each some minutes long, with free ones between them."""
    watch = Watch(random)
    clock = begin
    for long, life in stretches:
        for step in range(0, long, 5):
            free = replace(Life(), away=life.away)
            lived = life if step < long * 2 // 3 else free
            watch.live(FIRST + clock * 60 + step * 60, (clock + step) % 1440, lived)
        clock += long
    watch.check()
