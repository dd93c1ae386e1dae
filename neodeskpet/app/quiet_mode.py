"""Keeps the companion quiet for an hour or until tomorrow, and ends that in time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from PySide6.QtCore import QObject, QTimer, Signal

from neodeskpet.ui.companion_menu import CompanionMenu

UNTIL_KEY = "companion.quiet_until"
_CHECK_MS = 20_000
"""A single timer for the whole time would be late after the computer slept."""
_MORNING_HOUR = 8
_NIGHT_ENDS_HOUR = 4
"""Before this hour "tomorrow" is the morning after this night."""


def next_morning(now: datetime) -> datetime:
    """When "quiet until tomorrow" ends."""
    day = now if now.hour < _NIGHT_ENDS_HOUR else now + timedelta(days=1)
    return day.replace(hour=_MORNING_HOUR, minute=0, second=0, microsecond=0)


class QuietMode(QObject):
    """Ends the quiet mode in time. `set_quiet` changes the setting; `load` and `save` store the end
    across restarts.
    """

    changed = Signal()
    """The quiet mode or its end may have changed."""

    def __init__(
        self,
        menu: CompanionMenu,
        set_quiet: Callable[[bool], None],
        load: Callable[[str], Awaitable[str | None]],
        save: Callable[[str, str | None], None],
        now: Callable[[], datetime] = datetime.now,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._menu = menu
        self._set_quiet = set_quiet
        self._load = load
        self._save = save
        self._now = now
        self._quiet = False
        self._until: datetime | None = None
        self._timer = QTimer(self, interval=_CHECK_MS)
        self._timer.timeout.connect(self.check)

    @property
    def until(self) -> datetime | None:
        return self._until

    async def start(self) -> None:
        """Continue the stored quiet mode after a restart."""
        kept = await self._load(UNTIL_KEY)
        if kept is not None and self._quiet:
            self._begin(datetime.fromisoformat(kept))

    def quiet_for_an_hour(self) -> None:
        self._begin(self._now() + timedelta(hours=1))

    def quiet_until_tomorrow(self) -> None:
        self._begin(next_morning(self._now()))

    def show(self, quiet: bool) -> None:
        """Follow the current setting."""
        self._quiet = quiet
        if not quiet and self._until is not None:
            self._until = None
            self._timer.stop()
            self._save(UNTIL_KEY, None)
        until = f"{self._until:%H:%M}" if self._until is not None else ""
        self._menu.set_quiet(quiet, until)
        self.changed.emit()

    def check(self) -> None:
        """End the quiet mode if its time is over."""
        if self._until is not None and self._now() >= self._until:
            self._set_quiet(False)

    def stop(self) -> None:
        self._timer.stop()

    def _begin(self, until: datetime) -> None:
        self._until = until
        self._save(UNTIL_KEY, until.isoformat(timespec="seconds"))
        self._timer.start()
        self._set_quiet(True)
        self.show(True)
        self.check()
