"""The album: the days on which the user and the companion were together, and moments, such as the
first talk. It never asks for anything, and entries are never removed.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime

from PySide6.QtCore import QObject, QTimer, Slot

from neodeskpet.app.activities.desktop_reactions import ActivityContext
from neodeskpet.app.activities.pomodoro import TALLY_KEY
from neodeskpet.conversation.chat_events import ChatEvent, RunningChanged
from neodeskpet.figure.behaviour.seasons import SeasonSettings, day_at
from neodeskpet.figure.behaviour.wearing import part_by_itself
from neodeskpet.storage.conversation_store import SqliteStore
from neodeskpet.ui.task_runner import TaskRunner

ALBUM_KEY = "album"
"""The key of the album in the state of the store."""
_CHECK_MS = 30 * 60_000
TURN_MOMENTS = (1, 100, 500, 1_000, 5_000)
"""The numbers of turns that are a moment."""
DAY_MOMENTS = (7, 30, 100, 365, 1_000)
"""The numbers of days together that are a moment."""
_KIND = re.compile(r"turn \d{1,7}|days \d{1,5}|focus 1|holiday [a-z_]{1,20} \d{4}", re.ASCII)
_DAY_LETTERS = 10


@dataclass(frozen=True, slots=True)
class Moment:
    """`kind`: "turn 100", "days 30", "focus 1" or "holiday christmas 2026". `wears` is what the
    figure wore then, `figure` the path of the figure in the settings.
    """

    kind: str
    day: date
    wears: str = ""
    figure: str = ""


@dataclass(frozen=True, slots=True)
class Album:
    """`days`: how many days they were together, from `first` to `last`."""

    days: int = 0
    first: date | None = None
    last: date | None = None
    moments: tuple[Moment, ...] = ()

    def with_day(self, today: date) -> Album:
        """Return the album with this day."""
        if self.last is not None and today <= self.last:
            return self
        return replace(self, days=self.days + 1, first=self.first or today, last=today)

    def with_moment(self, moment: Moment) -> Album:
        """Return the album with a moment, which is kept once."""
        if any(one.kind == moment.kind for one in self.moments):
            return self
        moments = sorted((*self.moments, moment), key=lambda one: one.day)
        return replace(self, moments=tuple(moments))

    def text(self) -> str:
        """Return the form that is stored."""
        days = [self.days, *(str(one or "") for one in (self.first, self.last))]
        moments = [[one.kind, str(one.day), one.wears, one.figure] for one in self.moments]
        return json.dumps({"days": days, "moments": moments})

    @classmethod
    def of_text(cls, text: str | None) -> Album:
        """Read what `text` returns; what can't be read is left out."""
        with suppress(ValueError, TypeError, KeyError, AttributeError):
            found = json.loads(text or "")
            days, first, last = found["days"]
            moments = tuple(_moments(found["moments"]))
            return cls(int(days), _day(first), _day(last), moments)
        return cls()


def _day(text: object) -> date | None:
    return date.fromisoformat(str(text)[:_DAY_LETTERS]) if text else None


def _moments(found: Sequence[Sequence[str]]) -> list[Moment]:
    made = []
    for kind, day, wears, figure in found:
        if _KIND.fullmatch(kind):
            made.append(Moment(kind, date.fromisoformat(day), str(wears), str(figure)))
    return made


async def read_album(store: SqliteStore) -> Album:
    """Return the stored album. Raises StoreError."""
    return Album.of_text(await store.get_state(ALBUM_KEY))


async def _turns(store: SqliteStore) -> tuple[list[tuple[int, date]], list[date]]:
    """Return the turns that are moments with their days, and the days with messages. Only the
    first call of an album reads the days.
    """

    def read(connection: sqlite3.Connection) -> tuple[list[tuple[int, date]], list[date]]:
        turn = "SELECT created FROM messages WHERE role = 'user' ORDER BY number LIMIT 1 OFFSET ?"
        found = []
        for number in TURN_MOMENTS:
            row = connection.execute(turn, (number - 1,)).fetchone()
            if row is None:
                break
            found.append((number, datetime.fromtimestamp(row[0]).date()))
        days = "SELECT DISTINCT date(created, 'unixepoch', 'localtime') FROM messages ORDER BY 1"
        return found, [date.fromisoformat(one) for (one,) in connection.execute(days)]

    return await store.database.read(read)


class AlbumActivity(QObject):
    """Writes the album while the app runs. `moment` returns the user's local time."""

    def __init__(
        self,
        company: ActivityContext,
        season_settings: Callable[[], SeasonSettings],
        parent: QObject | None = None,
        *,
        moment: Callable[[], datetime] = datetime.now,
    ) -> None:
        super().__init__(parent)
        self._company = company
        self._season_settings = season_settings
        self._moment = moment
        self._work = TaskRunner("album", failed=lambda error: None)
        self._timer = QTimer(self, interval=_CHECK_MS)
        self._timer.timeout.connect(self.check)
        company.engine.chat.subscribe(self, RunningChanged)

    def start(self) -> None:
        """Start; the windows exist by then."""
        self._timer.start()
        self.check()

    def apply(self) -> None:
        """No setting changes the album."""

    async def aclose(self) -> None:
        self._timer.stop()
        await self._work.aclose()

    async def wait_idle(self) -> None:
        """Wait until no task is running."""
        await self._work.wait_until_idle()

    def on_chat_event(self, event: ChatEvent) -> None:
        """A `ChatListener`: a reply has ended."""
        if isinstance(event, RunningChanged) and not event.running:
            self.check()

    @Slot()
    def check(self) -> None:
        """Write today and its moments."""
        self._work.start_once("album", self._write)

    async def _write(self) -> None:
        store, now = self._company.engine.storage.store, self._moment()
        before = await read_album(store)
        album = await self._with_turns(before)
        album = album.with_day(now.date())
        settings = replace(self._season_settings(), celebrates=True)
        day = day_at(now, settings)
        if day.holiday is not None:
            kind = f"holiday {day.holiday} {now.year}"
            album = album.with_moment(self._at(kind, now.date(), part_by_itself(day, music=False)))
        for number in DAY_MOMENTS:
            if album.days >= number:
                album = album.with_moment(self._at(f"days {number}", now.date()))
        if await store.get_state(TALLY_KEY) is not None:
            album = album.with_moment(self._at("focus 1", now.date()))
        if album != before:
            await store.set_state(ALBUM_KEY, album.text())

    async def _with_turns(self, album: Album) -> Album:
        """Return the album with the turns that are moments; a new one with the days of the messages
        that were written before there was an album.
        """
        if any(one.kind == f"turn {TURN_MOMENTS[-1]}" for one in album.moments):
            return album
        turns, days = await _turns(self._company.engine.storage.store)
        if album.first is None:
            for one in days:
                album = album.with_day(one)
        for number, day in turns:
            album = album.with_moment(self._at(f"turn {number}", day))
        return album

    def _at(self, kind: str, day: date, wears: str | None = None) -> Moment:
        """Return a moment of today, or of an earlier day, when something else may have been
        worn.
        """
        worn = self._company.pet.worn_part if day == self._moment().date() else ""
        figure = str(self._company.engine.settings.value("companion", "model"))
        return Moment(kind, day, worn if wears is None else wears, figure)
