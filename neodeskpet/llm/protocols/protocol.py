"""The interface of a model protocol: a request builder and a decoder, both pure.

`build_request(options, prompt) -> HttpRequest` builds a call; a `Decoder` converts the reply's
events to `WireEvent`s. Neither does I/O, so every protocol error can be tested with a recording. A
further protocol is one file and one line in `protocol_list.py`.

`feed`, `read_body` and `end` are generators: what was decoded before an error in the same chunk is
yielded first, then the `LlmError` is raised.
"""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any, Protocol
from urllib.parse import urlsplit, urlunsplit

from neodeskpet.core.errors import LlmError
from neodeskpet.core.json_text import read_json
from neodeskpet.core.model import ModelRequest, Vectors
from neodeskpet.core.wire import WireEvent
from neodeskpet.llm.protocols.stream.sse import SseEvent


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """The endpoint, the model and its parameters; None and "" mean the provider's default.

    `base_url` is as the user wrote it: with or without `/v1`, or the complete route. `thinking` is
    off, on (the service decides how much), low, medium or high. `headers` and `extra` are added
    unchanged. `dropped` names parameters that this endpoint refused; they are not sent again. If
    `parallel` is false, a reply should call at most one tool, if the service has such a parameter.
    """

    base_url: str
    model: str
    key: str = field(default="", repr=False)
    stream: bool = True
    max_tokens: int | None = None
    temperature: float | None = None
    thinking: str = ""
    parallel: bool = True
    headers: Mapping[str, str] = field(default_factory=dict)
    extra: Mapping[str, object] = field(default_factory=dict)
    dropped: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class MultipartForm:
    """A file and the `fields` beside it, sent as multipart/form-data."""

    fields: Mapping[str, str]
    file_field: str
    file_name: str
    media_type: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """An HTTP request. Keys are only in `headers`. `repr` leaves out the headers and the body,
    which may contain pictures. `body` is JSON, None for a GET; a `form` is sent instead of it.
    """

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: Mapping[str, object] | None = field(default=None, repr=False)
    form: MultipartForm | None = None


class Decoder(Protocol):
    """Decodes one response: feed it events (or one complete body), then call `end` once at EOF."""

    @property
    def finish_reason(self) -> str | None:
        """The stop reason as the provider wrote it, also if the response failed afterwards."""
        ...

    @property
    def done(self) -> bool:
        """The terminator was received: nothing more must be read."""
        ...

    @property
    def settled(self) -> bool:
        """The reply is complete, although its terminator may still come: EOF, a connection error or
        a long silence ends it.
        """
        ...

    @property
    def doubted(self) -> bool:
        """The reply continued after its finish reason. Only EOF or the terminator ends such a
        reply: after a connection error or a long silence it is incomplete.
        """
        ...

    @property
    def silence(self) -> float | None:
        """The seconds of silence after which `fall_silent` must be called; None for never."""
        ...

    def feed(self, *events: SseEvent) -> Iterator[WireEvent]:
        """Decode until the terminator. What came before an error is yielded before it."""
        ...

    def fall_silent(self) -> Iterator[WireEvent]:
        """Decide what it means that nothing was received for `silence` seconds."""
        ...

    def read_body(self, body: object) -> Iterator[WireEvent]:
        """Decode a reply that isn't streamed, parsed from JSON. Raises BadReply if it isn't one."""
        ...

    def end(self) -> Iterator[WireEvent]:
        """Yield `ResponseFinished`, once and last. Raises StreamBroken without a terminator."""
        ...

    def resume(self, request: HttpRequest) -> HttpRequest | None:
        """If the reply to `request` only paused, return the request that continues it, whose reply
        this decoder reads next. Otherwise None.
        """
        ...


@dataclass(frozen=True, slots=True)
class EmbeddingForm:
    """How a protocol requests vectors. `build(options, texts, query)` builds one request for at
    most `most` texts; `read(body, count)` reads that number of vectors from the JSON answer, and
    raises BadReply if they are missing.
    """

    build: Callable[[ModelOptions, Sequence[str], bool], HttpRequest]
    read: Callable[[object, int], Vectors]
    most: int


@dataclass(frozen=True, slots=True)
class ModelProtocol:
    """One protocol. `build_listing` requests the list of models (its `model` is not used),
    `read_listing` reads their names from the JSON answer. `embedding` is None if the protocol has
    no vectors. `refusable` are parameters that an endpoint may refuse with status 400 and that can
    be left out: their place in the body ("a.b"), and a pattern that finds them in the error
    message.
    """

    name: str
    build_request: Callable[[ModelOptions, ModelRequest], HttpRequest]
    new_decoder: Callable[[], Decoder]
    build_listing: Callable[[ModelOptions], HttpRequest]
    read_listing: Callable[[object], list[str]]
    refusable: Mapping[str, str] = field(default_factory=dict)
    embedding: EmbeddingForm | None = None

    def relax(
        self, options: ModelOptions, request: HttpRequest, error: LlmError
    ) -> ModelOptions | None:
        """Return the options without the parameters of `request` that `error` names; None if it
        names none. A parameter that is refused a second time, in the form that `build_request` gave
        it then, is in `dropped` with a "!".
        """
        if error.status not in (400, 422):
            return None
        words = f"{error.detail} {json.dumps(error.raw, default=str)}"
        named = {
            name + "!" * (name in options.dropped)
            for name, pattern in self.refusable.items()
            if _holds(request.body, name) and re.search(pattern, words)
        }
        fresh = named - options.dropped
        return replace(options, dropped=options.dropped | fresh) if fresh else None


