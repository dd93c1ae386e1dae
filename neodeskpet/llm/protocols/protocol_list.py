"""The list of all protocols. To add one, write a module and add a line here."""

from __future__ import annotations

from neodeskpet.llm.protocols import anthropic_reply, gemini_reply, openai_chat, openai_responses
from neodeskpet.llm.protocols.protocol import ModelProtocol

PROTOCOLS: dict[str, ModelProtocol] = {
    protocol.name: protocol
    for protocol in (
        openai_chat.PROTOCOL,
        anthropic_reply.PROTOCOL,
        gemini_reply.PROTOCOL,
        openai_responses.PROTOCOL,
    )
}
