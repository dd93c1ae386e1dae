"""Idling: it breathes, and now and then does something; what is rare stays rare.

Pure: chance and time come from the caller. Times are seconds of one steady clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from neodeskpet.live2d.life.almanac import PLAIN_DAY, DayContext
from neodeskpet.live2d.liveliness import Motion

LEAST_REPEAT_SECONDS = 120.0
"""Nothing but breathing is done twice within so many seconds."""
RARE = 600.0
MOST_TIME_SHARE = 0.11
"""The share of the time that one act may take."""
_FIRST, _PAUSE = (4.0, 15.0), (10.0, 32.0)


@dataclass(frozen=True, slots=True)
class IdleAct:
    """`apart`: seconds from one beginning to the next, at least. `named`: what its names say of it,
    in lower-case words. `lasts`: seconds that it may take. `calm`: only while nobody disturbs it.
    """

    motion: Motion
    weight: float = 2.0
    least_gap: float = LEAST_REPEAT_SECONDS
    named: frozenset[str] = frozenset()
    lasts: float = 0.0
    calm: bool = False


@dataclass(frozen=True, slots=True)
class IdleMotions:
    """`breath` is what goes on all the time; None where the figure breathes by itself alone."""

    breath: Motion | None = None
    acts: tuple[IdleAct, ...] = ()

    def lasting(self, motion: Motion) -> float:
        """The seconds that it may take, 0 if nothing says so."""
        return next((act.lasts for act in self.acts if act.motion == motion), 0.0)

    def __bool__(self) -> bool:
        return self.breath is not None or bool(self.acts)


class IdleChooser:
    """Tell it of every motion that begins (`note`), whoever wanted it."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._bag: list[Motion] = []
        self._last: Motion | None = None
        self._began = 0.0
        self._played: dict[Motion, tuple[float, float]] = {}  # when it began, how long it took
        self._rest_until = 0.0
        self._act_at: float | None = None

    @property
    def running(self) -> Motion | None:
        """What began last and wasn't told to be over."""
        return self._last

    def restart(self, now: float) -> None:
        """Something else moved: be quiet for a moment first."""
        self._rest_until = max(self._rest_until, now + self._random.uniform(0.4, 1.6))
        self._put_off(now)

    def note(self, motion: Motion, now: float) -> None:
        """This motion begins."""
        self.end(now)
        self._last, self._began = motion, now
        self._played[motion] = (now, 0.0)

    def end(self, now: float) -> None:
        """What ran is over."""
        last = self._last
        if last is not None and last in self._played:
            began, took = self._played[last]
            self._played[last] = (began, max(took, now - began))
        self._last = None

    def did_lately(self, motion: Motion, now: float) -> bool:
        """Whether this began less than SAME ago."""
        return motion in self._played and now - self._played[motion][0] < LEAST_REPEAT_SECONDS

    def next(
        self,
        repertoire: IdleMotions,
        now: float,
        day: DayContext = PLAIN_DAY,
        *,
        undisturbed: bool = False,
    ) -> Motion | None:
        """The motion to start now, None to rest a little longer; `day` makes some of them likelier
        than others, and some are done by who is `undisturbed` alone.
        """
        self.end(now)
        if now < self._rest_until or not repertoire:
            return None
        if self._act_at is None:
            self._act_at = now + self._random.uniform(*_FIRST)
        if now >= self._act_at:
            acts = [act for act in repertoire.acts if undisturbed or not act.calm]
            act = self._choose(acts, now, day)
            self._put_off(now)
            if act is not None:
                return act
        if repertoire.breath is not None:
            self._rest_until = now + self._random.uniform(0.1, 1.2)
        return repertoire.breath

    def loop(self, motions: Sequence[Motion], now: float) -> Motion | None:
        """The same for what is shown by nothing else: all of them in varied order, never one twice
        in a row (unless there is but one).
        """
        before = self._last
        self.end(now)
        if not motions or now < self._rest_until:
            return None
        known = set(motions)
        self._bag = [motion for motion in self._bag if motion in known]
        if not self._bag:
            self._bag = list(motions)
            self._random.shuffle(self._bag)
            if len(self._bag) > 1 and self._bag[-1] == before:
                self._bag.insert(0, self._bag.pop())
        self._rest_until = now + self._random.uniform(0.2, 3.0)
        return self._bag.pop()

    def _put_off(self, now: float) -> None:
        self._act_at = max(self._act_at or 0.0, now + self._random.uniform(*_PAUSE))

    def _choose(self, acts: Sequence[IdleAct], now: float, day: DayContext) -> Motion | None:
        free = [act for act in acts if now >= self._free_at(act)]
        if not free:
            return None
        (chosen,) = self._random.choices(free, [act.weight * day.weight(act.named) for act in free])
        return chosen.motion

    def _free_at(self, act: IdleAct) -> float:
        """When it may be done again: long ones later."""
        if act.motion not in self._played:
            return 0.0
        began, took = self._played[act.motion]
        return began + max(act.least_gap, took / MOST_TIME_SHARE)
