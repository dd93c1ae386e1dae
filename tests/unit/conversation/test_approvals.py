"""Questions to the person: the right one is answered, once, and no answer means no."""

import asyncio

from neodeskpet.conversation.approvals import Approvals, DenyAll
from neodeskpet.conversation.ports import Decision
from tests.support.virtualtime import run_virtually

YES, NO = Decision(True), Decision(False, "Not there.")


def test_the_answer_reaches_its_question() -> None:
    async def scene() -> None:
        approvals = Approvals()
        first = approvals.ask("m", 0, "write", {})
        second = approvals.ask("m", 1, "write", {})
        other = approvals.ask("n", 0, "write", {})
        assert approvals.answer("m", 1, NO)
        assert approvals.answer("n", 0, YES)
        assert (await second, await other) == (NO, YES)
        assert not first.done()
        assert approvals.answer("m", 0, YES)
        assert await first == YES

    run_virtually(scene())


def test_a_second_answer_comes_too_late() -> None:
    async def scene() -> None:
        approvals = Approvals()
        question = approvals.ask("m", 0, "write", {})
        assert approvals.answer("m", 0, NO)
        assert not approvals.answer("m", 0, YES)
        assert await question == NO
        assert not approvals.answer("m", 0, YES)

    run_virtually(scene())


def test_what_nobody_asked_can_not_be_answered() -> None:
    assert not Approvals().answer("m", 0, YES)


def test_a_question_that_was_taken_back_can_not_be_answered() -> None:
    async def scene() -> None:
        approvals = Approvals()
        question = approvals.ask("m", 0, "write", {})
        question.cancel()
        assert not approvals.answer("m", 0, YES)
        await asyncio.sleep(0)
        assert not approvals.answer("m", 0, YES)

    run_virtually(scene())


def test_where_nobody_can_be_asked_the_answer_is_no() -> None:
    decision = asyncio.run(DenyAll().ask("m", 0, "write", {"path": "a"}))
    assert not decision.allowed
    assert decision.reason
