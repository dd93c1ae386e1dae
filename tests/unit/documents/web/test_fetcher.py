"""Downloads from a real server; nothing of this computer's network unless a test allows it."""

import asyncio
import gzip
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpcore
import pytest

from neodeskpet.documents.web.fetcher import (
    Fetched,
    Fetcher,
    FetchForbidden,
    FetchRefused,
    FetchTooLarge,
    FetchTooSlow,
    first_connected,
    interleave_addresses,
)

LEADING = {
    "/moved": "/cat.png",
    "/circle": "/circle",
    "/inside": "http://localhost:1/secret",
    "/file": "file:///etc/passwd",
}
PACKED = {
    "/huge": (b"x" * 300_000, ""),
    "/packed": (gzip.compress(b"meow" * 1_000), "gzip"),
    "/bomb": (gzip.compress(bytes(50_000_000)), "gzip"),
    "/bombs": (gzip.compress(gzip.compress(bytes(9_000_000))), "gzip, gzip"),
}


class Pages(BaseHTTPRequestHandler):
    asked: list[str]
    hang: threading.Event

    def log_message(self, *_: object) -> None: ...

    def do_GET(self) -> None:
        self.server.asked.append(self.path)  # type: ignore[attr-defined]
        if self.path == "/slow":
            self.server.hang.wait(10)  # type: ignore[attr-defined]
        elif self.path in LEADING:
            self._answer(302, b"", location=LEADING[self.path])
        elif self.path in PACKED:
            body, coding = PACKED[self.path]
            self._answer(200, body, coding=coding)
        elif self.path == "/cat.png":
            self._answer(200, b"meow", "image/png; charset=x")
        else:
            self._answer(404, b"")

    def _answer(
        self,
        status: int,
        body: bytes,
        kind: str = "text/plain",
        location: str = "",
        coding: str = "",
    ) -> None:
        self.send_response(status)
        if coding:
            self.send_header("Content-Encoding", coding)
        if location:
            self.send_header("Location", location)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Site(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Pages)
        self.asked: list[str] = []
        self.hang = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_port}"


@pytest.fixture
def site() -> Iterator[Site]:
    made = Site()
    thread = threading.Thread(target=made.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield made
    made.hang.set()
    made.shutdown()
    made.server_close()
    thread.join()


def only_loopback_by_number(ip: str) -> bool:
    return ip == "127.0.0.1"


def fetch(address: str, *, most: int = 1_000_000, seconds: float = 10.0) -> Fetched:
    fetcher = Fetcher(only_loopback_by_number)
    return asyncio.run(fetcher.fetch(address, most=most, seconds=seconds))


def test_a_file_is_returned_completely_with_its_type(site: Site) -> None:
    found = fetch(f"{site.url}/cat.png")
    assert found == Fetched(f"{site.url}/cat.png", b"meow", "image/png")


def test_a_compressed_file_is_decompressed(site: Site) -> None:
    assert fetch(f"{site.url}/packed").content == b"meow" * 1_000


def test_a_redirect_is_followed_and_named(site: Site) -> None:
    assert fetch(f"{site.url}/moved").address == f"{site.url}/cat.png"


@pytest.mark.parametrize(
    ("path", "fault"),
    [
        ("/nothing", FetchRefused),
        ("/circle", FetchRefused),
        ("/huge", FetchTooLarge),
        ("/bomb", FetchTooLarge),
        ("/bombs", FetchRefused),
        ("/slow", FetchTooSlow),
        ("/file", FetchRefused),
    ],
)
def test_a_failed_download_has_a_reason(site: Site, path: str, fault: type[FetchRefused]) -> None:
    with pytest.raises(fault) as caught:
        fetch(f"{site.url}{path}", most=200_000, seconds=1.0 if path == "/slow" else 10.0)
    assert type(caught.value) is fault or path == "/file"


def test_the_network_of_this_computer_is_not_reached(site: Site) -> None:
    for address in (site.url, f"http://localhost:{site.server_port}/cat.png"):
        with pytest.raises(FetchForbidden):
            asyncio.run(Fetcher().fetch(address))
    assert site.asked == []


def test_nor_by_a_redirect(site: Site) -> None:
    refused: list[str] = []

    def first_only(ip: str) -> bool:
        """The first connection leads outside; the address of the second is checked again."""
        refused.append(ip)
        return len(refused) == 1

    with pytest.raises(FetchForbidden):
        asyncio.run(Fetcher(first_only).fetch(f"{site.url}/inside"))
    assert site.asked == ["/inside"]


class TurningNames(asyncio.SelectorEventLoop):
    """A name that has one address at the first lookup, and another afterwards."""

    def __init__(self, *answers: list[str]) -> None:
        super().__init__()
        self._answers = list(answers)
        self.looked_up: list[object] = []

    async def getaddrinfo(self, host: Any, port: Any, **_: Any) -> Any:  # type: ignore[override]
        if host != "turns.example":
            return await super().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        self.looked_up.append(host)
        found = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port)) for ip in found]


