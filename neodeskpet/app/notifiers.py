"""Notifiers tell the user about one kind of event each: a crash of the last run, a budget that is
nearly or fully spent, background tasks, and results of background prompts. `NotifierParts` creates
these and those of other files: remarks, updates, timers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from enum import StrEnum
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from neodeskpet.app.chat_parts import ChatParts
from neodeskpet.app.companion_identity import CompanionIdentity
from neodeskpet.app.desktop_context import DesktopContext, FirstCompanion
from neodeskpet.app.engine import Engine
from neodeskpet.app.remark_notifier import RemarkNotifier
from neodeskpet.app.timer_alarm import TimerAlarm
from neodeskpet.app.turn_factory import approval_policy
from neodeskpet.app.update_notifier import UpdateNotifier
from neodeskpet.conversation.background_prompts import PromptRun
from neodeskpet.core.background_tasks import Task
from neodeskpet.core.blocks import ToolStatus
from neodeskpet.core.costs import MonthlyBudget, due_budget_warning, read_budget
from neodeskpet.core.errors import KnownError
from neodeskpet.core.speech_bubble import BubbleRank
from neodeskpet.language import tr
from neodeskpet.platform.installation import assets_dir
from neodeskpet.ui.chat.chat_window import ChatWindow
from neodeskpet.ui.desktop.activity_detector import ActivityDetector
from neodeskpet.ui.desktop.desktop_notifications import DesktopNotification, show_notification
from neodeskpet.ui.desktop.notification_sound import NotificationSound
from neodeskpet.ui.formatting import format_budget, format_price, status_text
from neodeskpet.ui.notebook.appointment_form import ToolChoice
from neodeskpet.ui.pet.companion_presenter import CompanionPresenter, parse_answer
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.windows.crash_report_window import CrashReportWindow


class CrashNotifier:
    """Reports a crash of the last run. `theme` returns the current theme."""

    def __init__(self, theme: Callable[[], Theme]) -> None:
        self._theme = theme
        self._window: CrashReportWindow | None = None

    def show_report(self, report: Path) -> None:
        """Report that the last run crashed, with its report."""
        self._show(report, asks=False)

    async def ask_safe_mode(self, report: Path) -> bool:
        """Ask whether to start in safe mode; nothing else is loaded before the answer."""
        window = self._show(report, asks=True)
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        window.chosen.connect(answer.set_result)
        safe = await answer
        window.close()
        return safe

    def close(self) -> None:
        if self._window is not None:
            self._window.close()

    def delete(self) -> None:
        if self._window is not None:
            self._window.deleteLater()

    def _show(self, report: Path, *, asks: bool) -> CrashReportWindow:
        self._window = CrashReportWindow(self._theme(), report, asks=asks)
        self._window.show()
        self._window.raise_()
        self._window.activateWindow()
        return self._window


_BUDGET_TOLD_KEY = "spending.told"
_BUDGET_NOTICE = "budget"
_BUDGET_SETTING = ("spending", "budget")


class BudgetNotifier(QObject):
    """Reports spending of the budget. `costs_requested()`: the user opens the costs. `failed` gets
    errors.
    """

    costs_requested = Signal()

    def __init__(
        self,
        engine: Engine,
        companion: CompanionPresenter,
        failed: Callable[[KnownError], None],
        parent: QObject | None = None,
        today: Callable[[], date] = date.today,
    ) -> None:
        super().__init__(parent)
        self._engine = engine
        self._companion = companion
        self._today = today
        self._cost = 0.0
        self._work = TaskRunner("budget", failed=failed)
        self._ends = (
            engine.storage.store.spending.subscribe(lambda _conversation: self._check()),
            engine.settings.subscribe(self._on_setting_changed),
        )
        companion.answered.connect(self._answered)

    def start(self) -> None:
        """Start; the windows exist by then."""
        self._check()

    async def close(self) -> None:
        for end in self._ends:
            end()
        await self._work.aclose()

    def budget(self) -> MonthlyBudget | None:
        return read_budget(self._engine.settings.settings.spending.budget)

    def summary_line(self) -> str:
        """Return the last known spending of the budget; "" if no budget is set."""
        budget = self.budget()
        return format_budget(budget, self._cost) if budget is not None else ""

    def _on_setting_changed(self, section: str, name: str, _value: object) -> None:
        if (section, name) == _BUDGET_SETTING:
            self._check()

    def _check(self) -> None:
        self._work.replace("look", self._compare)

    async def _compare(self) -> None:
        budget = self.budget()
        if budget is None:
            self._companion.withdraw(_BUDGET_NOTICE)
            return
        store, today = self._engine.storage.store, self._today()
        self._cost = await store.spending.get_cost(today.year, today.month, budget.currency)
        before = await store.get_state(_BUDGET_TOLD_KEY) or ""
        step, warned = due_budget_warning(budget, self._cost, f"{today:%Y-%m}", before)
        if step:
            self._show(budget, step)  # before it is stored: shown twice is better than never
        if warned != before:
            await store.set_state(_BUDGET_TOLD_KEY, warned)

    def _show(self, budget: MonthlyBudget, step: int) -> None:
        sums = {
            "budget": format_price(budget.amount, budget.currency),
            "cost": format_price(self._cost, budget.currency),
        }
        words = tr("You have spent {cost} of this month's budget of {budget}.", **sums)
        if step == 100:
            words = tr(
                "This month's budget of {budget} is used up ({cost}). You can continue to"
                " use the models.",
                **sums,
            )
        choices = (("done", tr("OK")), ("open", tr("Show the costs")))
        self._companion.ask(
            _BUDGET_NOTICE,
            words,
            choices,
            sign="warning",
            dismiss_choice="done",
            rank=BubbleRank.NOTICE,
        )

    def _answered(self, key: str, choice: str) -> None:
        if key != _BUDGET_NOTICE:
            return
        self._companion.withdraw(_BUDGET_NOTICE)
        if choice == "open":
            self.costs_requested.emit()


class TaskNotifier:
    """Reports ended background tasks. `tell` shows a text in the bubble; `title` returns the
    display name of a tool.
    """

    def __init__(
        self,
        engine: Engine,
        window: ChatWindow,
        tell: Callable[[str], None],
        title: Callable[[str], str],
    ) -> None:
        self._engine = engine
        self._window = window
        self._tell = tell
        self._title = title
        self._known: dict[str, ToolStatus] = {}
        engine.tools.tasks.subscribe(self._on_task_changed)
        engine.settings.subscribe(self._on_setting_changed)
        window.composer.draft_changed.connect(self._on_draft_changed)

    def start(self) -> None:
        """Start reporting; the conversation is open by then."""
        self._engine.tools.task_announcer.start(self._window.composer.has_content)

    def _on_task_changed(self, task: Task) -> None:
        self._window.header.set_tasks(len(self._engine.tools.tasks.running()))
        status = task.call.status
        ended = self._known.get(task.id) is ToolStatus.RUNNING and not task.running
        self._known[task.id] = status
        if not ended:
            return
        del self._known[task.id]
        present = self._engine.chat.conversation
        here = present is not None and present.id == task.conversation
        if status is ToolStatus.CANCELLED or (
            here and self._engine.tools.task_announcer.moment().wanted
        ):
            return  # the user ended it, or the companion reports it in its own words
        name = self._title(task.call.name)
        self._tell(tr("In the background: {name}, {state}.", name=name, state=status_text(status)))

    def _on_setting_changed(self, section: str, name: str, value: object) -> None:
        if (section, name) == ("mode", "task_end"):
            self._engine.tools.task_announcer.check()

    def _on_draft_changed(self, text: str) -> None:
        if not text:
            self._engine.tools.task_announcer.check()


_PROMPT_NOTICE = "errand "


def tool_choices(engine: Engine) -> list[ToolChoice]:
    """Return the tools that an appointment may be allowed to use."""
    policy = approval_policy(engine.settings.settings)
    return [
        ToolChoice(spec.name, spec.title, policy.asks(spec, {}))
        for spec in engine.tools.toolbox.specs()
    ]


class PromptResultAction(StrEnum):
    """The user's answer to the result of a background prompt."""

    DONE = "done"
    OPEN = "open"


