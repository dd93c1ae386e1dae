"""Questions to the person that a turn waits for. No answer means no."""

from __future__ import annotations

import asyncio

from neodeskpet.conversation.ports import ApprovalQuestion, Approver, Decision
from neodeskpet.core.errors import ApprovalUnavailable


class OpenQuestions:
    """Holds the open questions; the interface answers by message and block."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, int], tuple[ApprovalQuestion, asyncio.Future[Decision]]] = {}

    def ask(self, question: ApprovalQuestion) -> asyncio.Future[Decision]:
        """The answer to come (the card in the message is the question). Cancelling it withdraws
        the question.
        """
        answer: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        key = question.message_id, question.index
        self._open[key] = question, answer
        answer.add_done_callback(lambda _: self._forget(key, answer))
        return answer

    def get(self, message_id: str, index: int) -> ApprovalQuestion | None:
        """None when it is not open (any more)."""
        question, answer = self._open.get((message_id, index), (None, None))
        return None if answer is None or answer.done() else question

    def answer(self, message_id: str, index: int, decision: Decision) -> bool:
        """False when that question is not open (any more)."""
        _, answer = self._open.get((message_id, index), (None, None))
        if answer is None or answer.done():
            return False
        answer.set_result(decision)
        return True

    def _forget(self, key: tuple[str, int], answer: asyncio.Future[Decision]) -> None:
        if self._open.get(key, (None, None))[1] is answer:
            del self._open[key]


class DenyAll:
    """Where nobody can be asked: no answer means no. `refused`: something would have asked."""

    def __init__(self) -> None:
        self.asked = False

    async def ask(self, question: ApprovalQuestion) -> Decision:
        self.asked = True
        return Decision(False, no_answer=ApprovalUnavailable())


class AllowAll:
    """Where the person has said beforehand that whatever is asked is allowed. That was said before
    untrusted text was read: what asks because of such text is left to `otherwise`.
    """

    def __init__(self, otherwise: Approver) -> None:
        self._otherwise = otherwise

    async def ask(self, question: ApprovalQuestion) -> Decision:
        return Decision(True) if question.flow is None else await self._otherwise.ask(question)
