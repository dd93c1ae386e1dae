"""The tool choice of a turn (auto, none, required, a certain tool) reaches every service."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from neodeskpet.app.engine import open_engine
from neodeskpet.conversation.chat import Chat
from neodeskpet.conversation.turn_setup import TurnSetup
from neodeskpet.core.blocks import MessageState
from tests.support.providers import PROVIDERS
from tests.support.providers.provider import Call, ProviderServer, Say
from tests.support.services import VARIABLE, Talk, calls, offer

ONE = "calc.evaluate"
SAID: dict[str, dict[str, object]] = {
    "openai": {
        "auto": None,
        "none": "none",
        "required": "required",
        ONE: {"type": "function", "function": {"name": "calc_evaluate"}},
    },
    "openai-responses": {
        "auto": None,
        "none": "none",
        "required": "required",
        ONE: {"type": "function", "name": "calc_evaluate"},
    },
    "anthropic": {
        "auto": None,
        "none": {"type": "none"},
        "required": {"type": "any"},
        ONE: {"type": "tool", "name": "calc_evaluate"},
    },
    "gemini": {
        "auto": None,
        "none": {"functionCallingConfig": {"mode": "NONE"}},
        "required": {"functionCallingConfig": {"mode": "ANY"}},
        ONE: {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["calc_evaluate"]}},
    },
}
"""What each protocol's request contains."""


def said(body: Any) -> object:
    return body.get("toolConfig" if "contents" in body else "tool_choice")


@pytest.mark.parametrize("protocol", sorted(PROVIDERS))
def test_the_choice_of_a_turn_is_in_its_first_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, protocol: str
) -> None:
    """A call that is required again and again would have no end: later rounds are free."""
    monkeypatch.setenv(VARIABLE, "")  # The variable that the story sets is reset after it.
    sums = Call("calc_evaluate", {"expression": "6*7"})

    async def story(server: ProviderServer) -> None:
        engine = await open_engine(tmp_path)
        choice = "auto"

        def set_up(conversation: str, named: str) -> TurnSetup:
            return replace(
                engine.models.turn_factory.create_setup(conversation, named), tool_choice=choice
            )

        engine = replace(
            engine, chat=Chat(engine.storage.store, set_up, switch_to_text=lambda: None)
        )
        await engine.chat.open()
        talk = Talk(engine)
        for choice in SAID[protocol]:
            begun = len(server.requests)
            if choice != "none":
                server.speak(sums)
            server.speak(Say("42."))
            reply = await talk.say("What is six times seven?")
            assert (reply.state, reply.text) == (MessageState.DONE, "42.")
            first, *later = (said(one.body) for one in server.requests[begun:])
            assert first == SAID[protocol][choice]
            if choice == "none":
                assert (calls(reply), later) == ([], [])
            else:
                assert (calls(reply), later) == ([(ONE, "success")], [None])
        await engine.aclose()

    with ProviderServer(PROVIDERS[protocol]()) as server:
        offer(tmp_path, [server])
        asyncio.run(story(server))
        assert server.refusals == []