class BackgroundPromptNotifier(QObject):
    """Reports results of background prompts. `chat_requested`: the text is in the chat now.
    `failed` gets errors.
    """

    chat_requested = Signal()

    def __init__(
        self,
        engine: Engine,
        companion: CompanionPresenter,
        failed: Callable[[KnownError], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._engine = engine
        self._companion = companion
        self._work = TaskRunner("errands", failed=failed)
        self._said: dict[str, str] = {}
        self._end = engine.models.background_prompts.subscribe(self._see)
        companion.answered.connect(self._answered)

    def open(self, words: str) -> None:
        """Add the text to the chat as a message of the companion."""
        self._work.start("open", partial(self._open, words))

    def stop(self) -> None:
        """Stop following changes."""
        self._end()
        self._work.cancel_all()

    def _see(self, run: PromptRun) -> None:
        words = run.outcome.text.strip() if run.outcome is not None else ""
        if run.stage != "ended" or not run.prompt.instructions_note or not words or run.failure:
            return  # failures are not announced: the list shows them
        key = _PROMPT_NOTICE + run.id
        self._said[key] = words
        choices = (
            (PromptResultAction.DONE, tr("Dismiss")),
            (PromptResultAction.OPEN, tr("Open in chat")),
        )
        self._companion.ask(
            key,
            words,
            choices,
            sign="bell",
            dismiss_choice=PromptResultAction.DONE,
            rank=BubbleRank.TIMER,
        )

    def _answered(self, key: str, choice: str) -> None:
        words = self._said.pop(key, "")
        if not words:
            return
        self._companion.withdraw(key)
        if parse_answer(PromptResultAction, choice) is PromptResultAction.OPEN or not choice:
            self.open(words)  # a click on the text opens it too

    async def _open(self, words: str) -> None:
        await self._engine.chat.add_remark(words)
        self.chat_requested.emit()


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
