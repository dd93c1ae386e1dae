"""The client against a real server on loopback."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import zlib
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from contextlib import aclosing
from typing import Any

import pytest

from neodeskpet.core.errors import (
    BadReply,
    InvalidAddress,
    LlmError,
    NotFound,
    RateLimited,
    ReplyError,
    ReplyTimedOut,
    RequestRefused,
    ServiceFailed,
    StreamBroken,
    ToolsUnsupported,
    Unauthorized,
    Unreachable,
    UntrustedCertificate,
    WrongProtocol,
)
from neodeskpet.core.model import Model, ModelRequest
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.transcript import TextPart, UserTurn
from neodeskpet.core.turn.turn_trace import OutgoingRequest
from neodeskpet.core.wire import (
    ResponseFinished,
    StopReason,
    TextDelta,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
    UsageReported,
    WireEvent,
)
from neodeskpet.language import translate_error
from neodeskpet.llm.chain.model_wrappers import is_retryable
from neodeskpet.llm.http_client import HttpClient, HttpModel
from neodeskpet.llm.protocols.protocol import HttpRequest, ModelOptions
from neodeskpet.llm.protocols.protocol_list import PROTOCOLS
from tests.support.sseserver import (
    CUT,
    HANG,
    HOLD,
    RESET,
    Pause,
    ScriptedServer,
    check_history,
    chunk,
    done,
    error,
    event,
    finish,
    text,
    tool_call,
    usage,
)
from tests.support.tlsserver import tls_server

REQUEST = ModelRequest("Be brief.", [UserTurn((TextPart("hi \ud83d"),))])
WITH_TOOLS = ModelRequest("", [UserTurn((TextPart("hi"),))], tools=(ToolSpec("a.b", "x"),))
KEY = "sk-secret-123"


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as scripted:
        yield scripted


def run(job: Callable[[HttpClient], Coroutine[Any, Any, Any]]) -> Any:
    async def main() -> Any:
        client = HttpClient()
        try:
            return await job(client)
        finally:
            await client.aclose()

    return asyncio.run(main())


def model(client: HttpClient, url: str, **settings: Any) -> HttpModel:
    options = ModelOptions(url, "m")
    return HttpModel(client, PROTOCOLS["openai"], options, **({"key": KEY} | settings))


async def gather(
    events: AsyncGenerator[WireEvent, None],
) -> tuple[list[WireEvent], LlmError | None]:
    out: list[WireEvent] = []
    try:
        async with aclosing(events):
            async for event in events:
                out.append(event)  # noqa: PERF401 - what came before a fault is kept
    except LlmError as failed:
        return out, failed
    return out, None


def ask(
    url: str, request: ModelRequest = REQUEST, **settings: Any
) -> tuple[list[WireEvent], LlmError | None]:
    async def job(client: HttpClient) -> tuple[list[WireEvent], LlmError | None]:
        return await gather(model(client, url, **settings).stream(request))

    result: tuple[list[WireEvent], LlmError | None] = run(job)
    return result


def failure(url: str, request: ModelRequest = REQUEST, **settings: Any) -> LlmError:
    _, failed = ask(url, request, **settings)
    assert failed is not None
    return failed


def test_a_reply_streams(server: ScriptedServer) -> None:
    server.reply(text("Hel"), text("lo"), finish(), usage(3, 2), done())
    events, failed = ask(server.url)
    assert failed is None
    assert [type(event) for event in events] == [
        TextDelta,
        TextDelta,
        UsageReported,
        ResponseFinished,
    ]
    request = server.requests[0]
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["content-type"] == "application/json"
    assert request.body["messages"][-1] == {"role": "user", "content": "hi ?"}


def test_it_is_a_model_with_a_name() -> None:
    async def job(client: HttpClient) -> None:
        named: Model = model(client, "h", label="Claude")
        assert named.label == "Claude"
        assert model(client, "h").label == "m"

    run(job)


def test_each_piece_comes_before_the_next_is_sent(server: ScriptedServer) -> None:
    reply = server.reply(text("a"), HOLD, text("b"), HOLD, finish(), done())

    async def job(client: HttpClient) -> None:
        async with aclosing(model(client, server.url).stream(REQUEST)) as events:
            assert await anext(events) == TextDelta(0, "a")
            assert reply.sent == 1
            reply.release()
            assert await anext(events) == TextDelta(0, "b")
            assert reply.sent == 2
            reply.release()
            assert await anext(events) == ResponseFinished(StopReason.END, "stop")

    run(job)


def test_closing_the_iterator_closes_the_connection(server: ScriptedServer) -> None:
    server.reply(text("a"), HANG)

    async def job(client: HttpClient) -> None:
        events = model(client, server.url).stream(REQUEST)
        await anext(events)
        assert not server.requests[0].closed_early.is_set()
        await events.aclose()
        assert await asyncio.to_thread(server.requests[0].closed_early.wait, 5)

    run(job)


def test_cancelling_the_task_closes_the_connection(server: ScriptedServer) -> None:
    server.reply(HANG)

    async def job(client: HttpClient) -> None:
        asking = asyncio.gather(gather(model(client, server.url).stream(REQUEST)))
        request = await asyncio.to_thread(server.wait_request)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert await asyncio.to_thread(request.closed_early.wait, 5)

    run(job)


def test_the_reply_ends_with_its_terminator_although_the_connection_stays_open(
    server: ScriptedServer,
) -> None:
    server.reply(text("a"), done(), HANG)
    events, failed = ask(server.url)
    assert failed is None
    assert isinstance(events[-1], ResponseFinished)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, RequestRefused), (401, Unauthorized), (403, Unauthorized), (404, NotFound),
        (429, RateLimited), (500, ServiceFailed), (503, ServiceFailed),
    ],
)  # fmt: skip
def test_errors_by_status(server: ScriptedServer, status: int, kind: type[LlmError]) -> None:
    server.reply({"error": {"message": f"no, {KEY}"}}, status=status, headers={"Retry-After": "4"})
    failed = failure(server.url)
    assert type(failed) is kind
    assert failed.detail == "no, •••"
    assert KEY not in f"{failed}{failed.raw}{failed.args}"
    assert failed.retry_after == (4.0 if failed.retryable else None)


def test_tools_unsupported(server: ScriptedServer) -> None:
    words = "this model does not support tools"
    server.reply({"error": {"message": words}}, status=400)
    assert type(failure(server.url, WITH_TOOLS)) is ToolsUnsupported
    server.reply({"error": {"message": words}}, status=400)
    assert type(failure(server.url)) is RequestRefused
    server.reply(error(words))
    assert type(failure(server.url, WITH_TOOLS)) is ToolsUnsupported
    server.reply(error("busy"))
    assert type(failure(server.url, WITH_TOOLS)) is ReplyError


def test_html_instead_of_a_reply(server: ScriptedServer) -> None:
    page = "<html>" + "x" * 1000
    server.reply(page, content_type="text/html")
    failed = failure(server.url)
    assert isinstance(failed, BadReply)
    assert failed.detail == page[:500]
    server.reply(page, status=502, content_type="text/html")
    assert failure(server.url).detail == page[:500]


def test_an_empty_body(server: ScriptedServer) -> None:
    server.reply()
    assert type(failure(server.url)) is BadReply


def test_a_redirect_names_the_other_address(server: ScriptedServer) -> None:
    server.reply(status=301, headers={"Location": "https://other.example/v1"})
    failed = failure(server.url)
    assert type(failed) is BadReply
    assert "https://other.example/v1" in translate_error(failed)[0]


@pytest.mark.parametrize("fault", [CUT, RESET])
def test_a_connection_that_breaks(server: ScriptedServer, fault: Any) -> None:
    server.reply(text("a"), Pause(0.1), fault)
    events, failed = ask(server.url)
    assert events == [TextDelta(0, "a")]
    assert type(failed) is StreamBroken
    assert "The connection" in translate_error(failed)[0]
    server.reply(fault)
    assert type(failure(server.url)) is StreamBroken


def test_a_reply_that_stalls(server: ScriptedServer) -> None:
    server.reply(text("a"), HANG)
    events, failed = ask(server.url, stall=1.0)  # A busy computer takes a while to connect, too.
    assert events == [TextDelta(0, "a")]
    assert type(failed) is StreamBroken
    assert translate_error(failed)[0].endswith("No data for 1 s.")
    assert server.requests[0].closed_early.wait(60)
    server.reply(HANG)
    silent = failure(server.url, stall=1.0)
    assert type(silent) is ReplyTimedOut
    assert not is_retryable(silent)


def test_a_slow_server_has_more_time_to_begin_than_to_continue(server: ScriptedServer) -> None:
    slow = server.reply(HOLD, text("a"), finish(), done())

    async def job(client: HttpClient) -> list[WireEvent]:
        async def wake() -> None:
            await asyncio.to_thread(server.wait_request)
            await asyncio.sleep(1.2)
            slow.release()

        asked = model(client, server.url, stall=1.0, first_byte_timeout=20.0)
        (events, failed), _ = await asyncio.gather(gather(asked.stream(REQUEST)), wake())
        assert failed is None
        return events

    assert isinstance(run(job)[-1], ResponseFinished)
    server.reply(text("a"), HANG)
    events, failed = ask(server.url, stall=0.2, first_byte_timeout=20.0)
    assert events == [TextDelta(0, "a")]
    assert type(failed) is StreamBroken
    assert translate_error(failed)[0].endswith("No data for 0.2 s.")


ENDS: dict[str, list[Any]] = {
    "openai": [text("a"), finish()],
    "anthropic": [
        event({"type": "message_start", "message": {}}),
        event({"type": "content_block_start", "index": 0, "content_block": {"type": "text"}}),
        event({"type": "content_block_delta", "delta": {"type": "text_delta", "text": "a"}}),
        event({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
    ],
    "gemini": [
        event(
            {"candidates": [{"content": {"parts": [{"text": "a"}]}, "finishReason": "STOP"}]},
        )
    ],
}
"""Complete replies without their terminator."""


@pytest.mark.parametrize("last", [HANG, CUT, RESET, b""])
@pytest.mark.parametrize("protocol", ENDS)
def test_a_complete_reply_ends_although_its_connection_stays_open(
    server: ScriptedServer, protocol: str, last: Any
) -> None:
    server.reply(*ENDS[protocol], Pause(0.1), last)

    async def job(client: HttpClient) -> tuple[list[WireEvent], LlmError | None]:
        # Gemini's finish reason comes with content: such a reply ends by the limit for silence.
        options = ModelOptions(server.url, "m")
        asked = HttpModel(client, PROTOCOLS[protocol], options, stall=3.0)
        return await gather(asked.stream(REQUEST))

    events, failed = run(job)
    assert failed is None
    assert [type(event) for event in events] == [TextDelta, ResponseFinished]


@pytest.mark.parametrize("last", [HANG, RESET])
def test_a_complete_body_ends_although_its_connection_stays_open(
    server: ScriptedServer, last: Any
) -> None:
    body = json.dumps({"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}]})
    server.reply(body, Pause(0.1), last)
    events, failed = ask(server.url)
    assert failed is None
    assert events == [TextDelta(0, "a"), ResponseFinished(StopReason.END, "stop")]


def test_a_complete_call_is_ready_after_a_silence(server: ScriptedServer) -> None:
    """Not in the pauses of a slow stream, and not if `{}` may be followed by the real arguments."""
    slow = [tool_call("f", '{"x": {}', "1"), Pause(0.5), tool_call("", "}")]
    reply = server.reply(*slow, HOLD, tool_call("g", "{}", "2", 1), Pause(0.5), finish(), done())

    async def job(client: HttpClient) -> list[WireEvent]:
        out: list[WireEvent] = []
        async with aclosing(model(client, server.url).stream(REQUEST)) as events:
            async for event in events:
                out.append(event)
                if event == ToolCallReady(0):
                    assert reply.sent == 2, "nothing followed it yet"
                    reply.release()
        return out

    assert [type(event) for event in run(job)] == [
        ToolCallStarted,
        ToolArgsDelta,
        ToolArgsDelta,
        ToolCallReady,
        ToolCallStarted,
        ToolArgsDelta,
        ToolCallReady,
        ResponseFinished,
    ]


def test_a_line_without_an_end_fails(server: ScriptedServer) -> None:
    packed = gzip.compress(b"data: " + b"x" * (40 << 20))
    server.reply(packed, headers={"Content-Encoding": "gzip"})
    failed = failure(server.url)
    assert type(failed) is BadReply
    assert "32 MB" in translate_error(failed)[0]


@pytest.mark.parametrize(("coding", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
def test_compressed_replies_are_read(
    server: ScriptedServer, coding: str, pack: Callable[[bytes], bytes]
) -> None:
    packed = pack(text("a") + finish() + done())
    server.reply(packed[:9], packed[9:], headers={"Content-Encoding": coding})
    events, failed = ask(server.url)
    assert failed is None
    assert events == [TextDelta(0, "a"), ResponseFinished(StopReason.END, "stop")]
    assert coding in server.requests[0].headers["accept-encoding"]


@pytest.mark.parametrize("coding", ["gzip, gzip", "br"])
def test_other_encodings_are_refused(server: ScriptedServer, coding: str) -> None:
    packed = gzip.compress(gzip.compress(text("a") + finish() + done()))
    server.reply(packed, headers={"Content-Encoding": coding})
    assert type(failure(server.url)) is BadReply


def test_a_refused_encoding_does_not_hide_the_status(server: ScriptedServer) -> None:
    server.reply(b"x", status=401, headers={"Content-Encoding": "br"})
    assert type(failure(server.url)) is Unauthorized


def test_an_untrusted_certificate() -> None:
    with tls_server() as port:
        failed = failure(f"https://localhost:{port}/v1")
    assert type(failed) is UntrustedCertificate
    assert not is_retryable(failed)
    assert "self-signed" in translate_error(failed)[1]


def test_addresses_of_the_local_network_never_use_a_proxy(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedServer() as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url.removesuffix("/v1"))
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        server.reply(text("a"), finish(), done())
        assert ask(server.url)[1] is None
        # An address of the network for documentation, which isn't a private one here.
        proxy.reply(text("a"), finish(), done())
        assert ask("http://example.invalid/v1", key="")[1] is None
        assert len(proxy.requests) == 1
        assert isinstance(failure("http://neodeskpet-nobody.lan:9/v1", key=""), Unreachable)
        assert len(proxy.requests) == 1


def test_another_protocol_is_recognised(server: ScriptedServer) -> None:
    server.reply(*ENDS["anthropic"])
    failed = failure(server.url)
    assert type(failed) is WrongProtocol
    assert failed.params == {
        "protocol": "anthropic",
        "title": "Anthropic",
        "address": server.url,
    }


def test_a_stream_that_ends_too_early(server: ScriptedServer) -> None:
    server.reply(text("a"))
    assert type(failure(server.url)) is StreamBroken


def test_a_reply_that_is_not_streamed(server: ScriptedServer) -> None:
    server.reply({"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}]})
    events, failed = ask(server.url)
    assert failed is None
    assert events == [TextDelta(0, "a"), ResponseFinished(StopReason.END, "stop")]


def test_a_refused_parameter_is_left_out_from_then_on(server: ScriptedServer) -> None:
    server.reply({"error": {"message": "unknown option stream_options"}}, status=400)
    for _ in range(2):
        server.reply(text("a"), done())

    async def job(client: HttpClient) -> None:
        asked = model(client, server.url)
        for _ in range(2):
            _, failed = await gather(asked.stream(REQUEST))
            assert failed is None

    run(job)
    sent = ["stream_options" in request.body for request in server.requests]
    assert sent == [True, False, False]


def test_nothing_is_requested_again_after_some_output(server: ScriptedServer) -> None:
    server.reply(text("a"), error("stream_options", status_code=400))
    events, failed = ask(server.url)
    assert events == [TextDelta(0, "a")]
    assert type(failed) is ReplyError
    assert len(server.requests) == 1


def test_a_history_that_the_provider_would_refuse() -> None:
    with ScriptedServer(check_history) as strict:
        strict.reply(text("a"), done())
        assert ask(strict.url)[1] is None
    call = {"id": "1", "function": {"name": "f", "arguments": "{}"}}
    result = {"role": "tool", "tool_call_id": "1", "content": "x"}
    asked = {"role": "assistant", "tool_calls": [call]}
    assert check_history({"messages": [asked, result]}) is None
    for wrong in (
        [asked],
        [result],
        [asked, {"role": "user"}, result],
        [asked, result, result],
        [{"role": "assistant", "tool_calls": [call, call]}, result],
    ):
        assert check_history({"messages": wrong})


def test_no_server() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        failed = failure(f"http://127.0.0.1:{taken.getsockname()[1]}/v1")
    assert type(failed) is Unreachable
    assert "doesn't answer" in translate_error(failed)[0]
    assert failed.detail not in translate_error(failed)[0]


def test_an_unknown_host() -> None:
    failed = failure("https://nowhere.invalid/v1")
    assert type(failed) is Unreachable
    assert (
        "There is no computer named nowhere.invalid, or there is no network."
        in translate_error(failed)[0]
    )
    assert "Errno" not in " ".join(translate_error(failed))


@pytest.mark.parametrize("protocol", sorted(PROTOCOLS))
@pytest.mark.parametrize(
    "url",
    [
        "",
        "ftp://127.0.0.1/v1",
        "http://[::1",
        "http://[::1/v1",
        "http://127.0.0.1:x/v1",
        "http://127.0.0.1:99999/v1",
    ],
)
def test_invalid_addresses(url: str, protocol: str) -> None:
    async def job(client: HttpClient) -> LlmError | None:
        asked = HttpModel(client, PROTOCOLS[protocol], ModelOptions(url, "m"))
        return (await gather(asked.stream(REQUEST)))[1]

    failed = run(job)
    assert type(failed) is InvalidAddress
    assert not is_retryable(failed)


def test_invalid_keys() -> None:
    for key in ("钥匙", "a key\nof two lines"):
        assert type(failure("http://127.0.0.1:9/v1", key=key)) is Unauthorized


def test_the_key_is_read_for_each_request(server: ScriptedServer) -> None:
    keys = iter(["first-key\n", "second-key"])
    for _ in range(2):
        server.reply(text("a"), done())

    async def job(client: HttpClient) -> None:
        async def ask() -> str:
            return next(keys)

        asked = model(client, server.url, key=ask)
        for _ in range(2):
            await gather(asked.stream(REQUEST))

    run(job)
    sent = [request.headers["authorization"] for request in server.requests]
    assert sent == ["Bearer first-key", "Bearer second-key"]


def test_a_proxy_is_not_used_for_this_computer(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    server.reply(text("a"), done())
    assert ask(server.url)[1] is None


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:9", "socks://127.0.0.1:9"])
def test_an_unusable_proxy_is_ignored(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("all_proxy", proxy)
    server.reply(text("a"), done())
    assert ask(server.url)[1] is None


def test_a_dead_proxy_is_named_instead_of_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    error = ask("https://api.example.com/v1")[1]
    assert isinstance(error, Unreachable)
    assert "The proxy 127.0.0.1:9 can't be reached" in str(error)
    assert "api.example.com" not in str(error)


def test_other_tasks_run_during_a_burst(server: ScriptedServer) -> None:
    server.reply(b"".join(text(str(number)) for number in range(2000)) + done())

    async def job(client: HttpClient) -> int:
        turns = 0

        async def count() -> None:
            nonlocal turns
            while True:
                await asyncio.sleep(0)
                turns += 1

        async with asyncio.TaskGroup() as group:
            counting = group.create_task(count())
            events = model(client, server.url).stream(REQUEST)
            await anext(events)
            before = turns
            async for _ in events:
                pass
            counting.cancel()
        return turns - before

    assert run(job) >= 10


class _Sent:
    """Records how many times other tasks had run when the request was written."""

    def __init__(self, turns: list[None]) -> None:
        self._turns = turns
        self.at: list[int] = []

    def exchange(self, _sending: OutgoingRequest) -> _Sent:
        self._turns.clear()
        return self

    def sent(self, _body: bytes) -> None:
        self.at.append(len(self._turns))

    def received(self, _chunk: bytes) -> None: ...

    def ended(self, error: LlmError | None = None) -> None: ...


def test_other_tasks_run_while_a_long_request_is_written(server: ScriptedServer) -> None:
    server.reply(text("a"), done())
    message = UserTurn((TextPart("word " * 300_000),))

    async def job(client: HttpClient) -> list[int]:
        turns: list[None] = []

        async def count() -> None:
            while True:
                await asyncio.sleep(0)
                turns.append(None)

        seen = _Sent(turns)
        async with asyncio.TaskGroup() as group:
            counting = group.create_task(count())
            await gather(model(client, server.url).stream(
                ModelRequest("", [message] * 6, tracer=seen)
            ))  # fmt: skip
            counting.cancel()
        return seen.at

    assert run(job)[0] >= 5


def _claude(*blocks: dict[str, Any], reason: str) -> bytes:
    told = [event({"type": "message_start", "message": {}})]
    for index, block in enumerate(blocks):
        told.append(event({"type": "content_block_start", "index": index, "content_block": block}))
        told.append(event({"type": "content_block_stop", "index": index}))
    told.append(event({"type": "message_delta", "delta": {"stop_reason": reason}}))
    return b"".join(told) + event({"type": "message_stop"})


def test_a_paused_reply_is_continued(server: ScriptedServer) -> None:
    said = {"type": "text", "text": "a"}
    server.reply(_claude(said, reason="pause_turn"))
    server.reply(_claude({"type": "text", "text": "b"}, reason="end_turn"))

    async def job(client: HttpClient) -> tuple[list[WireEvent], LlmError | None]:
        claude = HttpModel(client, PROTOCOLS["anthropic"], ModelOptions(server.url, "m"), key=KEY)
        return await gather(claude.stream(REQUEST))

    events, failed = run(job)
    assert failed is None
    assert [type(event) for event in events] == [TextDelta, TextDelta, ResponseFinished]
    assert events[-1] == ResponseFinished(StopReason.END, "end_turn")
    assert server.requests[1].body["messages"][-1] == {"role": "assistant", "content": [said]}
    assert server.requests[1].headers["x-api-key"] == KEY


def test_a_reply_that_pauses_without_an_end(server: ScriptedServer) -> None:
    for _ in range(10):
        server.reply(_claude(reason="pause_turn"))

    async def job(client: HttpClient) -> LlmError | None:
        claude = HttpModel(client, PROTOCOLS["anthropic"], ModelOptions(server.url, "m"))
        return (await gather(claude.stream(REQUEST)))[1]

    assert type(run(job)) is StreamBroken


def test_downloading_a_page(server: ScriptedServer) -> None:
    server.pages["/v1/models"] = {"data": [{"id": "m"}]}
    server.pages["/v1/page"] = "<html>"

    async def job(client: HttpClient) -> None:
        request = HttpRequest("GET", f"{server.url}/models")
        assert await client.fetch(request) == {"data": [{"id": "m"}]}
        with pytest.raises(BadReply):
            await client.fetch(HttpRequest("GET", f"{server.url}/page"))
        with pytest.raises(NotFound):
            await client.fetch(HttpRequest("GET", f"{server.url}/nothing"))

    run(job)


def test_a_header_that_the_server_echoes_is_hidden(server: ScriptedServer) -> None:
    echo = "Bad request: Authorization: Basic bWU6b3BlbiBzZXNhbWU= (and Bearer abcdef123456)"
    server.reply({"error": {"message": echo}}, status=400)
    failed = failure(server.url)
    assert failed.detail == "Bad request: Authorization: Basic [hidden] (and Bearer [hidden])"


def test_a_finish_reason_with_content_is_the_end_only_if_nothing_follows(
    server: ScriptedServer,
) -> None:
    said = chunk({"content": "One."}, "stop")
    server.reply(said, RESET)
    assert ask(server.url)[1] is None
    server.reply(said, HANG)
    events, failed = ask(server.url, stall=0.5)
    assert failed is None
    assert events == [TextDelta(0, "One."), ResponseFinished(StopReason.END, "stop")]


@pytest.mark.parametrize("last", [RESET, HANG])
def test_a_reply_that_continued_after_its_end_and_breaks_is_reported(
    server: ScriptedServer, last: Any
) -> None:
    said = chunk({"content": "One."}, "stop")
    server.reply(said, said, Pause(0.1), last)
    events, failed = ask(server.url, stall=0.5, first_byte_timeout=5.0)
    assert events == [TextDelta(0, "One."), TextDelta(0, "One.")]
    assert type(failed) is StreamBroken
