"""Questions to the user: each answer reaches its question, once, and no answer means no."""

import asyncio
from dataclasses import replace

from neodeskpet.conversation.approvals import AllowAll, DenyAll, OpenQuestions
from neodeskpet.conversation.ports import ApprovalQuestion, Decision
from neodeskpet.core.data_labels import FlowCause, FlowQuestion
from neodeskpet.core.errors import ApprovalUnavailable
from neodeskpet.core.toolspec import ToolSpec
from tests.support.virtualtime import run_virtually

YES, NO = Decision(True), Decision(False, "Not there.")


def asked(message: str, index: int) -> ApprovalQuestion:
    return ApprovalQuestion(message, index, ToolSpec("write", ""), {"path": "a"})


def test_an_answer_reaches_its_question() -> None:
    async def scene() -> None:
        approvals = OpenQuestions()
        first = approvals.ask(asked("m", 0))
        second = approvals.ask(asked("m", 1))
        other = approvals.ask(asked("n", 0))
        assert approvals.answer("m", 1, NO)
        assert approvals.answer("n", 0, YES)
        assert (await second, await other) == (NO, YES)
        assert not first.done()
        assert approvals.answer("m", 0, YES)
        assert await first == YES

    run_virtually(scene())


def test_a_second_answer_is_ignored() -> None:
    async def scene() -> None:
        approvals = OpenQuestions()
        question = approvals.ask(asked("m", 0))
        assert approvals.answer("m", 0, NO)
        assert not approvals.answer("m", 0, YES)
        assert await question == NO
        assert not approvals.answer("m", 0, YES)

    run_virtually(scene())


def test_an_answer_without_a_question_is_ignored() -> None:
    assert not OpenQuestions().answer("m", 0, YES)


def test_a_question_that_was_withdrawn_can_not_be_answered() -> None:
    async def scene() -> None:
        approvals = OpenQuestions()
        question = approvals.ask(asked("m", 0))
        question.cancel()
        assert not approvals.answer("m", 0, YES)
        await asyncio.sleep(0)
        assert not approvals.answer("m", 0, YES)

    run_virtually(scene())


def test_without_an_approver_the_answer_is_no() -> None:
    decision = asyncio.run(DenyAll().ask(asked("m", 0)))
    assert not decision.allowed
    assert isinstance(decision.no_answer, ApprovalUnavailable)


def test_with_everything_allowed_in_advance_nothing_is_asked() -> None:
    assert asyncio.run(AllowAll(DenyAll()).ask(asked("m", 0))).allowed


def test_an_advance_permission_counts_as_given_before_untrusted_text_was_read() -> None:
    question = replace(asked("m", 0), flow=FlowQuestion(FlowCause.COMPOSED))
    assert not asyncio.run(AllowAll(DenyAll()).ask(question)).allowed


def test_an_open_question_has_its_text() -> None:
    async def scene() -> None:
        approvals = OpenQuestions()
        question = asked("m", 0)
        approvals.ask(question)
        assert approvals.get("m", 0) is question
        approvals.answer("m", 0, YES)
        await asyncio.sleep(0)
        assert approvals.get("m", 0) is None

    run_virtually(scene())
