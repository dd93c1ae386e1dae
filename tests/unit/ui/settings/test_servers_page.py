"""The page of MCP servers: the text of a card, and every way to add one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from neodeskpet.core.errors import KnownError
from neodeskpet.mcp.config_discovery import FoundServer
from neodeskpet.mcp.mcp_errors import ConfigUnread, ServerEnded, SignInNeeded
from neodeskpet.mcp.server import ServerState, ServerView
from neodeskpet.mcp.server_config import ServerConfig
from neodeskpet.mcp.session_interface import ServerListing, ToolInfo
from neodeskpet.ui.settings.mcp_server_form import McpServerForm
from neodeskpet.ui.settings.mcp_servers_page import McpServersPage
from neodeskpet.ui.theme import DARK, LIGHT
from tests.support.scenario import play, settle
from tests.unit.ui.settings.doubles import live_settings

TIME = ServerConfig("time", "uvx", ("mcp-server-time",))


class Servers:
    """A port with the servers of a test."""

    def __init__(self) -> None:
        self.views: list[ServerView] = []
        self.done: list[tuple[object, ...]] = []
        self.others: list[FoundServer] = []
        self.fails: KnownError | None = None
        self.observers: list[Callable[[], None]] = []

    def servers(self) -> Sequence[ServerView]:
        return self.views

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        self.observers.append(observer)
        return lambda: None

    def become(self, *views: ServerView) -> None:
        self.views = list(views)
        for observer in self.observers:
            observer()

    async def add(self, configs: Sequence[ServerConfig]) -> Sequence[str]:
        self.become(*self.views, *(ServerView(one, ServerState.NOT_ALLOWED) for one in configs))
        return [one.name for one in configs]

    async def change(self, config: ServerConfig) -> None:
        self.done.append(("change", config))

    async def allow(self, name: str) -> None:
        self.done.append(("allow", name))

    async def switch(self, name: str, on: bool) -> None:
        self.done.append(("switch", name, on))

    async def restart(self, name: str) -> None:
        self.done.append(("restart", name))

    async def remove(self, name: str) -> None:
        self.become()

    async def find(self) -> Sequence[FoundServer]:
        return self.others

    async def read_file(self, file: Path) -> Sequence[ServerConfig]:
        if self.fails is not None:
            raise self.fails
        return [replace(TIME, name=file.stem)]


@pytest.fixture
def servers() -> Servers:
    return Servers()


@pytest.fixture
def page(qtbot: QtBot, tmp_path: Path, servers: Servers) -> McpServersPage:
    made = McpServersPage(live_settings(tmp_path), servers, LIGHT)
    qtbot.addWidget(made)
    made.set_theme(DARK)
    made.retranslate()
    made.show()
    return made


def test_a_card_has_the_state_in_words(page: McpServersPage, servers: Servers) -> None:
    assert not page.empty.isHidden()
    listing = ServerListing((ToolInfo("now"), ToolInfo("then\u202e")), about="time 1.0")
    ready = ServerView(TIME, ServerState.READY, listing=listing)
    servers.become(ready)
    card = page.cards["time"]
    assert card.head.about.full_text() == "runs · 2 tools · uvx mcp-server-time"
    card.head.click()
    assert card.body is not None
    assert card.body.tools.text() == "time 1.0\nnow, then\\u202e"
    servers.become(
        ServerView(TIME, ServerState.CRASHED, ServerEnded("bad luck", name="time"), restarting=True)
    )
    assert card.head.about.full_text().startswith("starts again in a moment")
    assert "bad luck" in card.body.wrong.text()
    servers.become(ServerView(TIME, ServerState.CRASHED, SignInNeeded(name="time")))
    assert card.body.restart.text() == "Sign in"
    card.head.click()
    assert card.body is None
    assert page.empty.isHidden()


def test_many_tools_are_named_up_to_a_number(page: McpServersPage, servers: Servers) -> None:
    listing = ServerListing(tuple(ToolInfo(f"t{number}") for number in range(45)))
    servers.become(ServerView(TIME, ServerState.READY, listing=listing))
    page.open("time")
    body = page.cards["time"].body
    assert body is not None
    assert body.tools.text().endswith("t39 … (+5)")


def test_the_buttons_work(page: McpServersPage, servers: Servers) -> None:
    async def story() -> None:
        servers.become(ServerView(TIME, ServerState.NOT_ALLOWED, log=("a line",)))
        page.open("time")
        card = page.cards["time"]
        body = card.body
        assert body is not None
        body.allow.click()
        body.restart.click()
        card.switch.click()
        await settle()
        assert servers.done == [("allow", "time"), ("restart", "time"), ("switch", "time", False)]
        assert body.log.toPlainText() == "a line"
        body.remove.click()
        assert body.remove.text() == "Keep it"
        body.remove.click()
        assert body.sure.isHidden()
        body.remove.click()
        body.sure.click()
        await settle()
        assert page.cards == {}

    play(story())


def test_a_server_is_edited(page: McpServersPage, servers: Servers) -> None:
    async def story() -> None:
        servers.become(ServerView(replace(TIME, env={"A": "1"}, cwd="/x"), ServerState.READY))
        page.open("time")
        body = page.cards["time"].body
        assert body is not None
        body.edit.click()
        form = body.form
        assert form is not None
        assert form.line.text() == "uvx mcp-server-time"
        form.line.setText("")
        form.save.click()
        assert "It is empty." in form.rows[form.line].error_label.text()
        form.line.setText("uvx mcp-server-time --utc")
        form.variables.setPlainText("A=2\nB = x y")
        form.save.click()
        await settle()
        args = ("mcp-server-time", "--utc")
        changed = ServerConfig("time", "uvx", args, {"A": "2", "B": "x y"}, "/x")
        assert servers.done == [("change", changed)]
        assert body.form is None
        body.edit.click()
        assert body.form is not None
        body.form.leave.click()
        assert body.form is None

    play(story())


def test_a_server_is_pasted(page: McpServersPage, servers: Servers) -> None:
    async def story() -> None:
        page.add.click()
        assert "It is empty." in page.paste_row.error_label.text()
        page.paste.setPlainText("uvx mcp-server-time")
        page.add.click()
        await settle()
        assert page.paste_row.error_label.text() == ""
        assert page.paste.toPlainText() == ""
        body = page.cards["time"].body
        assert body is not None
        assert body.runs.text() == "Runs: uvx mcp-server-time"
        assert not body.warning.isHidden()

    play(story())


def test_a_server_is_filled_in(page: McpServersPage, servers: Servers) -> None:
    async def story() -> None:
        page.by_form.click()
        form = page.form
        assert form is not None
        page.set_narrow(True)
        page.retranslate()
        page.set_theme(LIGHT)
        form.leave.click()
        assert page.form is None
        assert page.focusWidget() is page.by_form
        page.by_form.click()
        form = page.form
        assert form is not None
        form.name.setText("far")
        form.line.setText("https://example.com/mcp")
        form.variables.setPlainText("X-Mode fast")
        form.save.click()
        assert "one variable per line" in form.rows[form.line].error_label.text()
        form.variables.setPlainText("X-Mode: fast")
        QTest.keyClick(form.line, Qt.Key.Key_Return)
        await settle()
        (view,) = servers.views
        assert view.config.headers == {"X-Mode": "fast"}
        body = page.cards["far"].body
        assert body is not None
        assert body.runs.text() == "Connects to: https://example.com/mcp\nWith: X-Mode: fast"

    play(story())


def test_a_file_is_read(page: McpServersPage, servers: Servers) -> None:
    async def story() -> None:
        page.from_file.click()
        dialog = page.findChild(QFileDialog)
        assert dialog is not None
        dialog.fileSelected.emit("/tmp/weather.json")
        dialog.close()
        await settle()
        assert list(page.cards) == ["weather"]
        servers.fails = ConfigUnread("gone.json: No such file")
        page.take_file(Path("gone.json"))
        await settle()
        assert "No such file" in page.paste_row.error_label.text()

    play(story())


def test_servers_of_other_programs_are_offered_and_not_added(
    page: McpServersPage, servers: Servers
) -> None:
    async def story() -> None:
        page.look.click()
        await settle()
        assert "No other program" in page.paste_row.note.text()
        git = ServerConfig("git", "uvx", ("mcp-server-git",), {"GIT_TOKEN": "secret"})
        servers.become(ServerView(TIME, ServerState.OFF))
        servers.others = [
            FoundServer("Cursor", Path("/a"), TIME),
            FoundServer("Zed", Path("/b"), git),
        ]
        page.look.click()
        await settle()
        (row,) = page.found  # the other one is set up already
        assert row.title.text() == "git"
        assert len(servers.views) == 1
        row.controls[1].click()  # type: ignore[attr-defined]
        await settle()
        assert [view.config for view in servers.views] == [TIME, git]

    play(story())


def titles_above(form: McpServerForm | None) -> bool:
    """Whether each title is above its control, not beside it."""
    assert form is not None
    QTest.qWait(0)  # it is laid out
    return all(row.is_stacked for row in form.rows.values() if row.isVisible())


def test_a_form_that_opens_in_a_narrow_window_is_narrow(
    page: McpServersPage, servers: Servers
) -> None:
    page.resize(360, 600)
    page.set_narrow(True)
    page.by_form.click()
    assert titles_above(page.form)
    servers.become(ServerView(TIME, ServerState.OFF))
    page.open("time")
    body = page.cards["time"].body
    assert body is not None
    body.edit.click()
    assert titles_above(body.form)
    page.resize(800, 600)
    page.set_narrow(False)
    assert not titles_above(page.form)
    assert not titles_above(body.form)


def test_a_search_finds_the_page_and_its_servers(page: McpServersPage, servers: Servers) -> None:
    servers.become(ServerView(TIME, ServerState.OFF))
    assert page.search("mcpServers") == 1
    assert page.search("zebra") == 0
    assert page.cards["time"].isHidden()
    page.search("TIME")
    assert not page.cards["time"].isHidden()
    page.search("")
    assert page.reset.isHidden()
