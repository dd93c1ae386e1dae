"""A real model on this computer holds five turns with the tools told in the text, over each
protocol that its server speaks: every turn sends back what the model itself said.
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


@pytest.mark.parametrize("protocol", ["openai", "anthropic", "openai-responses"])
def test_five_turns_through_the_text(tmp_path: Path, protocol: str) -> None:
    async def story(talk: Talk) -> None:
        for number in range(5):
            reply = await talk.say(f"Tell me about cat number {number}.", 200.0)
            assert reply.state in ENDS, reply.blocks
            assert reply.text or reply.blocks

    told = {
        "service": {"protocol": protocol, "base_url": f"local:{gguf()}", "model": MODEL},
        "local": {"context": 4096, "reply": 16, "threads": 1},
        "mode": {"mode": "text", "max_rounds": 1},
        "companion": {"model": str(tmp_path / "nowhere")},
    }
    talk_story(tmp_path, story, told)
