"""When windows were painted, as the X server reports it: a damage event for each burst of
drawing.
"""

from __future__ import annotations

import select
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from Xlib import X
from Xlib.display import Display
from Xlib.ext import damage

from tests.bench.light.marks import Picture, mark_delay

_TURN_SECONDS = 0.05
_BURST_SECONDS = 0.006
"""A picture that comes in several parts is one paint."""
_EARLY_SECONDS, _TAIL_SECONDS, _LATE_SECONDS = 0.2, 0.6, 20.0
"""How long a window is watched before the last text is due, after it was sent, and at most."""
_PICTURE_SECONDS = 0.005


class Paints:
    """Watches windows until `close`. Times are those of `time.perf_counter`, seconds."""

    def __init__(self, windows: Sequence[int]) -> None:
        self._display = Display()
        self._display.damage_query_version()
        self._times: dict[int, list[float]] = {window: [] for window in windows}
        self._parts: dict[int, list[float]] = {window: [] for window in windows}
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

    def part_times(self, window: int) -> list[float]:
        """Return the times of all parts of paints: a paint that follows another one at once counts
        too.
        """
        return list(self._parts[window])

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
                    now = time.perf_counter()
                    self._parts[event.drawable.id].append(now)
                    self._note(self._times[event.drawable.id], now)
                    # Until it is taken back, no other one is reported.
                    self._display.damage_subtract(event.damage, X.NONE, X.NONE)
            self._display.flush()

    def _note(self, times: list[float], now: float) -> None:
        if not times or now - self._last > _BURST_SECONDS:
            times.append(now)
        self._last = now


def wait_for_mark(window: int, due: float, ended: Callable[[], float | None]) -> float:
    """Watch a window in which `service.MARK` appears as the last text of a reply, about at `due`;
    return the seconds from its sending to its paint. `ended` returns when it was sent, None if it
    wasn't sent yet.
    """
    sent, pictures = _tail(window, due, ended)
    return mark_delay(sent, pictures)


def _tail(
    window: int, due: float, ended: Callable[[], float | None]
) -> tuple[float, list[Picture]]:
    """Take a picture of a window before the end of a reply, and one after each paint until some
    time after it; return when the reply ended, and the pictures.
    """
    time.sleep(max(0.0, due - _EARLY_SECONDS - time.perf_counter()))
    display = Display()
    display.damage_query_version()
    one = display.create_resource_object("window", window)
    watch = one.damage_create(damage.DamageReportNonEmpty)
    pictures = [_picture(one)]
    sent, until = float("nan"), due + _LATE_SECONDS
    while (now := time.perf_counter()) < until:
        if sent != sent and (told := ended()) is not None:
            sent, until = told, told + _TAIL_SECONDS
        select.select([display], [], [], min(_PICTURE_SECONDS, until - now))
        painted = False
        while display.pending_events():
            painted |= display.next_event().type == display.extension_event.DamageNotify
        if painted:
            display.damage_subtract(watch, X.NONE, X.NONE)
            pictures.append(_picture(one))
    display.close()
    return sent, pictures


def _picture(window: Any) -> Picture:
    at, size = time.perf_counter(), window.get_geometry()
    image = window.get_image(0, 0, size.width, size.height, X.ZPixmap, 0xFFFFFFFF)
    whole = np.frombuffer(image.data, np.uint8).reshape(size.height, size.width, 4)
    return Picture(at, whole[::2, ::2, :3].copy())
