"""Time zones: the computer's own, whichever it is at the moment, and those with names."""

from __future__ import annotations

import time
from datetime import datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from neodeskpet.core.wording import N_, InvalidValue


class LocalZone(tzinfo):
    """The computer's zone, asked anew each time: it may be in another by then."""

    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        return self._there(moment).utcoffset()

    def dst(self, moment: datetime | None) -> timedelta | None:
        return timedelta()

    def tzname(self, moment: datetime | None) -> str | None:
        return self._there(moment).tzname()

    def fromutc(self, moment: datetime) -> datetime:
        seconds = (moment.replace(tzinfo=None) - datetime(1970, 1, 1)).total_seconds()
        return datetime.fromtimestamp(seconds).replace(tzinfo=self)

    @staticmethod
    def _there(moment: datetime | None) -> datetime:
        return (moment or datetime.now()).replace(tzinfo=None).astimezone()


LOCAL_ZONE = LocalZone()


def find_zone(name: str) -> tzinfo:
    """The zone of this name (`Asia/Tokyo`), the computer's own for "". Raises InvalidValue."""
    if not name:
        return LOCAL_ZONE
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, LookupError):
        words = N_("There is no time zone “{name}”; write “Asia/Shanghai” or “Europe/Berlin”.")
        raise InvalidValue(words, name=name[:60]) from None


def local_zone_signature() -> str:
    """What tells whether the computer is in another zone than before. The zone is read again here:
    else the C library keeps the one in which the process was started.
    """
    if hasattr(time, "tzset"):  # not on Windows
        time.tzset()
    return f"{time.strftime('%z')} {'/'.join(time.tzname)}"
