"""A real model on this computer has five turns with the tools in text mode, over each protocol that
its server supports: every turn sends back the model's own text.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from neodeskpet.core.blocks import MessageState
from tests.support.realmodel import MODEL, gguf
from tests.support.services import Talk, talk_story

pytestmark = [
    pytest.mark.model,
    pytest.mark.skipif(gguf() is None, reason="the test extra with the model isn't installed"),
    pytest.mark.timeout(900),
    pytest.mark.xdist_group("model"),
]
ENDS = (MessageState.DONE, MessageState.LIMITED)


def test_five_turns_in_text_mode_over_each_protocol(tmp_path: Path) -> None:
    """In one process of the model, which has read the tools then: that takes it the longest."""

    async def story(talk: Talk) -> None:
        host, pids = talk.engine.models.local_host, set()
        for protocol in ("openai", "anthropic", "openai-responses"):
            talk.engine.settings.change("service", "protocol", protocol)
            await talk.engine.chat.open_new()
            for number in range(5):
                reply = await talk.say(f"Tell me about cat number {number}.", 200.0)
                assert reply.state in ENDS, (protocol, reply.blocks)
                assert reply.text or reply.blocks
            assert len(await talk.messages()) == 10
            pids.add(host.condition(f"local:{gguf()}").pid)
        assert len(pids) == 1

    told = {
        "service": {"base_url": f"local:{gguf()}", "model": MODEL},
        "local": {"context": 4096, "reply": 16, "threads": 1},
        "mode": {"mode": "text", "max_rounds": 1, "apps": False},
        "companion": {"model": str(tmp_path / "nowhere")},
        "memory": {"recall": False},  # its beginning is the same each time
    }
    talk_story(tmp_path, story, told)
