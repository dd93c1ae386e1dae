"""The content of an iCalendar file (RFC 5545) for the notebook, and the identity of its entries.

The reader runs in a child process, so the values are also written as JSON.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from hashlib import sha256

from neodeskpet.core.i18n import Reason
from neodeskpet.core.schedule.due import Due, parse_due
from neodeskpet.core.schedule.rule import Rule
from neodeskpet.notebook.appointment import read_rule, write_rule

_OWN_UID = re.compile(r"([0-9a-f]{32})@neodeskpet", re.ASCII)


def file_uid(uid: str) -> str:
    """Return the UID in a file of the entry with this `uid` in the notebook."""
    return f"{uid}@neodeskpet"


def notebook_uid(uid: str, part: str = "") -> str:
    """Return the `uid` in the notebook of the entry with this UID in a file: one from this app is
    restored, others are hashed, since a sync server sees the `uid` and a UID may contain an e-mail
    address. `part` identifies one date of a series.
    """
    own = _OWN_UID.fullmatch(uid)
    if own is not None and not part:
        return own[1]
    return sha256(f"ics\n{uid}\n{part}".encode("utf-8", "replace")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class IcsAppointment:
    """An appointment. `series` is the `uid` of its series, for others its own `uid`."""

    uid: str
    series: str
    title: str
    said: str
    rule: Rule
    zone: str
    until: float | None


@dataclass(frozen=True, slots=True)
class IcsTodo:
    uid: str
    text: str
    due: Due | None


@dataclass(frozen=True, slots=True)
class IcsProblem:
    """An entry that can't be imported. `title` may be empty."""

    title: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class IcsContent:
    """The content of a file. `over` is the number of entries that are in the past, cancelled or
    done.
    """

    appointments: tuple[IcsAppointment, ...] = ()
    todos: tuple[IcsTodo, ...] = ()
    over: int = 0
    problems: tuple[IcsProblem, ...] = ()


def write_content(content: IcsContent) -> dict[str, object]:
    """Return the content as the child process sends it."""
    return {
        "appointments": [
            [one.uid, one.series, one.title, one.said, write_rule(one.rule), one.zone, one.until]
            for one in content.appointments
        ],
        "todos": [[one.uid, one.text, str(one.due or "")] for one in content.todos],
        "over": content.over,
        "problems": [
            [one.title, one.reason.text, dict(one.reason.params)] for one in content.problems
        ],
    }


def read_content(text: bytes) -> IcsContent:
    """Parse the output of `write_content`. Raises ValueError, TypeError and KeyError for other
    data.
    """
    found = json.loads(text)
    return IcsContent(
        tuple(
            IcsAppointment(uid, series, title, said, read_rule(rule), zone, until)
            for uid, series, title, said, rule, zone, until in found["appointments"]
        ),
        tuple(IcsTodo(uid, words, parse_due(due)) for uid, words, due in found["todos"]),
        int(found["over"]),
        tuple(IcsProblem(title, Reason(words, p)) for title, words, p in found["problems"]),
    )