def _holds(body: object, place: str) -> bool:
    for key in place.split("."):
        if not isinstance(body, Mapping) or key not in body:
            return False
        body = body[key]
    return True


_LOCAL = (".local", ".localhost", ".lan", ".home", ".internal", ".home.arpa")
_VERSION = re.compile(r"v\d+[a-z0-9]*", re.IGNORECASE)


def endpoint_url(base_url: str, version: str, path: str, ends: Sequence[str] = ()) -> str:
    """Return the URL of `path` ("/chat/completions") below the base URL that the user wrote. A
    complete route (one that ends with `path`) is used as it is. `version` ("/v1") is inserted
    unless a part of the address is already a version. Other known routes in `ends` are removed
    first. A query is kept. Without a scheme, https is used, and http in the local network. Raises
    ValueError if it is not an address.
    """
    text = base_url.strip()
    if "://" not in text:
        text = f"{'http' if is_local(text) else 'https'}://{text}"
    parts = urlsplit(text)
    _ = parts.port  # raises ValueError for an invalid port
    place = parts.path.rstrip("/")
    for end in ends:
        place = place.removesuffix(end)
    if not place.endswith(path):
        versioned = any(_VERSION.fullmatch(part) for part in place.split("/"))
        place += path if versioned or "/deployments/" in place else version + path
    return urlunsplit((parts.scheme, parts.netloc, place, parts.query, ""))


def is_local(address: str) -> bool:
    """Return whether `address` (with or without a scheme) is this computer or in a private
    network.
    """
    text = address if "://" in address else f"//{address}"
    try:
        host = urlsplit(text).hostname or ""
    except ValueError:
        return False
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_private
    except ValueError:
        named = "." not in host and "://" in address  # without a scheme it may be incomplete
        return host == "localhost" or host.endswith(_LOCAL) or (bool(host) and named)


def is_unencrypted(address: str) -> bool:
    """Return whether data sent to `address` (a URL) reaches another computer without encryption."""
    parts = urlsplit(address)
    host = (parts.hostname or "").partition("%")[0]
    if parts.scheme != "http" or host == "localhost" or host.endswith(".localhost"):
        return False
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return True
    return not (found.is_loopback or found.is_unspecified)  # users write 0.0.0.0 for this computer


def read_ids(body: object) -> list[str]:
    """Return the names of the models in `{"data": [{"id": …}]}`, or in the list alone, sorted."""
    rows = body.get("data") if isinstance(body, dict) else body
    names = {as_text(as_dict(row).get("id")) for row in as_list(rows)}
    return sorted(names - {""})


def compact_json(value: object) -> str:
    """Return `value` as JSON text, for arguments and opaque parts."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def as_dict(value: Any) -> dict[str, Any]:
    """Return `value` if it is a JSON object, otherwise an empty one: gateways send null and
    worse.
    """
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else ""


_NO_REASON = frozenset({"null", "none", "undefined", "finish_reason_unspecified", "unspecified"})


def as_reason(value: Any) -> str:
    """Return the finish reason in `value`; "" for none, also where a gateway writes "none" as
    text.
    """
    reason = as_text(value)
    return "" if reason.casefold() in _NO_REASON else reason


def as_index(value: Any) -> int | None:
    """Return a number that distinguishes parts, also written as "0" or 0.0; None if there is
    none.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return value if isinstance(value, int) else None


def as_arguments(value: Any) -> str:
    """Return the arguments of a call, or a piece of them, as text: they come as JSON text or as a
    value. None means no arguments. A value that isn't an object is kept, and refused when it is
    read.
    """
    if value is None:
        return ""
    return value if isinstance(value, str) else compact_json(value)


_ENVELOPES = ("data", "result", "response", "body")


def unwrap_reply(body: Any, *keys: str) -> Any:
    """Return `body`, or the object inside it if a gateway wrapped the reply (`{"data": {"choices":
    …}}`). `keys` are the fields of which a reply has at least one.
    """
    if not isinstance(body, dict) or any(key in body for key in keys):
        return body
    for name in _ENVELOPES:
        inner = body.get(name)
        if isinstance(inner, dict) and any(key in inner for key in keys):
            return inner
    return body


def as_count(value: Any) -> int:
    """Return a number of tokens: 0 for anything that isn't a number, also NaN and 1e999."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        return 0
    return int(value)


def read_opaque(opaque: str, protocol: str) -> Any:
    """Return the value that `protocol` put into an opaque part; None if another protocol wrote
    it.
    """
    try:
        value = read_json(opaque) if opaque else None
    except ValueError:
        return None
    return as_dict(value).get(protocol)


def write_opaque(protocol: str, value: object) -> str:
    """Make an opaque part that only `protocol` can read."""
    return compact_json({protocol: value})
