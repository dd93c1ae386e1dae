"""A service that needs pictures to be uploaded first, against real servers on loopback."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from contextlib import aclosing
from email import message_from_bytes
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from pydantic import ValidationError

from neodeskpet.core.errors import BadReply
from neodeskpet.core.model import ModelRequest
from neodeskpet.core.transcript import ImagePart, TextPart, UserTurn
from neodeskpet.core.wire import DescriptionFailed, PictureDescribed, TextDelta, WireEvent
from neodeskpet.llm.catalog.catalog_file import write_catalog
from neodeskpet.llm.catalog.catalog_validation import read_catalog
from neodeskpet.llm.catalog.model_catalog import Catalog, Endpoint, Upload
from neodeskpet.llm.http_client import HttpClient
from neodeskpet.llm.model_builder import ModelBuilder
from neodeskpet.llm.picture_upload import address_in
from neodeskpet.llm.protocols.protocol import ModelOptions
from neodeskpet.llm.protocols.protocol_list import PROTOCOLS
from tests.support.sseserver import ScriptedServer, done, finish, text

DATA = b"\x89PNG\r\n\x1a\n--picture"
CAT = ImagePart("cat", "image/png", DATA)
ADDRESS = "https://files.example/1.png"


class UploadServer:
    """Answers each POST with `body` and `status`, and keeps what it received."""

    def __init__(self) -> None:
        self.status = 200
        self.body = f'{{"data": [{{"url": "{ADDRESS}"}}]}}'
        self.received: list[tuple[str, Message, bytes]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["content-length"]))
                outer.received.append((self.path, self.headers, raw))
                answer = outer.body.encode()
                self.send_response(outer.status)
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, format: str, *args: object) -> None:
                """Print nothing."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._http.serve_forever)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/files"

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def form(self, number: int = -1) -> dict[str, Message]:
        """The parts of a received form by the names of their fields."""
        _, headers, raw = self.received[number]
        head = f"content-type: {headers['content-type']}\r\n\r\n".encode()
        parts = message_from_bytes(head + raw).get_payload()
        assert isinstance(parts, list)
        named: dict[str, Message] = {}
        for part in parts:
            assert isinstance(part, Message)
            named[str(part.get_param("name", header="content-disposition"))] = part
        return named


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as scripted:
        yield scripted


@pytest.fixture
def files() -> Iterator[UploadServer]:
    upload = UploadServer()
    yield upload
    upload.close()


def catalog(url: str, upload: dict[str, Any], *, chat_sees: bool = True) -> Catalog:
    """A service whose vision model needs an upload; the chat is with it, or with a blind one."""
    return Catalog.model_validate(
        {
            "endpoints": [
                {"name": "a", "protocol": "openai", "base_url": url, "upload": upload},
                {"name": "b", "protocol": "openai", "base_url": url},
            ],
            "models": [
                {"endpoint": "a", "id": "eye", "vision": True},
                {"endpoint": "b", "id": "blind", "vision": False},
            ],
            "purposes": {"chat": "eye" if chat_sees else "blind", "vision": "eye"},
        }
    )


def ask(found: Catalog, times: int = 1) -> list[WireEvent]:
    async def key(endpoint: Endpoint) -> str:
        return f"key-{endpoint.key_variable or endpoint.base_url.rpartition(':')[2]}"

    async def main() -> list[WireEvent]:
        client = HttpClient()
        builder = ModelBuilder(lambda proxy: client, key)
        request = ModelRequest("", [UserTurn((CAT, TextPart("What?")))])
        events: list[WireEvent] = []
        try:
            for _ in range(times):
                model = builder.build(found, "chat")
                assert model is not None
                async with aclosing(model.stream(request)) as stream:
                    events += [event async for event in stream]
        finally:
            await client.aclose()
        return events

    return asyncio.run(main())


