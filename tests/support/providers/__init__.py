"""Model services on loopback that enforce the requirements of each provider for a request.

One file for each protocol: the rules of `../shared/design/protocols.md` and of the providers' own
pages, as `check_head` and `check_body`; and the form in which that provider streams a reply.
"""

from __future__ import annotations

from tests.support.providers.anthropic import Anthropic
from tests.support.providers.gemini import Gemini
from tests.support.providers.openai_chat import OpenAIChat
from tests.support.providers.openai_responses import OpenAIResponses
from tests.support.providers.provider import Provider

PROVIDERS: dict[str, type[Provider]] = {
    provider.name: provider for provider in (OpenAIChat, Anthropic, Gemini, OpenAIResponses)
}
