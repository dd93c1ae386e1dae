"""The settings page of the user's own tools: the card of a file in each state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from pytestqt.qtbot import QtBot

from neodeskpet.core.toolspec import Risk, ToolSpec
from neodeskpet.tools.user_tools.tool_file import (
    ToolFileContent,
    ToolFileState,
    ToolFileView,
    read_content,
)
from neodeskpet.tools.user_tools.tool_file_protocol import SourceFault
from neodeskpet.ui.settings.user_tool_card import UserToolDetails
from neodeskpet.ui.settings.user_tools_page import UserToolsPage
from neodeskpet.ui.theme import DARK, LIGHT
from tests.support.scenario import play, settle
from tests.unit.ui.settings.doubles import live_settings

SOURCE = b'"""Dice."""\nimport random\n@tool("dice.roll", risk=Risk.READ)\ndef roll(): "Roll."\n'
ODD = b"@tool(NAME)\ndef roll(): ...\n# \xe2\x80\xae hidden\n"


def content(data: bytes = SOURCE) -> ToolFileContent:
    return read_content("dice.py", data)


class Shop:
    """A port with the files of a test."""

    folder = Path("/nowhere")

    def __init__(self) -> None:
        self.views: list[ToolFileView] = []
        self.done: list[tuple[str, ...]] = []
        self.observers: list[Callable[[], None]] = []

    def files(self) -> Sequence[ToolFileView]:
        return self.views

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        self.observers.append(observer)
        return lambda: None

    def become(self, *views: ToolFileView) -> None:
        self.views = list(views)
        for observer in self.observers:
            observer()

    async def allow(self, name: str, digest: str) -> None:
        self.done.append(("allow", name, digest))

    async def revoke(self, name: str) -> None:
        self.done.append(("take back", name))


def test_a_card_in_each_state(qtbot: QtBot, tmp_path: Path) -> None:
    shop = Shop()
    settings = live_settings(tmp_path)
    page = UserToolsPage(settings, shop, LIGHT)
    qtbot.addWidget(page)
    page.retranslate()
    page.show()

    async def story() -> None:
        assert page.folder.isHidden()
        page.switch.click()
        assert settings.settings.mode.tool_files
        page.setting_changed("mode", "tool_files")
        assert not page.folder.isHidden()
        assert page.empty.isVisible()

        shop.become(ToolFileView(content(), ToolFileState.NOT_ALLOWED))
        card = page.cards["dice.py"]
        assert card.head.about.full_text() == "waiting for approval · Dice."
        card.head.click()
        body = card.body
        assert isinstance(body, UserToolDetails)
        assert "• dice.roll (looks, never asks): Roll." in body.tools.text()
        assert "Uses: random" in body.tools.text()
        assert "   2  import random" in body.source.toPlainText()
        body.allow.click()
        await settle()
        assert shop.done == [("allow", "dice.py", content().digest)]

        spec = ToolSpec("own.roll", "Roll.", risk=Risk.RUN)
        shop.become(ToolFileView(content(), ToolFileState.READY, None, (spec,), ("hello",)))
        assert "own.roll (runs programs, asks each time)" in body.tools.text()
        assert body.printed.toPlainText() == "hello"
        body.revoke.click()
        await settle()
        assert shop.done[1:] == [("take back", "dice.py")]

        shop.become(ToolFileView(content(), ToolFileState.BROKEN, SourceFault("ValueError: no", 3)))
        assert body.wrong.text() == "Line 3: ValueError: no"
        shop.become(ToolFileView(content(ODD), ToolFileState.CHANGED))
        assert "made up as it runs (line 2)" in body.tools.text()
        assert "can't be told beforehand" in body.tools.text()
        assert "\\u202e" in body.source.toPlainText(), "hidden characters are written out"
        assert body.allow.isVisible()
        shop.become(
            ToolFileView(content(b"a ="), ToolFileState.BROKEN, content(b"a =").outline.fault)
        )
        assert body.allow.isHidden()
        assert body.revoke.isHidden()
        fault = content(b"a =").outline.fault
        shop.become(ToolFileView(content(b"a ="), ToolFileState.RESTORED, fault, (spec,)))
        assert not body.revoke.isHidden() and body.wrong.text().startswith("Line 1: ")

        page.set_theme(DARK)
        page.retranslate()
        assert page.search("dice") == 0
        assert card.isVisible()
        assert page.search("python") == 1
        shop.become()
        assert not page.cards
        await page.aclose()

    play(story())
