"""Questions to the user that a turn waits for. An unanswered question counts as refused."""

from __future__ import annotations

import asyncio

from neodeskpet.conversation.ports import ApprovalQuestion, Approver, Decision
from neodeskpet.core.errors import ApprovalUnavailable


class OpenQuestions:
    """Holds the open questions. The interface answers one by message id and block index."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, int], tuple[ApprovalQuestion, asyncio.Future[Decision]]] = {}

    def ask(self, question: ApprovalQuestion) -> asyncio.Future[Decision]:
        """Return a future of the answer (the card in the message shows the question). Cancelling it
        withdraws the question.
        """
        answer: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        key = question.message_id, question.index
        self._open[key] = question, answer
        answer.add_done_callback(lambda _: self._forget(key, answer))
        return answer

    def get(self, message_id: str, index: int) -> ApprovalQuestion | None:
        """Return the question, None if it is not open (any more)."""
        question, answer = self._open.get((message_id, index), (None, None))
        return None if answer is None or answer.done() else question

    def answer(self, message_id: str, index: int, decision: Decision) -> bool:
        """Answer a question. Returns False if it is not open (any more)."""
        _, answer = self._open.get((message_id, index), (None, None))
        if answer is None or answer.done():
            return False
        answer.set_result(decision)
        return True

    def _forget(self, key: tuple[str, int], answer: asyncio.Future[Decision]) -> None:
        if self._open.get(key, (None, None))[1] is answer:
            del self._open[key]


class DenyAll:
    """Denies every call, where nobody can be asked. `asked`: whether a call was denied."""

    def __init__(self) -> None:
        self.asked = False

    async def ask(self, question: ApprovalQuestion) -> Decision:
        self.asked = True
        return Decision(False, no_answer=ApprovalUnavailable())


class AllowAll:
    """Allows every call, because the user allowed all of them in advance. Questions that arise
    because untrusted text was read were not covered by that and are passed to `otherwise`.
    """

    def __init__(self, otherwise: Approver) -> None:
        self._otherwise = otherwise

    async def ask(self, question: ApprovalQuestion) -> Decision:
        return Decision(True) if question.flow is None else await self._otherwise.ask(question)
