"""Has the companion told of an appointment that is due: as of a background task that has ended, or
by an errand, whose words the person gets in the bubble.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from neodeskpet.appointments.appointment import Appointment
from neodeskpet.conversation.background.tasks import BackgroundTasks
from neodeskpet.conversation.chat import Chat
from neodeskpet.conversation.errands.errand import Errands, reminder
from neodeskpet.conversation.tasks import spawn
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.core.toolspec import Progress
from neodeskpet.tools.builtin.schedule import RUN


class DueTalk:
    """In the conversation that is open; when it speaks is up to the `Waker`. Where `apart()` says
    so, by an errand instead.
    """

    def __init__(
        self,
        chat: Chat,
        tasks: BackgroundTasks,
        errands: Errands,
        apart: Callable[[], bool] = lambda: False,
    ) -> None:
        self._chat = chat
        self._tasks = tasks
        self._errands = errands
        self._apart = apart

    async def call(self, one: Appointment, due: float) -> bool:
        """False if no conversation is open. Raises TooManyTasks and StoreError."""
        if self._apart():
            told = f"{one.title}: {one.prompt}"
            spawn(self._errands.run(reminder(told)), name=f"errand {one.id}")
            return True
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
