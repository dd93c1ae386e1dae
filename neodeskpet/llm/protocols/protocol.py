"""What a model protocol is: two pure parts, a request builder and a decoder.

`build_request(options, prompt) -> HttpRequest` writes a call; a `Decoder` turns the reply's events
into `WireEvent`s. Neither does I/O, so every fault on the wire is a test with a recording. A
further protocol is one file and one line in `adapters.py`.

`feed`, `read_body` and `end` are generators: what was decoded before a fault in the same chunk is
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
    """An endpoint, a model and how it is asked; None and "" mean the provider's default.

    `base_url` as people write it: with or without `/v1`, or the whole route. `thinking` is off, on
    (as the service thinks right), low, medium or high. `headers` and `extra` are added as they
    are. `dropped` names parameters this endpoint refused; they are not sent again. Without
    `parallel` a reply is to call one tool at most, where the service can be told so.
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
    """A file, and the `fields` beside it, sent as multipart/form-data."""

    fields: Mapping[str, str]
    file_field: str
    file_name: str
    media_type: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """Keys are only in `headers`, which `repr` leaves out, as it does the body (there may be
    pictures in it). `body` is JSON, None for a GET; a `form` is sent instead of it.
    """

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: Mapping[str, object] | None = field(default=None, repr=False)
    form: MultipartForm | None = None


class Decoder(Protocol):
    """One response: feed it events (or one whole body), then call `end` once at EOF."""

    @property
    def finish_reason(self) -> str | None:
        """The provider's own word, also when the response failed after it came."""
        ...

    @property
    def done(self) -> bool:
        """The terminator came: nothing more is to be read."""
        ...

    @property
    def settled(self) -> bool:
        """The reply is whole, though its terminator may still come: EOF, a fault of the connection
        and a long silence are its end.
        """
        ...

    @property
    def doubted(self) -> bool:
        """The reply went on after its finish reason. Only EOF or the terminator ends such a reply:
        a fault of the connection or a long silence means that it broke off.
        """
        ...

    @property
    def silence(self) -> float | None:
        """The seconds of silence after which `fall_silent` is to be called; None: at no time."""
        ...

    def feed(self, *events: SseEvent) -> Iterator[WireEvent]:
        """Reads as far as the terminator. What came before a fault is yielded before it."""
        ...

    def fall_silent(self) -> Iterator[WireEvent]:
        """What it means that nothing came for `silence` seconds."""
        ...

    def read_body(self, body: object) -> Iterator[WireEvent]:
        """A reply that isn't streamed, parsed from JSON. Raises BadReply if it isn't one."""
        ...

    def end(self) -> Iterator[WireEvent]:
        """Yields `ResponseFinished`, once and last. Raises StreamBroken without a terminator."""
        ...

    def resume(self, request: HttpRequest) -> HttpRequest | None:
        """If the reply to `request` only paused: the request that goes on, whose reply this
        decoder reads next. Else None.
        """
        ...


@dataclass(frozen=True, slots=True)
class EmbeddingForm:
    """How a protocol asks for vectors. `build(options, texts, query)` words one request for at most
    `most` texts; `read(body, count)` takes as many vectors from the JSON answer, and raises
    BadReply if they aren't there.
    """

    build: Callable[[ModelOptions, Sequence[str], bool], HttpRequest]
    read: Callable[[object, int], Vectors]
    most: int


