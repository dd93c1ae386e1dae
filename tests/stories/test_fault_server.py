"""A fault server by others: each fault has its own clear notice, received text is kept, calls with
cut arguments don't run, and the server reports no violation of ours.

The server is llmock (PyPI), in a process of its own, on each protocol that it and we support.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any

import pytest

from neodeskpet.conversation.chat_events import ChatEvent, TurnAdvanced
from neodeskpet.core.blocks import Message, MessageState, Notice
from neodeskpet.core.errors import Action, fill
from neodeskpet.core.model import Model, ModelRequest
from neodeskpet.core.wire import RetryAnnounced, WireEvent
from neodeskpet.llm.catalog.model_catalog import Endpoint, catalog_of_service
from neodeskpet.llm.chain.model_wrappers import RetryPolicy
from neodeskpet.llm.http_client import HttpClient
from neodeskpet.llm.model_builder import HttpClients, ModelBuilder
from neodeskpet.llm.model_pipeline import ReplyTimeouts
from neodeskpet.llm.protocols.protocol_list import PROTOCOLS
from tests.support.faultserver import FaultServer
from tests.support.notebook import noted
from tests.support.services import Talk, calls, talk_story

WORDS = "One two three four five six seven eight."
SAID = {"type": "reply", "text": WORDS}
NOTE = {"type": "reply", "tool_calls": [{"name": "note_add", "arguments": {"text": "a" * 99}}]}
STALL = 1.0
"""The time limit without a byte, in the test of exactly that."""
PATIENT = 30.0
"""And everywhere else: a busy server must not count as broken."""


@pytest.fixture(scope="module")
def running() -> Iterator[FaultServer]:
    with FaultServer() as faults:
        yield faults


@pytest.fixture
def faults(running: FaultServer) -> Iterator[FaultServer]:
    """The server, which has no violation to report at the end of the story. Whether it noticed that
    we disconnected at its corrupt chunk, before it had sent its last ones, is a matter of chance.
    """
    running.reset()
    yield running
    assert set(running.findings()) <= {"warning malformed_chunk_ignored"}


def broken(kind: str, after: int = 3, **more: object) -> dict[str, Any]:
    return {"type": "stream_fault", "kind": kind, "after_chunks": after, **more}


async def no_key(endpoint: Endpoint) -> str:
    return ""


def build(client: HttpClient, protocol: str, url: str, stall: float) -> Model:
    builder = ModelBuilder(HttpClients(client), no_key, retry=RetryPolicy(chance=lambda: 0.0))
    model = builder.build(
        catalog_of_service(protocol, url, "test-model"), "chat", ReplyTimeouts(stall)
    )
    assert model is not None
    return model


class Line:
    """A model that changes from one reply to the next."""

    label = "test-model"

    def __init__(self, model: Model) -> None:
        self.model = model

    def stream(self, request: ModelRequest) -> AsyncGenerator[WireEvent, None]:
        return self.model.stream(request)


class Retries:
    """The codes of the announced retries."""

    def __init__(self) -> None:
        self.codes: list[str] = []

    def on_chat_event(self, event: ChatEvent) -> None:
        if isinstance(event, TurnAdvanced) and isinstance(event.event, RetryAnnounced):
            self.codes.append(event.event.code)


def notice(reply: Message) -> tuple[str, str]:
    """The code of the one open notice, and its reason: in our sentence, and in foreign text."""
    (found,) = [b for b in reply.blocks if isinstance(b, Notice) and not b.resolved]
    reason = fill(found.params.get("reason", ""), found.params)
    return found.code, " ".join(filter(None, (reason, found.detail)))


FAULTS = {
    "truncate": "ended before the reply was complete",
    "disconnect": "",
    "malformed": "isn't valid JSON",
    "stall": f"No data for {STALL:g} s.",
}


@pytest.mark.parametrize("protocol", sorted(PROTOCOLS))
def test_faults(tmp_path: Path, faults: FaultServer, protocol: str) -> None:
    client = HttpClient()
    retries = Retries()

    async def talk_through(talk: Talk) -> None:
        talk.engine.chat.subscribe(retries)
        await busy(talk)
        await slow(talk)
        for kind, words in FAULTS.items():
            await breaks(talk, kind, words)
        await cut(talk)
        await wrong_call(talk)
        await client.aclose()

    async def busy(talk: Talk) -> None:
        faults.next({"type": "fail", "status": 429, "retry_after": 0.2}, SAID)
        reply = await talk.say("busy")
        assert (reply.state, reply.text) == (MessageState.DONE, WORDS)
        assert retries.codes == ["rate_limited"]

    async def slow(talk: Talk) -> None:
        faults.next({"type": "slow_first_token", "seconds": 0.25}, SAID)
        reply = await talk.say("slow")
        assert (reply.state, reply.text) == (MessageState.DONE, WORDS)

    async def breaks(talk: Talk, kind: str, words: str) -> None:
        """Received text is kept; the user decides whether to repeat the request."""
        faults.next(broken(kind, 6, stall_seconds=1.5 * STALL), SAID, SAID)
        line.model = {"stall": hasty}.get(kind, patient)
        reply = await talk.say(kind)
        line.model = patient
        assert reply.state is MessageState.FAILED
        assert reply.text
        assert WORDS.startswith(reply.text.strip())
        code, why = notice(reply)
        assert code == "stream_broken"
        assert words in why
        reply = await talk.act(Action.RETRY)
        assert (reply.state, reply.text) == (MessageState.DONE, WORDS)

    async def cut(talk: Talk) -> None:
        """The reply breaks off within a call's arguments (Gemini's come completely:
        before them).
        """
        text = {} if protocol != "gemini" else {"text": WORDS}
        faults.next(broken("disconnect", 4), {**NOTE, **text}, SAID)
        reply = await talk.say("cut")
        assert notice(reply)[0] == "stream_broken"
        assert "success" not in dict(calls(reply)).values()
        reply = await talk.act(Action.RETRY)
        assert (reply.state, reply.text) == (MessageState.DONE, WORDS)
        assert not noted(tmp_path), "nothing ran"

    async def wrong_call(talk: Talk) -> None:
        """A missing tool, and arguments that aren't JSON: the model gets the error, and ends."""
        for kind in ("unknown_tool", "malformed_arguments"):
            faults.next({"type": "tool_fault", "kind": kind})
            reply = await talk.say("what time is it?")
            assert [state for _, state in calls(reply)] == ["error"]
            assert reply.state is MessageState.DONE
            assert "test-model" in reply.text

    url = faults.url(protocol)
    patient, hasty = (build(client, protocol, url, stall) for stall in (PATIENT, STALL))
    line = Line(patient)
    talk_story(tmp_path, talk_through, model=line)
