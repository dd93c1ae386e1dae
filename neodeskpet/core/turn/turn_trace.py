"""The trace of a turn: requests, times, retries and omissions that its message doesn't contain.

A `TurnTrace` is the data. The sender of a request reports to an `HttpExchange`, which it gets from
the `Tracer` of the request (`core.model.ModelRequest`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from neodeskpet.core.blocks import Usage
from neodeskpet.core.errors import LlmError
from neodeskpet.core.i18n import Reason
from neodeskpet.core.toolspec import Risk

_PICTURE = 2_000
"""Longer base64 is a picture and isn't kept."""
_MARKS = (b";base64,", b'"data":"')
"""Base64 may begin after these marks."""


@dataclass(frozen=True, slots=True)
class ContextRemark:
    """A remark of a source of context about a round: what it left out or added. `text` is the
    content itself (untrusted), "" for none. `lacks`: the model got less than there is; `of_memory`:
    it lacks memory, so asking again may help.
    """

    words: Reason
    text: str = ""
    lacks: bool = False
    of_memory: bool = False


@dataclass(frozen=True, slots=True)
class OutgoingRequest:
    """A network request before it is sent. `label` is the model; `headers` contain no keys; `hide`
    removes the key from any text.
    """

    label: str
    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    hide: Callable[[str], str] = field(default=str, repr=False, compare=False)


class HttpExchange(Protocol):
    """Records one network request. Its methods must be fast, because the reply waits for them."""

    def sent(self, body: bytes) -> None:
        """Record the body that is sent now."""
        ...

    def received(self, chunk: bytes) -> None:
        """Record a received chunk."""
        ...

    def ended(self, error: LlmError | None = None) -> None:
        """Record the end of the exchange; always the last call."""
        ...


class Tracer(Protocol):
    """Records all requests of a `ModelRequest`."""

    def exchange(self, sending: OutgoingRequest) -> HttpExchange: ...


@dataclass(frozen=True, slots=True)
class RequestError:
    """Why a request failed: the code of an `LlmError`, its HTTP status if any, and the service's
    own message.
    """

    code: str
    params: Mapping[str, str] = field(default_factory=dict)
    status: int | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ExchangeTrace:
    """One request and its response. Times are Unix seconds, None if it didn't happen. Bodies are as
    sent over the network, without pictures, and shortened if very long; `size` counts all bytes of
    the response. `dropped`: there was no room to keep the bodies.
    """

    sending: OutgoingRequest
    began: float
    first: float | None = None
    ended: float | None = None
    request: bytes = b""
    response: bytes = b""
    size: int = 0
    fault: RequestError | None = None
    dropped: bool = False


@dataclass(frozen=True, slots=True)
class RetryTrace:
    """A retry after `delay` seconds, before any part of the reply arrived: with the same model or
    the next one.
    """

    at: float
    code: str
    delay: float


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool that a round offered."""

    name: str
    risk: Risk
    source: str = ""


@dataclass(frozen=True, slots=True)
class RoundTrace:
    """One model call with its retries. Times are Unix seconds; `shown` is the time when the reply
    first became visible. `usage` is None if nothing was reported.
    """

    number: int
    began: float
    shown: float | None = None
    ended: float | None = None
    model: str = ""
    dialect: str = ""
    messages: int = 0
    tools: tuple[OfferedTool, ...] = ()
    remarks: tuple[ContextRemark, ...] = ()
    exchanges: tuple[ExchangeTrace, ...] = ()
    retries: tuple[RetryTrace, ...] = ()
    usage: Usage | None = None
    stop: str = ""


@dataclass(frozen=True, slots=True)
class TurnTrace:
    """All rounds of a message in this session."""

    message_id: str
    rounds: tuple[RoundTrace, ...] = ()


def without_pictures(body: bytes) -> bytes:
    """Return `body` with long base64 replaced by its length, in linear time."""
    parts: list[bytes] = []
    done = at = 0
    # One mark at a time: a pattern with both takes twenty times as long.
    ahead = {mark: body.find(mark) for mark in _MARKS}
    while met := [(place, len(mark)) for mark, place in ahead.items() if place >= 0]:
        begin = sum(min(met))
        end = body.find(b'"', begin)
        at = end if end >= 0 else len(body)
        if at - begin > _PICTURE:
            parts += [body[done:begin], b"[%d characters of a picture]" % (at - begin)]
            done = at
        for mark, place in ahead.items():
            if 0 <= place < at:
                ahead[mark] = body.find(mark, at)
    return b"".join([*parts, body[done:]]) if parts else body