@dataclass(frozen=True, slots=True)
class ModelProtocol:
    """`build_listing` asks for the models on offer (its `model` is not used), `read_listing` takes
    their names from the JSON answer. `embedding` is None where the protocol has no vectors.

    `refusable` are the parameters that an endpoint may refuse in a 400 and that the model can be
    asked without: their place in the body ("a.b") and a pattern of the words that name them.
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
        """The options without what `error` names of `request`'s parameters; None if nothing.

        A parameter that is refused a second time, in the form that `build_request` gave it then,
        is in `dropped` with a "!".
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
    """The address of `path` ("/chat/completions") below what a person wrote as base URL.

    A whole route (one that ends with `path`) is taken as it is. `version` ("/v1") is put in
    between unless a part of the address is a version already. Other known routes in `ends` are
    cut off first. A query stays; without a scheme https is meant, http for the local network.
    Raises ValueError if it is no address.
    """
    text = base_url.strip()
    if "://" not in text:
        text = f"{'http' if is_local(text) else 'https'}://{text}"
    parts = urlsplit(text)
    _ = parts.port  # a number that no port has is a ValueError
    place = parts.path.rstrip("/")
    for end in ends:
        place = place.removesuffix(end)
    if not place.endswith(path):
        versioned = any(_VERSION.fullmatch(part) for part in place.split("/"))
        place += path if versioned or "/deployments/" in place else version + path
    return urlunsplit((parts.scheme, parts.netloc, place, parts.query, ""))


def is_local(address: str) -> bool:
    """Whether `address` (with or without a scheme) is this machine or a private network."""
    text = address if "://" in address else f"//{address}"
    try:
        host = urlsplit(text).hostname or ""
    except ValueError:
        return False
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_private
    except ValueError:
        named = "." not in host and "://" in address  # without a scheme it may be half an address
        return host == "localhost" or host.endswith(_LOCAL) or (bool(host) and named)


def is_unencrypted(address: str) -> bool:
    """Whether what is sent to `address` (a URL) reaches another computer without encryption."""
    parts = urlsplit(address)
    host = (parts.hostname or "").partition("%")[0]
    if parts.scheme != "http" or host == "localhost" or host.endswith(".localhost"):
        return False
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return True
    return not (found.is_loopback or found.is_unspecified)  # people write 0.0.0.0 for here


def read_ids(body: object) -> list[str]:
    """The names of the models in `{"data": [{"id": …}]}`, or in the list alone, sorted."""
    rows = body.get("data") if isinstance(body, dict) else body
    names = {as_text(as_dict(row).get("id")) for row in as_list(rows)}
    return sorted(names - {""})


def compact_json(value: object) -> str:
    """`value` as JSON text, for arguments and opaque parts."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def as_dict(value: Any) -> dict[str, Any]:
    """`value` if it is a JSON object, else an empty one: gateways send null and worse."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else ""


_NO_REASON = frozenset({"null", "none", "undefined", "finish_reason_unspecified", "unspecified"})


def as_reason(value: Any) -> str:
    """The finish reason in `value`; "" for none, also where a gateway writes that as a word."""
    reason = as_text(value)
    return "" if reason.casefold() in _NO_REASON else reason


def as_index(value: Any) -> int | None:
    """A number that tells parts apart, also written as "0" or 0.0; None if there is none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return value if isinstance(value, int) else None


def as_arguments(value: Any) -> str:
    """The arguments of a call, or a piece of them, as text: they come as JSON text or as a value.

    None is no arguments. A value that isn't an object is kept, and refused when it is read.
    """
    if value is None:
        return ""
    return value if isinstance(value, str) else compact_json(value)


_ENVELOPES = ("data", "result", "response", "body")


def unwrap_reply(body: Any, *keys: str) -> Any:
    """`body`, or the object inside it if a gateway wrapped the reply (`{"data": {"choices": …}}`).
    `keys` are the fields of which a reply has at least one.
    """
    if not isinstance(body, dict) or any(key in body for key in keys):
        return body
    for name in _ENVELOPES:
        inner = body.get(name)
        if isinstance(inner, dict) and any(key in inner for key in keys):
            return inner
    return body


def as_count(value: Any) -> int:
    """A number of tokens: 0 for anything that isn't a number, also NaN and 1e999."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        return 0
    return int(value)


def read_opaque(opaque: str, protocol: str) -> Any:
    """What `protocol` put into an opaque part; None if another protocol wrote it."""
    try:
        value = read_json(opaque) if opaque else None
    except ValueError:
        return None
    return as_dict(value).get(protocol)


def write_opaque(protocol: str, value: object) -> str:
    """An opaque part that only `protocol` reads back."""
    return compact_json({protocol: value})
