"""What was spoken, what waits, what lies in the inbox, and what the person wants less of: the one
place that spends the budget. It is kept as JSON (`write`, `read`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from neodeskpet.core.initiative.moment import (
    KEPT_KINDS,
    Remark,
    RemarkContext,
    RemarkKind,
    RemarkSettings,
    silence_reason,
)

LEAST_GAP_SECONDS = 900.0
"""Seconds between two remarks, at least."""
HOUR, PER_HOUR = 3_600.0, 2
DAY, PER_DAY = 86_400.0, 6
"""In any 24 hours: that is never more in a day of the calendar."""
STALE_SECONDS = 1_800.0
"""A remark waits so long for its moment."""
MOST_HELD, MOST_LEFT = 20, 50
"""Of what waits, and of what lies in the inbox; the oldest go."""
KIND_GAPS: Mapping[RemarkKind, float] = {
    RemarkKind.IDLE: 2 * HOUR,
    RemarkKind.TIME: 3 * HOUR,
    RemarkKind.TASK: 0.0,
    RemarkKind.SILENCE: DAY,
    RemarkKind.MEMORY: DAY,
}
"""Between two remarks of a kind; each "less of this" doubles them (from an hour on)."""
_MOST_LESS = 8


class RemarkHistory:
    """All that is remembered of speaking by itself."""

    def __init__(self) -> None:
        self._spoken: list[tuple[float, RemarkKind]] = []
        self._less: dict[RemarkKind, tuple[int, float]] = {}  # how often, and when last
        self._held: list[Remark] = []
        self._inbox: list[Remark] = []

    @property
    def waiting(self) -> Sequence[Remark]:
        """What waits for a pause, the oldest first."""
        return tuple(self._held)

    @property
    def inbox(self) -> Sequence[Remark]:
        """What couldn't be said, the newest first."""
        return tuple(reversed(self._inbox))

    def offer(self, remark: Remark, wishes: RemarkSettings) -> bool:
        """Whether there is a chance to be spoken of it: it waits from now on."""
        if not wishes.on or remark.kind not in wishes.kinds or self.is_due_at(remark) > remark.at:
            return False
        if any((one.kind, one.about) == (remark.kind, remark.about) for one in self._held):
            return False
        self._held = [*self._held, remark][-MOST_HELD:]
        return True

    def is_due_at(self, remark: Remark) -> float:
        """From when on this kind may speak again, apart from the budget of all."""
        kind = remark.kind
        count, last = self._less.get(kind, (0, 0.0))
        gap = KIND_GAPS[kind]
        if count:
            gap = max(gap, HOUR) * 2**count
        spoken = [at + gap for at, of in self._spoken if of is kind]
        stopped = [last + DAY] if count else []
        return max([*spoken, *stopped], default=0.0)

    def next(self, moment: RemarkContext, wishes: RemarkSettings) -> Remark | None:
        """What may be said now, if anything; what has waited too long goes to the inbox, or for
        ever.
        """
        self._tidy(moment.now, wishes)
        if silence_reason(moment, wishes) is not None or self.is_spent(moment.now):
            return None
        return min(
            self._held, key=lambda one: (one.kind is not RemarkKind.TASK, one.at), default=None
        )

    def may_say(self, remark_id: str, moment: RemarkContext, wishes: RemarkSettings) -> bool:
        """Whether this one may still be said: finding words takes its time."""
        there = any(one.id == remark_id for one in self._held)
        return there and silence_reason(moment, wishes) is None and not self.is_spent(moment.now)

    def is_spent(self, now: float) -> bool:
        """Whether the budget forbids it. What was said in the future (the clock was set back)
        counts as just said.
        """
        times = [at for at, _ in self._spoken]
        return (
            any(at > now - LEAST_GAP_SECONDS for at in times)
            or sum(at > now - HOUR for at in times) >= PER_HOUR
            or sum(at > now - DAY for at in times) >= PER_DAY
        )

    def set_words(self, remark_id: str, words: str) -> None:
        """How it is to be said."""
        self._held = [
            replace(one, words=words) if one.id == remark_id else one for one in self._held
        ]

    def mark_said(self, remark_id: str, now: float) -> Remark | None:
        """It is said now; None if it isn't there any more."""
        said = next((one for one in self._held if one.id == remark_id), None)
        if said is not None:
            self._spoken.append((now, said.kind))
            self.discard(remark_id)
        return said

    def discard(self, remark_id: str) -> None:
        """It isn't to be said."""
        self._held = [one for one in self._held if one.id != remark_id]

    def reduce_kind(self, kind: RemarkKind, now: float) -> Callable[[], None]:
        """None of this kind for a day, and seldom afterwards; returns what takes that back."""
        before, held = self._less.get(kind), self._held

        def take_back() -> None:
            self._less.pop(kind, None)
            if before is not None:
                self._less[kind] = before
            there = {one.id for one in self._held}
            back = [one for one in held if one.kind is kind and one.id not in there]
            self._held = sorted([*self._held, *back], key=lambda one: one.at)

        count, _ = before or (0, 0.0)
        self._less[kind] = (min(count + 1, _MOST_LESS), now)
        self._held = [one for one in self._held if one.kind is not kind]
        return take_back

    def move_to_inbox(self, remark: Remark) -> None:
        """It isn't said, but may be read in the inbox."""
        self._inbox = [*self._inbox, remark][-MOST_LEFT:]

    def remove_from_inbox(self, remark_id: str) -> None:
        """It was read in the inbox."""
        self._inbox = [one for one in self._inbox if one.id != remark_id]

    def _tidy(self, now: float, wishes: RemarkSettings) -> None:
        known = [one for one in self._spoken if one[0] <= now + DAY]
        last = {kind: at for at, kind in sorted(known)}
        self._spoken = [one for one in known if one[0] > now - DAY or last[one[1]] == one[0]]
        self._less = {kind: one for kind, one in self._less.items() if one[1] <= now + DAY}
        wanted = [one for one in self._held if wishes.on and one.kind in wishes.kinds]
        fresh = [one for one in wanted if now - STALE_SECONDS <= one.at <= now + LEAST_GAP_SECONDS]
        left = [one for one in wanted if one not in fresh and one.kind in KEPT_KINDS]
        self._held = fresh
        self._inbox = [*self._inbox, *left][-MOST_LEFT:]

    # As it is kept

    def write(self) -> str:
        return json.dumps(
            {
                "spoken": self._spoken,
                "less": self._less,
                "held": [_row(one) for one in self._held],
                "inbox": [_row(one) for one in self._inbox],
            },
            ensure_ascii=False,
        )

    @classmethod
    def read(cls, text: str | None) -> RemarkHistory:
        """What `write` wrote; an empty one if it can't be read."""
        ledger = cls()
        try:
            kept = json.loads(text or "{}")
            spoken = [(float(at), RemarkKind(kind)) for at, kind in kept.get("spoken", [])]
            less = {
                RemarkKind(kind): (int(n), float(at))
                for kind, (n, at) in kept.get("less", {}).items()
            }
            held = [_remark(row) for row in kept.get("held", [])]
            inbox = [_remark(row) for row in kept.get("inbox", [])]
        except (ValueError, TypeError, AttributeError):
            return ledger
        ledger._spoken, ledger._less = spoken, less
        ledger._held, ledger._inbox = held, inbox
        return ledger


def _row(remark: Remark) -> list[object]:
    return [remark.id, remark.kind, remark.about, remark.at, remark.words]


def _remark(row: Sequence[object]) -> Remark:
    remark_id, kind, about, at, words = row
    if not isinstance(at, int | float):
        raise TypeError("a time is a number")
    return Remark(str(remark_id), RemarkKind(str(kind)), str(about), float(at), str(words))
