"""Servers over HTTP: called, lost, and signed in to with a browser."""

from __future__ import annotations

import asyncio
import urllib.request
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from neodeskpet.core.errors import ToolFailed
from neodeskpet.mcp.mcp_errors import ServerFailed, SignInNeeded
from neodeskpet.mcp.server import ServerState
from neodeskpet.mcp.server_connection import START_KEY, ServerTimeouts
from neodeskpet.mcp.session_interface import OpenUrlRequest, UserAnswer, UserQuestion
from tests.support.mcphouse import House, open_house
from tests.support.mcpweb import WebServer

KEY = "sk-abcdefghijklmnop"


def play(home: Path, story: Callable[[House], Awaitable[None]]) -> None:
    async def whole() -> None:
        async with open_house(home, {}, ServerTimeouts(start=20, call=10)) as house:
            await story(house)

    asyncio.run(whole())


class Person:
    """Opens the requested pages, if `willing`."""

    def __init__(self, *, willing: bool = True) -> None:
        self.willing = willing
        self.asked: list[tuple[object, UserQuestion]] = []
        self.read = ""

    async def answer(self, server: str, key: object, question: UserQuestion) -> UserAnswer:
        self.asked.append((key, question))
        if not self.willing:
            return UserAnswer(False)
        assert isinstance(question, OpenUrlRequest)
        asyncio.get_running_loop().run_in_executor(None, self._browse, question.url)
        return UserAnswer(True)

    def _browse(self, address: str) -> None:
        with urllib.request.urlopen(address, timeout=60) as page:
            self.read = page.read().decode()


def test_a_web_server_is_called(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        await house.add({"url": web.url, "headers": {"X-Api-Key": KEY}}, "web")
        await house.ready("web")
        assert house.view("web").listing.about == "web 2"
        assert (await house.run("mcp.web.shout", text="hallo")).text == "HALLO"
        assert web.seen["X-Api-Key"] == KEY
        assert KEY not in house.file.read_text()

    with WebServer() as web:
        play(tmp_path, story)


def test_compressed_answers_are_read(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        await house.add({"url": web.url}, "web")
        await house.ready("web")
        assert (await house.run("mcp.web.shout", text="hallo")).text == "HALLO"

    with WebServer() as web:
        web.codings = ("gzip",)
        play(tmp_path, story)


@pytest.mark.parametrize(("codings", "padding"), [(("gzip", "gzip"), 0), (("gzip",), 40_000_000)])
def test_answers_that_decompress_to_too_much_are_refused(
    tmp_path: Path, codings: tuple[str, ...], padding: int
) -> None:
    async def story(house: House) -> None:
        await house.add({"url": web.url}, "web")
        await house.ready("web")
        web.codings, web.padding = codings, padding
        with pytest.raises(ToolFailed):
            await house.run("mcp.web.shout", text="hallo")

    with WebServer() as web:
        play(tmp_path, story)


def test_a_lost_web_server_is_reported(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        with WebServer() as web:
            await house.add({"url": web.url}, "web")
            await house.ready("web")
        with pytest.raises(ToolFailed):
            await house.run("mcp.web.shout", text="hallo")
        assert isinstance(await house.error("web"), ServerFailed)
        assert house.view("web").restarting

    play(tmp_path, story)


def test_signing_in_is_requested_once_and_stored(tmp_path: Path) -> None:
    async def first(house: House) -> None:
        house.host.ask_with(person.answer)
        await house.add({"url": web.url}, "web")  # the user allowed it, and is there
        await house.ready("web")
        ((key, question),) = person.asked
        assert key is START_KEY
        assert isinstance(question, OpenUrlRequest)
        assert question.url.startswith(f"{web.origin}/authorize?")
        assert "close this page" in person.read
        assert (await house.run("mcp.web.shout", text="in")).text == "IN"
        kept.update(house.ring.kept)
        assert sorted(kept) == [f"mcp web client {web.url}", f"mcp web tokens {web.url}"]

    async def second(house: House) -> None:
        house.host.ask_with(person.answer)
        house.ring.kept.update(kept)
        await house.host.restart("web")
        await house.ready("web")
        assert len(person.asked) == 1
        await house.host.delete("web")
        assert house.ring.kept == {}

    person, kept = Person(), dict[str, str]()
    with WebServer("token-1") as web:
        play(tmp_path, first)
        play(tmp_path, second)


def test_a_start_of_the_app_never_opens_a_browser(tmp_path: Path) -> None:
    async def refused(house: House) -> None:
        house.host.ask_with(person.answer)
        person.willing = False
        await house.add({"url": web.url}, "web")
        assert isinstance(await house.error("web"), SignInNeeded)
        assert not house.view("web").restarting

    async def later(house: House) -> None:
        house.host.ask_with(person.answer)
        person.willing = True
        assert isinstance(await house.error("web"), SignInNeeded)
        assert len(person.asked) == 1
        await house.host.restart("web")
        await house.ready("web")

    person = Person()
    with WebServer("token-1") as web:
        play(tmp_path, refused)
        play(tmp_path, later)


def test_signing_in_again_is_requested_in_the_call(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        house.host.ask_with(person.answer)
        await house.add({"url": web.url}, "web")
        await house.ready("web")
        web.token = "token-2"  # the old one isn't valid any more
        assert (await house.run("mcp.web.shout", text="again")).text == "AGAIN"
        assert person.asked[1][0] == "shout"
        assert web.clients == 1
        web.token, person.willing = "token-3", False
        with pytest.raises(ToolFailed):
            await house.run("mcp.web.shout", text="no")
        await house.until(lambda: house.view("web").state is ServerState.CRASHED)
        assert isinstance(await house.error("web"), SignInNeeded)

    person = Person()
    with WebServer("token-1") as web:
        play(tmp_path, story)
