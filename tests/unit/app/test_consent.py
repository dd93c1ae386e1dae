"""The user's answer is stored and reaches the waiting call."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from neodeskpet.app.engine import Engine, open_engine
from neodeskpet.app.tool_approval import ApprovalController
from neodeskpet.conversation.ports import ApprovalQuestion
from neodeskpet.core.approval import ConsentAnswer
from neodeskpet.core.blocks import ToolUse
from neodeskpet.core.errors import InvalidArguments, KnownError
from neodeskpet.core.grant_scope import Grant


def with_consent(home: Path, work: Callable[[Engine, ApprovalController], Awaitable[None]]) -> None:
    async def live() -> None:
        engine = await open_engine(home)
        faults: list[KnownError] = []
        try:
            await work(engine, ApprovalController(engine, faults.append))
        finally:
            await engine.aclose()
        assert faults == []

    asyncio.run(live())


def refuse(arguments: object) -> None:
    if arguments != {"id": 1}:
        raise InvalidArguments.at("id", "is required")


def question(engine: Engine) -> ApprovalQuestion:
    spec = engine.tools.toolbox.spec("note.delete")
    assert spec is not None
    return ApprovalQuestion("m", 0, spec, {"id": 1}, refuse)


def test_always_is_stored_once_and_the_call_may_run(tmp_path: Path) -> None:
    async def work(engine: Engine, consent: ApprovalController) -> None:
        for _ in range(2):
            answer = engine.chat.approvals.ask(question(engine))
            consent.answer("m", 0, ConsentAnswer.ALWAYS)
            assert (await answer).allowed
        consent.answer("m", 0, ConsentAnswer.ALWAYS)  # There is no question any more.
        assert engine.settings.settings.mode.always_allowed == (Grant("note.delete"),)

    with_consent(tmp_path, work)


def test_a_no_and_an_edit_reach_the_call(tmp_path: Path) -> None:
    async def work(engine: Engine, consent: ApprovalController) -> None:
        answer = engine.chat.approvals.ask(question(engine))
        consent.answer("m", 0, ConsentAnswer.DENY, "mine")
        assert (await answer).reason == "mine"
        answer = engine.chat.approvals.ask(question(engine))
        assert consent.argument_error("m", 0, {"id": 1}) == ""
        assert consent.argument_error("m", 0, {}) == "id: is required"
        consent.edit("m", 0, {"id": 2})
        decision = await answer
        assert (decision.allowed, decision.arguments) == (True, {"id": 2})
        assert consent.argument_error("m", 0, {}) == ""
        assert engine.settings.settings.mode.always_allowed == ()

    with_consent(tmp_path, work)


def test_a_card_knows_its_tool_and_one_of_a_removed_tool_offers_nothing(tmp_path: Path) -> None:
    async def work(engine: Engine, consent: ApprovalController) -> None:
        call = ToolUse(0, 0, "c", "note.delete", arguments={"id": 1})
        assert list(consent.grants(call)) == [Grant("note.delete")]
        assert "id" in str(consent.schema(call))
        gone = ToolUse(0, 0, "c", "gone")
        assert (list(consent.grants(gone)), consent.schema(gone)) == ([], {})

    with_consent(tmp_path, work)


@pytest.mark.parametrize("unknown", ["", "no", "Deny", "withn", "once", None])
def test_any_other_value_denies(tmp_path: Path, unknown: object) -> None:
    async def work(engine: Engine, consent: ApprovalController) -> None:
        answer = engine.chat.approvals.ask(question(engine))
        consent.answer("m", 0, unknown)
        assert not (await answer).allowed
        assert engine.settings.settings.mode.always_allowed == ()

    with_consent(tmp_path, work)
