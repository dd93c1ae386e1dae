"""A service that answers in another protocol than requested: a notice says so, and one click
switches.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from neodeskpet.app.run_options import RunOptions
from neodeskpet.core.blocks import MessageState, Notice
from neodeskpet.core.errors import Action
from tests.support.providers import PROVIDERS
from tests.support.providers.provider import Say
from tests.support.services import Talk, notices, talk_story
from tests.support.sseserver import ScriptedServer, done, finish, text

SPOKEN = [name for name in PROVIDERS if name != "openai"]


@pytest.mark.parametrize("protocol", SPOKEN)
def test_the_offer_is_accepted(tmp_path: Path, protocol: str) -> None:
    """It is requested in this protocol and answers in OpenAI's."""

    async def story(talk: Talk) -> None:
        for _ in range(2):
            server.reply(text("Hello."), finish(), done())
        reply = await talk.say("hello")
        assert notices(reply) == ["wrong_protocol"]
        reply = await talk.act(Action.SWITCH_PROTOCOL)
        assert (reply.state, reply.text) == (MessageState.DONE, "Hello.")
        assert server.requests[-1].path.endswith("/chat/completions")

    with ScriptedServer() as server:
        settings = {"service": {"protocol": protocol, "base_url": server.url, "model": "m"}}
        talk_story(tmp_path, story, settings)


@pytest.mark.parametrize("protocol", SPOKEN)
def test_the_detected_protocol_is_named(tmp_path: Path, protocol: str) -> None:
    """It is requested in OpenAI's protocol and answers in this one."""
    said = PROVIDERS[protocol]()
    parts = [*said.start(), *said.write(Say("Hello."), 1), *said.stop()]

    async def story(talk: Talk) -> None:
        server.reply(*parts)
        reply = await talk.say("hello")
        assert notices(reply) == ["wrong_protocol"]
        (notice,) = [block for block in reply.blocks if isinstance(block, Notice)]
        assert notice.params["protocol"] == protocol

    with ScriptedServer() as server:
        options = RunOptions(base_url=server.url, model="m", protocol="openai")
        talk_story(tmp_path, story, options=options)
