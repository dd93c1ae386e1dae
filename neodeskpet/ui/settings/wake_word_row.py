"""The row of the voice page that records a name as the wake word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtWidgets import QPushButton

from neodeskpet.core.errors import KnownError
from neodeskpet.language import format_error, tr
from neodeskpet.ui.settings.settings_row import SettingsRow
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme


class WakeWordPort(Protocol):
    """Records the name. Coroutines raise KnownError; cancel their tasks to end them."""

    @property
    def has_wake_word(self) -> bool:
        """Whether a name is recorded."""
        ...

    async def record_wake_word(self, on_next: Callable[[int, int], object]) -> None:
        """Record the name several times; `on_next` gets the number of the next recording and how
        many there are.
        """
        ...


class WakeWordRow(SettingsRow):
    def __init__(self, theme: Theme, port: WakeWordPort) -> None:
        self.record = QPushButton()
        super().__init__(theme, self.record, stack="wake word name record 唤醒词 录制")
        self._port = port
        self._work = TaskRunner("wake word", failed=lambda error: None, changed=self._show_work)
        self.record.clicked.connect(self._toggle)

    def retranslate(self) -> None:
        self.title.setText(tr("Your wake word"))
        self._show_work()

    async def aclose(self) -> None:
        await self._work.aclose()

    def _toggle(self) -> None:
        self._work.toggle("record", self._record)

    async def _record(self) -> None:
        self.set_error("")
        try:
            await self._port.record_wake_word(self._show_next)
        except KnownError as error:
            self.set_error(format_error(error))

    def _show_next(self, number: int, count: int) -> None:
        self.set_note(
            tr("Say the name now ({number} of {count})…", number=str(number), count=str(count))
        )

    def _show_work(self) -> None:
        recording = self._work.busy("record")
        self.record.setText(tr("Stop") if recording else tr("Record"))
        self.record.setAccessibleName(tr("Stop") if recording else tr("Record your wake word"))
        if recording:
            return
        if self._port.has_wake_word:
            self.set_note(tr("Recorded. Only its features are stored, not the sound."))
        else:
            self.set_note(tr("You say the name three times. Two or three syllables work best."))
