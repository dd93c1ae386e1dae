"""Questions to the person that a turn waits for. No answer means no."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from neodeskpet.conversation.ports import Decision


class Approvals:
    """Holds the open questions; the interface answers by message and block."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, int], asyncio.Future[Decision]] = {}

    def ask(
        self, message_id: str, index: int, name: str, arguments: Mapping[str, object]
    ) -> asyncio.Future[Decision]:
        """The answer to come (the card in the message is the question). Cancelling it withdraws
        the question.
        """
        answer: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        self._open[message_id, index] = answer
        answer.add_done_callback(lambda _: self._open.pop((message_id, index), None))
        return answer

    def answer(self, message_id: str, index: int, decision: Decision) -> bool:
        """False when that question is not open (any more)."""
        answer = self._open.get((message_id, index))
        if answer is None or answer.done():
            return False
        answer.set_result(decision)
        return True


class DenyAll:
    """Where nobody can be asked: no answer means no."""

    async def ask(
        self, message_id: str, index: int, name: str, arguments: Mapping[str, object]
    ) -> Decision:
        return Decision(False, "Nobody is there to ask.")
