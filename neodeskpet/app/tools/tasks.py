"""Joins the background tasks and the windows: how many, in which words, when they may speak."""

from __future__ import annotations

from collections.abc import Callable

from neodeskpet.core.background.task import Task
from neodeskpet.core.blocks import ToolStatus
from neodeskpet.engine import Engine
from neodeskpet.language import tr
from neodeskpet.ui.chat.items.wording import status_text
from neodeskpet.ui.chat.window import ChatWindow


class TaskNotifier:
    """`tell` says something in the bubble; `title` is what people call the tool of a name."""

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
        engine.tasks.subscribe(self._on_task_changed)
        engine.settings.subscribe(self._on_setting_changed)
        engine.task_announcer.user_is_writing = window.composer.has_content
        window.composer.draft_changed.connect(self._on_draft_changed)

    def start(self) -> None:
        """The conversation is open: what has ended may be told."""
        self._engine.task_announcer.start()

    def _on_task_changed(self, task: Task) -> None:
        self._window.header.set_tasks(len(self._engine.tasks.running()))
        status = task.call.status
        ended = self._known.get(task.id) is ToolStatus.RUNNING and not task.running
        self._known[task.id] = status
        if not ended:
            return
        del self._known[task.id]
        present = self._engine.chat.conversation
        here = present is not None and present.id == task.conversation
        if status is ToolStatus.CANCELLED or (here and self._engine.task_announcer.moment().wanted):
            return  # the person did it; or the companion says it in its own words
        name = self._title(task.call.name)
        self._tell(tr("In the background: {name}, {state}.", name=name, state=status_text(status)))

    def _on_setting_changed(self, section: str, name: str, value: object) -> None:
        if (section, name) == ("mode", "task_end"):
            self._engine.task_announcer.check()

    def _on_draft_changed(self, text: str) -> None:
        if not text:
            self._engine.task_announcer.check()
