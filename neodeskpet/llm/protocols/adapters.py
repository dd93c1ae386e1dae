"""The protocols there are. A further one is one file and one line here."""

from __future__ import annotations

from neodeskpet.llm.protocols import anthropic, gemini, openai_chat, openai_responses
from neodeskpet.llm.protocols.protocol import ModelProtocol

PROTOCOLS: dict[str, ModelProtocol] = {
    protocol.name: protocol
    for protocol in (
        openai_chat.PROTOCOL,
        anthropic.PROTOCOL,
        gemini.PROTOCOL,
        openai_responses.PROTOCOL,
    )
}
