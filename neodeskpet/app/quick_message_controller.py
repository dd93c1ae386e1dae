"""Connects the input line beside the first companion with the chat: a message is sent in its
conversation, and the reply appears in its bubble. A sentence like "tea in 5 minutes" sets a timer
at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Protocol

from PySide6.QtCore import QObject, QRect, QTimer
from PySide6.QtGui import QCursor, QGuiApplication
from PySide6.QtWidgets import QApplication

from neodeskpet.notebook.appointment import LOCAL_ZONE
from neodeskpet.settings.store import SettingsStore
from neodeskpet.ui.chat.chat_presenter import ChatPresenter
from neodeskpet.ui.chat.composer.attachment_controller import AttachmentController
from neodeskpet.ui.chat.composer.attachment_strip import Attachment
from neodeskpet.ui.desktop.work_area import work_area, work_areas
from neodeskpet.ui.dialog_folders import DialogFolders
from neodeskpet.ui.pet.pet_window import PetWindow
from neodeskpet.ui.pet.quick_message_window import (
    QuickMessageWindow,
    SpokenTimer,
    position_when_hidden,
    quick_message_position,
    read_timer,
)
from neodeskpet.ui.pet.screen_geometry import nearest_screen
from neodeskpet.ui.pet.speech_bubble import SpeechBubble
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme


class FirstCompanionConversation(Protocol):
    @property
    def active_companion(self) -> str | None:
        """Another companion that speaks in the open conversation; None for the first one."""
        ...

    async def open_first_conversation(self) -> None:
        """Open the first companion's conversation."""
        ...


class QuickMessageController(QObject):
    """Controls the input line, the window `line`. If the setting is on, a click on the figure shows
    it as soon as the click can't become a double click. `set_timer(due, label)` sets a timer and
    reports it.
    """

    def __init__(
        self,
        theme: Theme,
        pet: PetWindow,
        bubble: SpeechBubble,
        presenter: ChatPresenter,
        settings: SettingsStore,
        folders: DialogFolders,
        own: FirstCompanionConversation,
        set_timer: Callable[[float, str], Coroutine[Any, Any, None]],
    ) -> None:
        super().__init__()
        self._set_timer = set_timer
        self._own_windows: Sequence[QRect] = ()
        self._own = own
        self._presenter = presenter
        self.line = QuickMessageWindow(
            theme, lambda text: read_timer(text, time.time(), LOCAL_ZONE), _clock
        )
        self._pet = pet
        self._bubble = bubble
        self._settings = settings
        self._work = TaskRunner("say", failed=lambda error: None)  # the line shows the error itself
        self._attacher = AttachmentController(self.line.composer, self._work, folders=folders)
        self._click = QTimer(self, singleShot=True)
        self._click.setInterval(QApplication.doubleClickInterval())
        self._click.timeout.connect(self.line.present)
        self.line.submitted.connect(self._say)
        self.line.timer_requested.connect(self._start_timer)
        self.line.size_changed.connect(self._place)
        pet.anchored.connect(self._place)
        pet.touched.connect(self._touched)
        pet.chat_requested.connect(self._click.stop)

    def _say(self, text: str, attached: list[Attachment]) -> None:
        if self._own.active_companion is None:
            self._presenter.send(text, attached)
        else:
            self._work.start("say", partial(self._send_to_first_companion, text, attached))

    async def _send_to_first_companion(self, text: str, attached: list[Attachment]) -> None:
        await self._own.open_first_conversation()
        self._presenter.send(text, attached)

    def _start_timer(self, timer: SpokenTimer) -> None:
        self._work.start("timer", partial(self._set_timer, timer.due, timer.label))

    def set_own_windows(self, windows: Sequence[QRect]) -> None:
        """Set the frames of the app's windows, so that the line is placed beside them."""
        self._own_windows = windows
        self._place()

    def toggle(self) -> None:
        """Show the line, or hide it."""
        if self.line.isVisible() and self.line.isActiveWindow():
            self.line.hide()
        else:
            self.line.present()

    async def close(self) -> None:
        self._click.stop()
        self._pet.anchored.disconnect(self._place)  # it is deleted after the line
        self._pet.touched.disconnect(self._touched)
        self.line.close()
        await self._work.aclose()
        self.line.deleteLater()

    def _touched(self, _area: str) -> None:
        if self._settings.settings.companion.click_to_say:
            self._click.start()

    def _place(self) -> None:
        stand = self._pet.placement
        if self._pet.isVisible():
            figure = stand.figure_rect()
            rooms = work_areas()
            room = nearest_screen(figure, rooms)
            bubble = self._bubble.frameGeometry() if self._bubble.isVisible() else QRect()
            size = self.line.preferred_size(room)
            place = quick_message_position(
                size, figure, stand.head_rect(), stand.mouth_point(), bubble, room
            )
        else:
            screen = QGuiApplication.screenAt(QCursor.pos()) or QGuiApplication.primaryScreen()
            room = work_area(screen)
            place = position_when_hidden(self.line.preferred_size(room), room)
        if place != self.line.geometry():
            self.line.setGeometry(place)


def _clock(due: float) -> str:
    """Return the time, with the day if it isn't today."""
    moment = datetime.fromtimestamp(due)
    today = moment.date() == datetime.now().date()
    return moment.strftime("%H:%M" if today else "%m-%d %H:%M")