def said(events: Sequence[WireEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def content(server: ScriptedServer, number: int = -1) -> Any:
    return server.requests[number].body["messages"][-1]["content"]


SHOWN = [{"type": "image_url", "image_url": {"url": ADDRESS}}, {"type": "text", "text": "What?"}]


def test_the_picture_is_uploaded_and_its_address_is_sent(
    server: ScriptedServer, files: UploadServer
) -> None:
    server.reply(text("A cat."), finish(), done())
    upload = {
        "url": files.url,
        "field": "image",
        "fields": {"purpose": "vision"},
        "result": "data.0.url",
        "key_variable": "UPLOAD",
    }
    assert said(ask(catalog(server.url, upload))) == "A cat."
    assert content(server) == SHOWN
    ((path, headers, _),) = files.received
    assert path == "/files"
    assert headers["authorization"] == "Bearer key-UPLOAD"
    form = files.form()
    assert form["purpose"].get_payload() == "vision"
    assert form["image"].get_payload(decode=True) == DATA
    assert form["image"].get_content_type() == "image/png"
    assert form["image"].get_filename() == "picture.png"


def test_the_key_of_the_service_goes_to_no_other_server(
    server: ScriptedServer, files: UploadServer
) -> None:
    server.reply(text("A cat."), finish(), done())
    ask(catalog(server.url, {"url": files.url, "result": "data.0.url"}))
    port = server.url.rpartition(":")[2]
    assert files.received[0][1]["authorization"] != f"Bearer key-{port}"
    assert server.requests[0].headers["authorization"] == f"Bearer key-{port}"


def test_an_upload_to_the_server_of_the_service_takes_its_key_and_headers(
    server: ScriptedServer, files: UploadServer
) -> None:
    found = catalog(files.url, {"url": f"{files.url}/up"}, chat_sees=False)
    own, other = found.endpoints
    endpoints = (
        own.model_copy(update={"headers": {"X-T": "1"}}),
        other.model_copy(update={"base_url": server.url}),
    )
    files.status = 413
    server.reply(text("Pity."), finish(), done())
    assert said(ask(found.model_copy(update={"endpoints": endpoints}))) == "Pity."
    path, headers, _ = files.received[0]
    assert path == "/files/up"
    assert (headers["x-t"], headers["authorization"]) == (
        "1",
        f"Bearer key-{files.url.rpartition(':')[2]}",
    )


def test_a_blind_model_is_sent_a_description_of_the_uploaded_picture(
    server: ScriptedServer, files: UploadServer
) -> None:
    server.reply(text("a cat"), finish(), done())
    server.reply(text("Nice."), finish(), done())
    upload = {"url": files.url, "result": "data.0.url"}
    events = ask(catalog(server.url, upload, chat_sees=False))
    assert PictureDescribed("cat", "a cat") in events
    assert content(server, 0)[0] == SHOWN[0]
    assert content(server) == "What? [图片:a cat]"


@pytest.mark.parametrize("chat_sees", [True, False])
@pytest.mark.parametrize(
    ("status", "body", "why"),
    [(507, "disk full", "disk full"), (200, '{"id": 1}', "data.0.url"), (200, "<html>", "<html>")],
)
def test_a_failed_upload_is_reported_and_the_turn_continues(
    server: ScriptedServer,
    files: UploadServer,
    status: int,
    body: str,
    why: str,
    chat_sees: bool,
) -> None:
    files.status, files.body = status, body
    server.reply(text("Pity."), finish(), done())
    upload = {"url": files.url, "result": "data.0.url"}
    events = ask(catalog(server.url, upload, chat_sees=chat_sees))
    assert said(events) == "Pity."
    (missed,) = [event for event in events if isinstance(event, DescriptionFailed)]
    assert "could not be uploaded" in missed.error.params["reason"]
    assert why in missed.error.detail
    host = files.url.split("/")[2]
    start = f"What? [图片:(could not be described: The picture could not be uploaded to {host}."
    assert content(server).startswith(start)
    assert why in content(server)


def test_an_uploaded_picture_is_not_uploaded_again(
    server: ScriptedServer, files: UploadServer
) -> None:
    for _ in range(2):
        server.reply(text("A cat."), finish(), done())
    ask(catalog(server.url, {"url": files.url, "result": "data.0.url"}), times=2)
    assert len(files.received) == 1
    assert content(server) == SHOWN


def test_an_address_that_expired_is_replaced(server: ScriptedServer, files: UploadServer) -> None:
    server.reply(text("A cat."), finish(), done())
    server.reply({"error": {"message": "cannot fetch the file"}}, status=400)
    server.reply(text("Again."), finish(), done())
    upload = {"url": files.url, "result": "data.0.url"}
    assert said(ask(catalog(server.url, upload), times=2)) == "A cat.Again."
    assert len(files.received) == 2


def test_an_address_may_be_relative() -> None:
    upload = Upload(url="https://a.example/v1/files", result="file")
    assert address_in({"file": "/x.png"}, upload) == "https://a.example/x.png"


@pytest.mark.parametrize("answer", [[], {"file": 3}, {"file": " "}, {"file": "ftp://x"}, None])
def test_an_answer_without_an_address_is_an_error(answer: object) -> None:
    with pytest.raises(BadReply):
        address_in(answer, Upload(url="https://a.example/v1/files", result="file"))


@pytest.mark.parametrize(
    ("protocol", "sent"),
    [
        ("openai", {"type": "image_url", "image_url": {"url": ADDRESS}}),
        ("openai-responses", {"type": "input_image", "image_url": ADDRESS}),
        ("anthropic", {"type": "image", "source": {"type": "url", "url": ADDRESS}}),
        ("gemini", {"fileData": {"mimeType": "image/png", "fileUri": ADDRESS}}),
    ],
)
def test_every_protocol_sends_an_address(protocol: str, sent: dict[str, Any]) -> None:
    part = ImagePart("cat", "image/png", url=ADDRESS)
    request = ModelRequest("", [UserTurn((part, TextPart("What?")))])
    body = PROTOCOLS[protocol].build_request(ModelOptions("https://x", "m"), request).body
    assert body is not None
    turns: Any = body.get("messages") or body.get("input") or body.get("contents")
    assert sent in (turns[-1].get("content") or turns[-1].get("parts"))


def test_the_file_keeps_the_upload() -> None:
    found = catalog("https://x", {"url": "https://x/files", "fields": {"_kind": "picture"}})
    assert read_catalog(write_catalog(found)).catalog == found
    with pytest.raises(ValidationError):
        Upload(url="x/files")
