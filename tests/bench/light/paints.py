"""When windows were painted, as the X server reports it: a damage event for each burst of
drawing.
"""

from __future__ import annotations

import select
import threading
import time
from collections.abc import Sequence

from Xlib import X
from Xlib.display import Display
from Xlib.ext import damage

_TURN_SECONDS = 0.05
_BURST_SECONDS = 0.006
"""A picture that comes in several parts is one paint."""


class Paints:
    """Watches windows until `close`. Times are those of `time.perf_counter`, seconds."""

    def __init__(self, windows: Sequence[int]) -> None:
        self._display = Display()
        self._display.damage_query_version()
        self._times: dict[int, list[float]] = {window: [] for window in windows}
        self._watches = [
            self._display.create_resource_object("window", window).damage_create(
                damage.DamageReportNonEmpty
            )
            for window in windows
        ]
        self._display.sync()
        self._last = 0.0
        self._closed = False
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def message_times(
        self, window: int, since: float = 0.0, until: float = float("inf")
    ) -> list[float]:
        return [at for at in list(self._times[window]) if since <= at <= until]

    def close(self) -> None:
        self._closed = True
        self._thread.join(5)
        self._display.close()

    def _watch(self) -> None:
        notify = self._display.extension_event.DamageNotify
        while not self._closed:
            select.select([self._display], [], [], _TURN_SECONDS)
            while self._display.pending_events():
                event = self._display.next_event()
                if event.type == notify:
                    self._note(self._times[event.drawable.id], time.perf_counter())
                    # Until it is taken back, no other one is reported.
                    self._display.damage_subtract(event.damage, X.NONE, X.NONE)
            self._display.flush()

    def _note(self, times: list[float], now: float) -> None:
        if not times or now - self._last > _BURST_SECONDS:
            times.append(now)
        self._last = now
