"""What an appointment is, and how its rule is kept."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from neodeskpet.core.labels import DataSource
from neodeskpet.core.schedule.rule import Calendar, Every, Lunar, Once, Rule

_LINE = re.compile(r"FREQ=(?:DAILY|WEEKLY|MONTHLY|YEARLY)(?:;[A-Z]+=[-+\w,]+)*", re.ASCII)


class Maker(StrEnum):
    COMPANION = "companion"
    PERSON = "person"


class RunOutcome(StrEnum):
    """What became of a run. CALLED: the companion is about to be told; TOLD: it was; FAILED: the
    errand that was to tell of it came to nothing.
    """

    RANG = "rang"
    MISSED = "missed"
    CALLED = "called"
    TOLD = "told"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Appointment:
    """Moments are unix seconds. With a `prompt` the companion does what it says, else it rings.
    `said` is when, as it was written; `zone` a name, "" for wherever the computer is; `until` the
    last moment it may come. `due` is its next run, None when there is none any more. `tools`: those
    that an errand which does what the prompt says may use, by name. `untrusted` are the untrusted
    sources of title and prompt, unless the person allowed them.
    """

    id: str
    title: str
    prompt: str
    said: str
    rule: Rule
    zone: str
    until: float | None
    due: float | None
    paused: bool
    maker: Maker
    made: float
    tools: tuple[str, ...] = ()
    untrusted: tuple[DataSource, ...] = ()


@dataclass(frozen=True, slots=True)
class AppointmentRun:
    """One that was due at `due` and came `at`."""

    number: int
    appointment: str
    title: str
    due: float
    at: float
    outcome: RunOutcome


def write_rule(rule: Rule) -> str:
    match rule:
        case Once():
            kept: dict[str, object] = {"at": rule.at}
        case Every():
            kept = {"start": rule.start, "seconds": rule.seconds}
        case Calendar():
            kept = {"first": rule.first.isoformat(), "lines": rule.lines}
        case Lunar():
            kept = {
                "first": rule.first.isoformat(),
                "lunar": [rule.month, rule.day, rule.seconds],
            }
    return json.dumps(kept)


_FAR = 2e11
"""Seconds: no calendar goes so far."""


def _near(value: object) -> float:
    moment = float(str(value))
    if not abs(moment) < _FAR:
        raise ValueError(value)
    return moment


def read_rule(text: str) -> Rule:
    """Raises ValueError, TypeError, KeyError and OverflowError."""
    kept = json.loads(text)
    if "at" in kept:
        return Once(_near(kept["at"]))
    if "seconds" in kept:
        return Every(_near(kept["start"]), max(60, int(kept["seconds"])))
    first = datetime.fromisoformat(kept["first"]).replace(tzinfo=None)
    if "lunar" in kept:
        month, day, seconds = (int(one) for one in kept["lunar"])
        return Lunar(first, min(max(month, 1), 12), day, seconds)
    lines = tuple(str(line) for line in kept["lines"])
    if not lines or not all(_LINE.fullmatch(line) for line in lines):
        raise ValueError(text)
    return Calendar(first, lines)
