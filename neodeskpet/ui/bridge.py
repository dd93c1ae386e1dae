"""Passes the events of turns to the views, coalesced to frames.

The first text of a turn and every edge (a block starts, changes its state or ends; the turn starts
or ends) are passed on at once; growth waits for the frame timer, which stops when nothing waits. A
frame is measured from the start of a flush, and after a costly flush the next one starts three
times its duration later, so that showing never takes more than a third of the time. When hundreds
of edges arrive at once, they also wait once showing them has taken half a frame. More text than
`MAX_CHARS_PER_FRAME` is shown over several frames, and later events wait for it: a megabyte in one
delta doesn't block the UI thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Protocol

from PySide6.QtCore import QObject, Qt, QTimer

from neodeskpet.core.blocks import ToolStatus, ToolUse
from neodeskpet.core.turn.event_portions import EventBatch, take_portion
from neodeskpet.core.turn.turn_events import (
    ArgumentsAppended,
    BlockChanged,
    BlockEnded,
    BlockStarted,
    RoundStarted,
    TextAppended,
    TurnEnded,
    TurnEvent,
    TurnStarted,
    UsageChanged,
)

FRAME_MS = 14
"""A little less than a frame of 60 Hz: frames of 16 ms interfere with deltas that arrive every 16
ms.
"""
SAVING_HZ = 30.0
"""Frame rate for growing text while the computer runs on battery."""
_SHORTER = FRAME_MS / 1000 * 60
_SHARE = 3
_STREAMING_SECONDS = 0.5
MAX_CHARS_PER_FRAME = 3_000
"""Characters shown per frame: some ms of Markdown, or some hundred rows."""


class TurnView(Protocol):
    """A view of a turn: the chat view, the speech bubble, the pose of the figure."""

    def apply(self, batch: EventBatch) -> None:
        """Show these events (message id, event), in order."""
        ...


class Bridge(QObject):
    """A `conversation.ports.TurnListener` for the interface. It lives in the UI thread."""

    def __init__(
        self,
        surfaces: Iterable[TurnView] = (),
        parent: QObject | None = None,
        *,
        frame_ms: int = FRAME_MS,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """`clock` returns monotonic seconds."""
        super().__init__(parent)
        self._surfaces = list(surfaces)
        self._frame = frame_ms / 1000
        self._clock = clock
        self._waiting: list[tuple[str, TurnEvent]] = []
        self._later: list[tuple[Callable[[], None], list[tuple[str, TurnEvent]]]] = []
        self._growing: dict[tuple[str, int], int] = {}
        self._status: dict[tuple[str, int], ToolStatus] = {}
        self._silent: set[str] = set()
        self._flushed = float("-inf")  # start of the last flush
        self._window = float("-inf")  # start of the frame of `_spent`
        self._spent = 0.0
        self._interval = self._frame
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._hand_on)

    def add_view(self, surface: TurnView) -> None:
        self._surfaces.append(surface)

    def set_rate(self, hertz: float) -> None:
        """Set the refresh rate of the screen; 60 if unknown."""
        sane = hertz if 20 <= hertz <= 500 else 60.0
        self._frame = 1 / sane if sane <= SAVING_HZ else _SHORTER / sane
        self._interval = self._frame

    @property
    def interval(self) -> float:
        """Seconds between the starts of two flushes while text grows."""
        return self._interval

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits and no timer runs."""
        return not self._waiting and not self._later and not self._timer.isActive()

    @property
    def is_streaming(self) -> bool:
        """Whether something was shown recently or waits to be shown."""
        return not self.is_idle or self._clock() - self._flushed < _STREAMING_SECONDS

    def on_turn_event(self, message_id: str, event: TurnEvent) -> None:
        """Accept an event, and show it now or with the next frame."""
        urgent = self._is_urgent(message_id, event)
        self._collect(message_id, event)
        if (urgent and self._may_spend(event)) or self._clock() - self._flushed >= self._interval:
            self._hand_on()
        elif not self._timer.isActive():
            self._wait()

    def flush(self) -> None:
        """Show everything that waits, however much it is."""
        while self._waiting or self._later:
            self._hand_on()

    def discard(self) -> None:
        """Drop everything that waits."""
        self._timer.stop()
        self._waiting.clear()
        self._later.clear()
        self._growing.clear()

    def run_when_shown(self, step: Callable[[], None]) -> None:
        """Call `step` after all earlier events were shown: at once, unless a long text
        still waits.
        """
        self._later.append((step, []))
        self._growing.clear()
        self._hand_on()

    def _wait(self) -> None:
        left = self._interval - (self._clock() - self._flushed)
        self._timer.start(max(1, round(left * 1000)))

    def _hand_on(self) -> None:
        """Show the next portion, and what follows it if it was the last."""
        self._timer.stop()
        if self._waiting:
            batch, rest = take_portion(self._waiting, MAX_CHARS_PER_FRAME)
            self._waiting = list(rest)
            if not self._later:
                self._growing.clear()
            self._show(batch)
        while self._later and not self._waiting:
            step, self._waiting = self._later.pop(0)
            step()
        if self._waiting:
            self._wait()

    def _show(self, batch: EventBatch) -> None:
        started = self._clock()
        for surface in self._surfaces:
            surface.apply(batch)
        took = self._clock() - started
        self._flushed = started
        self._spent += took
        self._interval = max(self._frame, _SHARE * took)

    def _may_spend(self, event: TurnEvent) -> bool:
        """Whether this frame has time left for one more flush.

        A turn's end, which is the last event, may use a little more than the whole frame. A costly
        flush makes the frame longer: without the event loop in between, events that arrive together
        must not show one portion each.
        """
        now = self._clock()
        if now - self._window >= self._interval:
            self._window, self._spent = now, 0.0
        most = self._frame * (1.5 if isinstance(event, TurnEnded) else 0.5)
        return self._spent < most

    # Urgent events

    def _is_urgent(self, message_id: str, event: TurnEvent) -> bool:
        match event:
            case TurnStarted():
                self._silent.add(message_id)
                return True
            case TextAppended():
                first = message_id in self._silent
                self._silent.discard(message_id)
                return first
            case BlockStarted(block=block) | BlockChanged(block=block) | BlockEnded(block=block):
                return not isinstance(block, ToolUse) or self._is_edge(message_id, event, block)
            case ArgumentsAppended() | RoundStarted() | UsageChanged():
                return False
            case TurnEnded():
                self._forget(message_id)
                return True
            case _:
                return True

    def _is_edge(self, message_id: str, event: TurnEvent, call: ToolUse) -> bool:
        """Whether the event is an edge; the progress of a call can wait."""
        key = (message_id, call.index)
        before, self._status[key] = self._status.get(key), call.status
        return before is not call.status or not isinstance(event, BlockChanged)

    def _forget(self, message_id: str) -> None:
        self._silent.discard(message_id)
        for key in [key for key in self._status if key[0] == message_id]:
            del self._status[key]

    # Coalescing

    def _collect(self, message_id: str, event: TurnEvent) -> None:
        match event:
            case TextAppended(index=index) | ArgumentsAppended(index=index):
                self._grow(message_id, index, event)
            case BlockChanged(block=block):
                self._replace(message_id, block.index, event)
            case _:
                # Don't merge growth before the step with growth after it.
                self._growing.clear()
                self._newest.append((message_id, event))

    @property
    def _newest(self) -> list[tuple[str, TurnEvent]]:
        """The list for new events; `_growing` indexes it."""
        return self._later[-1][1] if self._later else self._waiting

    def _grow(self, message_id: str, index: int, event: TextAppended | ArgumentsAppended) -> None:
        at = self._growing.get((message_id, index))
        before = self._newest[at][1] if at is not None else None
        whole: TurnEvent = event
        if isinstance(before, TextAppended) and isinstance(event, TextAppended):
            whole = replace(before, text=before.text + event.text)
        elif isinstance(before, ArgumentsAppended) and isinstance(event, ArgumentsAppended):
            whole = replace(before, json=before.json + event.json)
        else:
            at = None
        self._put(message_id, index, whole, at)

    def _replace(self, message_id: str, index: int, event: BlockChanged) -> None:
        at = self._growing.get((message_id, index))
        same = at is not None and isinstance(self._newest[at][1], BlockChanged)
        self._put(message_id, index, event, at if same else None)

    def _put(self, message_id: str, index: int, event: TurnEvent, at: int | None) -> None:
        if at is None:
            self._growing[message_id, index] = len(self._newest)
            self._newest.append((message_id, event))
        else:
            self._newest[at] = (message_id, event)
