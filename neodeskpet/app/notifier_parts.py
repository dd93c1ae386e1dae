"""Everything that reports an event by itself: in the bubble, as a desktop notification, or both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from neodeskpet.app.chat_parts import ChatParts
from neodeskpet.app.companion_identity import CompanionIdentity
from neodeskpet.app.desktop_context import DesktopContext, FirstCompanion
from neodeskpet.app.notifiers import (
    BackgroundPromptNotifier,
    BudgetNotifier,
    CrashNotifier,
    TaskNotifier,
)
from neodeskpet.app.remark_notifier import RemarkNotifier
from neodeskpet.app.timer_alarm import TimerAlarm
from neodeskpet.app.update_notifier import UpdateNotifier
from neodeskpet.platform.installation import assets_dir
from neodeskpet.ui.desktop.activity_detector import ActivityDetector
from neodeskpet.ui.desktop.desktop_notifications import DesktopNotification, show_notification
from neodeskpet.ui.desktop.notification_sound import NotificationSound


class NotifierParts(QObject):
    """`identity` returns the names of the companion; `show_in_tray(title, text)` shows a
    notification where the desktop has no service for it.
    """

    chat_requested = Signal()
    """The user wants to see the newest message."""

    def __init__(
        self,
        context: DesktopContext,
        first: FirstCompanion,
        chat: ChatParts,
        attention: ActivityDetector,
        tool_title: Callable[[str], str],
        *,
        identity: Callable[[], CompanionIdentity],
        show_in_tray: Callable[[str, str], object],
    ) -> None:
        super().__init__()
        engine, presenter = context.engine, first.presenter
        show_error = context.notices.show_error
        self._chat = chat
        self._identity = identity
        self._show_in_tray = show_in_tray
        self.budget = BudgetNotifier(engine, presenter, show_error, self)
        self.update = UpdateNotifier(engine, presenter, self)
        self.background_prompts = BackgroundPromptNotifier(engine, presenter, show_error, self)
        self.remarks = RemarkNotifier(
            engine,
            presenter,
            attention,
            seen=lambda: first.pet.isVisible() and engine.settings.settings.companion.bubble,
            writing=chat.is_user_writing,
            neo=lambda: identity().is_bundled(),
            parent=self,
        )
        chime = NotificationSound(assets_dir() / "sounds" / "bell.wav", parent=self)
        self.timer_alarm = TimerAlarm(engine, presenter, chime, self._notify_urgently, self)
        self._tasks = TaskNotifier(engine, chat.window, self.remarks.report_task, tool_title)
        self.crashes = CrashNotifier(lambda: context.theme_manager.theme)
        context.exits.add(
            self.crashes.delete,
            self.budget.close,
            self.update.close,
            self.background_prompts.stop,
            self.remarks.close,
            self.timer_alarm.stop,
            self.crashes.close,
        )
        for notifier in (self.timer_alarm, self.remarks, self.background_prompts):
            notifier.chat_requested.connect(self.chat_requested)
        self.remarks.error_occurred.connect(show_error)
        self.timer_alarm.error_occurred.connect(context.notices.show_message)

    async def start(self) -> None:
        """Start all of them; the windows exist by then."""
        await self.timer_alarm.start()
        self._tasks.start()
        await self.remarks.start()
        self.budget.start()
        self.update.start()

    async def show_notification(self, notice: DesktopNotification) -> str:
        """Show a notification by the desktop's service, else by the tray. Return the answer, "" for
        none.
        """
        notice = replace(notice, title=f"{self._identity().figure_name} · {notice.title}")
        answer = await show_notification(notice)
        if answer is None:
            self._show_in_tray(notice.title, notice.text)
        return answer or ""

    async def _notify_urgently(self, notice: DesktopNotification) -> str:
        """Show a notification and have the window request attention; return the answer."""
        QApplication.alert(self._chat.window)
        return await self.show_notification(notice)
