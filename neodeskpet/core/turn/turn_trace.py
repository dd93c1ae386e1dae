"""What happened in a turn beside what its message says: requests, times, tries, what was left out.

A `TurnTrace` holds it as values; whoever sends a request tells an `Exchange` of it through the
`Tracer` that the request brings along (`core.model.ModelRequest`).
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
"""Bytes of base64 from which on it is a picture, and not kept."""
_MARKS = (b";base64,", b'"data":"')
"""After these it may begin."""


@dataclass(frozen=True, slots=True)
class ContextRemark:
    """What a source of the context wants told of a round: what it left out, or brought in. `text`
    is the thing itself, in the words of others, "" for none. `lacks`: the model was told less than
    there is; `of_memory`: and what it lacks is memory, so asking again may help.
    """

    words: Reason
    text: str = ""
    lacks: bool = False
    of_memory: bool = False


@dataclass(frozen=True, slots=True)
class OutgoingRequest:
    """A request over the network, before it goes out. `label` is the model; `headers` hold no
    keys; `hide` takes the key out of any text.
    """

    label: str
    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    hide: Callable[[str], str] = field(default=str, repr=False, compare=False)


class HttpExchange(Protocol):
    """Hears of one request over the network. It must be quick: the reply waits meanwhile."""

    def sent(self, body: bytes) -> None:
        """This goes out now."""
        ...

    def received(self, chunk: bytes) -> None:
        """This came in."""
        ...

    def ended(self, error: LlmError | None = None) -> None:
        """The last that is told: the connection is done with."""
        ...


class Tracer(Protocol):
    """Is told of every request that a `ModelRequest` leads to."""

    def exchange(self, sending: OutgoingRequest) -> HttpExchange: ...


@dataclass(frozen=True, slots=True)
class RequestError:
    """How a request failed: the code of an `LlmError`, its HTTP status if it had one, and the
    service's own words.
    """

    code: str
    params: Mapping[str, str] = field(default_factory=dict)
    status: int | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ExchangeTrace:
    """One request and its response. Times are unix seconds, None for what didn't happen. The
    bodies are as they went over the network, without pictures, and cut where they are very long;
    `size` counts all bytes of the response. `dropped`: there was no room to keep the bodies.
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
    """Nothing had come of the reply, and it was tried again after `delay` seconds: the same model,
    or the next.
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
    """One call of the model, with its retries. Times are unix seconds; `shown` is when the first of
    the reply was shown. `usage` is what it cost, None where nothing was reported.
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
    """All rounds of a message that were seen in this session."""

    message_id: str
    rounds: tuple[RoundTrace, ...] = ()


def without_pictures(body: bytes) -> bytes:
    """`body` with its long stretches of base64 named by their length. Linear in its length."""
    parts: list[bytes] = []
    done = at = 0
    # Each mark by itself: a pattern of both takes twenty times as long.
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
