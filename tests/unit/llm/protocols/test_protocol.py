from __future__ import annotations

from dataclasses import replace

import pytest

from neodeskpet.core.errors import RequestRefused, ServiceFailed
from neodeskpet.llm.protocols.openai_chat import PROTOCOL
from neodeskpet.llm.protocols.protocol import (
    HttpRequest,
    ModelOptions,
    as_count,
    endpoint_url,
    is_local,
    read_ids,
    read_opaque,
    write_opaque,
)
from neodeskpet.llm.protocols.protocol_list import PROTOCOLS

CHAT = "/chat/completions"


@pytest.mark.parametrize(
    ("written", "called"),
    [
        ("https://api.openai.com", "https://api.openai.com/v1/chat/completions"),
        ("https://api.openai.com/", "https://api.openai.com/v1/chat/completions"),
        (" https://api.openai.com/v1 ", "https://api.openai.com/v1/chat/completions"),
        ("https://api.openai.com/v1/", "https://api.openai.com/v1/chat/completions"),
        ("https://h/v1/chat/completions", "https://h/v1/chat/completions"),
        ("https://h/v1/chat/completions/", "https://h/v1/chat/completions"),
        ("https://h/api/v3", "https://h/api/v3/chat/completions"),
        ("https://h/v1beta/openai", "https://h/v1beta/openai/chat/completions"),
        ("https://openrouter.ai/api", "https://openrouter.ai/api/v1/chat/completions"),
        ("https://h/v1/models", "https://h/v1/chat/completions"),
        ("https://h/v1?x=1", "https://h/v1/chat/completions?x=1"),
        ("https://h/v1#frag", "https://h/v1/chat/completions"),
        ("api.openai.com/v1", "https://api.openai.com/v1/chat/completions"),
        ("localhost:11434", "http://localhost:11434/v1/chat/completions"),
        ("127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1/chat/completions"),
        ("[::1]:8080", "http://[::1]:8080/v1/chat/completions"),
    ],
)
def test_base_urls_as_people_write_them(written: str, called: str) -> None:
    assert endpoint_url(written, "/v1", CHAT, ends=("/models",)) == called


def test_a_complete_route_is_recognised() -> None:
    once = endpoint_url("h", "/v1", CHAT)
    assert endpoint_url(once, "/v1", CHAT) == once


def test_local_addresses() -> None:
    for local in ("localhost", "http://localhost:1", "10.1.2.3:80", "192.168.0.2", "pi.local"):
        assert is_local(local), local
    for other in ("example.com", "https://8.8.8.8", "", "[bad", "notlocalhost"):
        assert not is_local(other), other


def test_a_refused_parameter_is_dropped_once() -> None:
    options = ModelOptions("h", "m")
    request = HttpRequest("POST", "u", {}, {"stream_options": {}, "model": "m"})
    error = RequestRefused("Unknown parameter: 'stream_options'.", status=400)
    relaxed = PROTOCOL.relax(options, request, error)
    assert relaxed is not None
    assert relaxed.dropped == {"stream_options"}
    without = HttpRequest("POST", "u", {}, {"model": "m"})
    assert PROTOCOL.relax(relaxed, without, error) is None


def test_the_second_form_of_a_parameter_may_be_refused_too() -> None:
    request = HttpRequest("POST", "u", {}, {"config": {"thinking": {}}})
    protocol = replace(PROTOCOL, refusable={"config.thinking": "thinking"})
    error = RequestRefused("thinking isn't supported", status=400)
    once = protocol.relax(ModelOptions("h", "m"), request, error)
    assert once is not None
    twice = protocol.relax(once, request, error)
    assert twice is not None
    assert twice.dropped == {"config.thinking", "config.thinking!"}
    assert protocol.relax(twice, request, error) is None
    assert protocol.relax(once, HttpRequest("POST", "u", {}, {"config": 1}), error) is None


def test_a_refused_parameter_may_be_named_only_in_the_error_object() -> None:
    request = HttpRequest("POST", "u", {}, {"stream_options": {}})
    raw = {"detail": [{"loc": ["body", "stream_options"], "msg": "Extra inputs"}]}
    error = RequestRefused("Extra inputs", status=422, raw=raw)
    assert PROTOCOL.relax(ModelOptions("h", "m"), request, error) is not None


def test_no_other_parameter_is_dropped() -> None:
    options = ModelOptions("h", "m")
    request = HttpRequest("POST", "u", {}, {"stream_options": {}})
    for error in (
        RequestRefused("temperature is unknown", status=400),
        RequestRefused("model is unknown", status=400),
        ServiceFailed("stream_options", status=500),
    ):
        assert PROTOCOL.relax(options, request, error) is None


def test_opaque_parts_are_read_only_by_their_own_protocol() -> None:
    opaque = write_opaque("anthropic", {"signature": "s"})
    assert read_opaque(opaque, "anthropic") == {"signature": "s"}
    for protocol, text in (("gemini", opaque), ("anthropic", "no json"), ("x", ""), ("x", "[]")):
        assert read_opaque(text, protocol) is None


def test_names_in_a_list_of_models() -> None:
    rows = [{"id": "b"}, {"id": "a"}, {"id": None}, {}, 3, {"id": "a"}]
    assert read_ids({"data": rows}) == read_ids(rows) == ["a", "b"]
    assert read_ids("x") == read_ids({}) == []


def test_counts() -> None:
    assert [as_count(v) for v in (3, 3.7, None, "3", True)] == [3, 3, 0, 0, 0]


def test_each_protocol_has_its_own_name() -> None:
    assert all(name == protocol.name for name, protocol in PROTOCOLS.items())
