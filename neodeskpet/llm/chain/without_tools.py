"""Finds out by trying whether it is the tools that a service refuses: the same once without them.

Services say no to tools in any words, or in none. Only what says nothing else is tried so; if the
answer comes without tools, the message says so and offers text mode.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from neodeskpet.core.errors import (
    BadReply,
    LlmError,
    NotFound,
    RequestRefused,
    ServiceFailed,
    ToolsUnsupported,
)
from neodeskpet.core.model import Model, ModelRequest
from neodeskpet.core.wire import ResponseFinished, RetryAnnounced, ToolsDropped, WireEvent
from neodeskpet.llm.chain.retry import SILENT

_log = logging.getLogger(__name__)

_UNSPECIFIC = frozenset({400, 404, 405, 415, 422, 500, 501, 502, 503})


class WithoutTools:
    """`model`, asked once more without the tools when a request with them fails for no reason that
    is known.
    """

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def label(self) -> str:
        return self._model.label

    async def stream(self, request: ModelRequest) -> AsyncGenerator[WireEvent, None]:
        shown = False
        try:
            async with aclosing(self._model.stream(request)) as events:
                async for event in events:
                    # A fault that was tried again has shown nothing of the reply either.
                    shown = shown or not isinstance(event, (*SILENT, RetryAnnounced))
                    yield event
            return
        except LlmError as error:
            if shown or not request.tools or not _may_be_the_tools(error):
                raise
            refused = error
        _log.info("%s is asked once without tools", self.label)
        bare = replace(request, tools=(), tool_choice="auto")
        try:
            async with aclosing(self._model.stream(bare)) as events:
                async for event in events:
                    if isinstance(event, RetryAnnounced):
                        raise refused  # once is enough: nobody waits for a second fault
                    if isinstance(event, ResponseFinished):
                        yield ToolsDropped(ToolsUnsupported(refused.detail, status=refused.status))
                    shown = shown or not isinstance(event, SILENT)
                    yield event
        except LlmError:
            if shown:
                raise
            raise refused from None


def _may_be_the_tools(error: LlmError) -> bool:
    """A 404 with an error object names a route or a model; a bare one may mean anything. A 5xx
    that may pass was tried again with the tools already: only then it is asked without.
    """
    if isinstance(error, NotFound) and error.raw is not None:
        return False
    kinds = (RequestRefused, ServiceFailed, NotFound, BadReply)
    return isinstance(error, kinds) and error.status in _UNSPECIFIC
