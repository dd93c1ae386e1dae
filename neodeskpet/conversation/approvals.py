"""Questions to the person that a turn waits for. No answer means no."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from neodeskpet.conversation.ports import Decision


class Approvals:
    """Holds the open questions; the interface answers by message and block."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, int], asyncio.Future[Decision]] = {}
        self._tools: dict[tuple[str, int], str] = {}

    def ask(
        self, message_id: str, index: int, name: str, arguments: Mapping[str, object]
    ) -> asyncio.Future[Decision]:
        """The answer to come (the card in the message is the question). Cancelling it withdraws
        the question.
        """
        answer: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        self._open[message_id, index] = answer
        self._tools[message_id, index] = name
        answer.add_done_callback(lambda _: self._close(message_id, index))
        return answer

    def tool(self, message_id: str, index: int) -> str:
        """The tool that this question is about, "" when it is not open (any more)."""
        return self._tools.get((message_id, index), "")

    def answer(self, message_id: str, index: int, decision: Decision) -> bool:
        """False when that question is not open (any more)."""
        answer = self._open.get((message_id, index))
        if answer is None or answer.done():
            return False
        answer.set_result(decision)
        return True

    def _close(self, message_id: str, index: int) -> None:
        self._open.pop((message_id, index), None)
        self._tools.pop((message_id, index), None)


class DenyAll:
    """Where nobody can be asked: no answer means no."""

    async def ask(
        self, message_id: str, index: int, name: str, arguments: Mapping[str, object]
    ) -> Decision:
        return Decision(False, "Nobody is there to ask.")
