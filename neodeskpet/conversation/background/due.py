"""Has the companion told of an appointment that is due, as of a background task that has ended."""

from __future__ import annotations

from datetime import datetime

from neodeskpet.appointments.appointment import Appointment
from neodeskpet.conversation.background.tasks import BackgroundTasks
from neodeskpet.conversation.chat import Chat
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.core.toolspec import Progress
from neodeskpet.tools.builtin.schedule import RUN


class DueTalk:
    """In the conversation that is open; when it speaks is up to the `Waker`."""

    def __init__(self, chat: Chat, tasks: BackgroundTasks) -> None:
        self._chat = chat
        self._tasks = tasks

    async def call(self, one: Appointment, due: float) -> bool:
        """False if no conversation is open. Raises TooManyTasks and StoreError."""
        info = self._chat.conversation
        if info is None:
            return False
        words = (
            f"The appointment “{one.title}” ({one.id}: {one.said}) is due now, "
            f"{datetime.fromtimestamp(due):%Y-%m-%d %H:%M}. This is what was to be done then; do "
            f"it now, and don't make the appointment again:\n{one.prompt}"
        )

        async def work(progress: Progress) -> ToolResult:
            return ToolResult(words)

        arguments = {"title": one.title, "id": one.id}
        await self._tasks.start(info.id, RUN, arguments, work, foreign=False)
        return True
