"""What the figure wears: the user's choice, or what suits the moment."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Slot

from neodeskpet.app.activities.desktop_reactions import ActivityContext
from neodeskpet.conversation.chat_events import ChatEvent, TurnAdvanced
from neodeskpet.core.blocks import MessageState, ToolStatus, ToolUse
from neodeskpet.core.turn.turn_events import BlockEnded, TurnEnded
from neodeskpet.figure.behaviour.wearing import (
    part_by_itself,
    part_for_turns,
    part_for_weather,
)
from neodeskpet.storage.conversation_store import SqliteStore
from neodeskpet.ui.task_runner import TaskRunner

_BY_ITSELF = "itself"
"""The value of the setting with which the app chooses what suits the moment."""
_TURNS_KEY = "wears.turns"
WEATHER_SECONDS = 3 * 3600.0
USE_SECONDS = 24 * 3600.0
_LOOK_AGAIN_MS = 60_000


async def read_turns(store: SqliteStore) -> int:
    """Return the number of completed turns that count for a part. Raises StoreError."""
    kept = await store.get_state(_TURNS_KEY)
    return int(kept) if kept and kept.isdecimal() else 0


class Wardrobe(QObject):
    """Decides which part the figure wears. `music` returns whether music plays. What the model puts
    on with its tool stays until the user chooses something or the moment changes. `clock` is
    monotonic.
    """

    def __init__(
        self,
        company: ActivityContext,
        music: Callable[[], bool],
        parent: QObject | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(parent)
        self._company = company
        self._music = music
        self._clock = clock
        self._chosen: tuple[str, str] | None = None
        self._weather = self._use = ("", 0.0)
        self._work = TaskRunner("worn parts", failed=lambda error: None)
        # It runs only while a part is worn for a limited time.
        self._timer = QTimer(self, interval=_LOOK_AGAIN_MS)
        self._timer.timeout.connect(self.apply)
        company.engine.chat.subscribe(self, TurnAdvanced)

    def start(self) -> None:
        """Start; the windows exist by then."""
        self.apply()

    @Slot()
    def apply(self) -> None:
        """Put on what is due now, if it is another part than before."""
        setting = self._company.engine.settings.settings.companion.wears
        weather, use = self._lasting(self._weather), self._lasting(self._use)
        if not (weather or use):
            self._timer.stop()
        part: str = setting
        if setting == _BY_ITSELF:
            day = self._company.pet.day
            part = part_by_itself(day, music=self._music(), weather=weather, use=use)
        if self._chosen != (setting, part):
            self._chosen = (setting, part)
            self._company.pet.wear(part)

    def on_chat_event(self, event: ChatEvent) -> None:
        if not isinstance(event, TurnAdvanced):
            return
        match event.event:
            case BlockEnded(block=ToolUse(status=ToolStatus.SUCCESS) as call):
                part = part_for_weather(call.name, call.raw_arguments, call.output)
                if part:
                    self._weather = self._for_a_while(part, WEATHER_SECONDS)
            case TurnEnded(state=MessageState.DONE):
                self._work.start("turns", self._count)
            case _:
                pass

    async def wait_idle(self) -> None:
        """Wait until no task is running."""
        await self._work.wait_until_idle()

    async def aclose(self) -> None:
        self._timer.stop()
        await self._work.aclose()

    async def _count(self) -> None:
        store = self._company.engine.storage.store
        turns = await read_turns(store) + 1
        await store.set_state(_TURNS_KEY, str(turns))
        if part := part_for_turns(turns):
            self._use = self._for_a_while(part, USE_SECONDS)

    def _for_a_while(self, part: str, seconds: float) -> tuple[str, float]:
        self._timer.start()
        QTimer.singleShot(0, self, self.apply)
        return part, self._clock() + seconds

    def _lasting(self, worn: tuple[str, float]) -> str:
        part, until = worn
        return part if self._clock() < until else ""