@pytest.mark.parametrize(
    ("answers", "reached"),
    [
        ((["127.0.0.1"], ["127.0.0.2"]), True),  # the checked address is the connected one
        ((["127.0.0.2"], ["127.0.0.1"]), False),
        ((["127.0.0.1", "127.0.0.2"],), False),  # one of several leads inside
        (([],), False),
    ],
)
def test_a_name_that_becomes_private_at_the_second_lookup(
    site: Site, answers: tuple[list[str], ...], reached: bool
) -> None:
    """127.0.0.1 stands for the internet, 127.0.0.2 for the forbidden network."""
    loop = TurningNames(*answers)
    address = f"http://turns.example:{site.server_port}/cat.png"
    fetching = Fetcher(only_loopback_by_number).fetch(address)
    try:
        if reached:
            assert loop.run_until_complete(fetching).content == b"meow"
        else:
            with pytest.raises(FetchForbidden):
                loop.run_until_complete(fetching)
    finally:
        loop.close()
    assert len(loop.looked_up) == 1
    assert len(site.asked) == reached


@pytest.mark.parametrize("address", ["file:///etc/passwd", "ftp://a.example/x", "http://[::1/x"])
def test_other_addresses_are_not_fetched(address: str) -> None:
    with pytest.raises(FetchForbidden):
        fetch(address)


def test_an_unknown_host(site: Site) -> None:
    with pytest.raises(FetchRefused):
        fetch("http://no-such-host.invalid/x.png")


def test_the_next_address_is_tried_when_one_fails(site: Site) -> None:
    """Nothing listens at 127.0.0.3, as behind a broken route."""
    loop = TurningNames(["127.0.0.3", "127.0.0.1"])
    fetching = Fetcher(lambda ip: ip in ("127.0.0.1", "127.0.0.3")).fetch(
        f"http://turns.example:{site.server_port}/cat.png"
    )
    try:
        assert loop.run_until_complete(fetching).content == b"meow"
    finally:
        loop.close()


def test_ipv6_and_ipv4_alternate() -> None:
    assert interleave_addresses(["1.1.1.1", "1.1.1.2", "1::1"]) == ["1::1", "1.1.1.1", "1.1.1.2"]
    assert interleave_addresses(["1::1", "1::2", "1.1.1.1"]) == ["1::1", "1.1.1.1", "1::2"]
    assert interleave_addresses([]) == []


class Line(httpcore.AsyncNetworkStream):
    """A connection that records whether it was closed."""

    closed = False

    async def aclose(self) -> None:
        self.closed = True


def test_an_address_that_does_not_answer_delays_no_other() -> None:
    line, ended = Line(), []

    async def connect(ip: str) -> httpcore.AsyncNetworkStream:
        if ip == "good":
            return line
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(ip)
        raise AssertionError

    assert asyncio.run(first_connected(["hangs", "good", "never tried"], connect)) is line
    assert ended == ["hangs"]
    assert not line.closed


def test_the_first_failure_is_reported_when_all_fail() -> None:
    async def connect(ip: str) -> httpcore.AsyncNetworkStream:
        raise httpcore.ConnectError(ip)

    with pytest.raises(httpcore.ConnectError, match="one"):
        asyncio.run(first_connected(["one", "two"], connect))
