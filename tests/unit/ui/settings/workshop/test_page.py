"""The page of one's own tools: what a card says of its file, in each state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from pytestqt.qtbot import QtBot

from neodeskpet.core.toolspec import Risk, ToolSpec
from neodeskpet.tools.workshop.outline import Fault
from neodeskpet.tools.workshop.tool_file import Content, FileState, FileView, read_content
from neodeskpet.ui.settings.workshop.card import FileBody
from neodeskpet.ui.settings.workshop.page import WorkshopPage
from neodeskpet.ui.theme import DARK, LIGHT
from tests.support.scenario import play, settle
from tests.unit.ui.settings.doubles import live_settings

SOURCE = b'"""Dice."""\nimport random\n@tool("dice.roll", risk=Risk.READ)\ndef roll(): "Roll."\n'
ODD = b"@tool(NAME)\ndef roll(): ...\n# \xe2\x80\xae hidden\n"


def content(data: bytes = SOURCE) -> Content:
    return read_content("dice.py", data)


class Shop:
    """A port on files that are what a test says."""

    folder = Path("/nowhere")

    def __init__(self) -> None:
        self.views: list[FileView] = []
        self.done: list[tuple[str, ...]] = []
        self.observers: list[Callable[[], None]] = []

    def files(self) -> Sequence[FileView]:
        return self.views

    def observe(self, observer: Callable[[], None]) -> Callable[[], None]:
        self.observers.append(observer)
        return lambda: None

    def become(self, *views: FileView) -> None:
        self.views = list(views)
        for observer in self.observers:
            observer()

    async def allow(self, name: str, digest: str) -> None:
        self.done.append(("allow", name, digest))

    async def take_back(self, name: str) -> None:
        self.done.append(("take back", name))


def test_a_card_in_each_state(qtbot: QtBot, tmp_path: Path) -> None:
    shop = Shop()
    settings = live_settings(tmp_path)
    page = WorkshopPage(settings, shop, LIGHT)
    qtbot.addWidget(page)
    page.retranslate()
    page.show()

    async def story() -> None:
        assert page.folder.isHidden()
        page.switch.click()
        assert settings.settings.mode.tool_files
        page.heard("mode", "tool_files")
        assert not page.folder.isHidden()
        assert page.empty.isVisible()

        shop.become(FileView(content(), FileState.UNSEEN))
        card = page.cards["dice.py"]
        assert card.head.about.whole() == "waits for your word · Dice."
        card.head.click()
        body = card.body
        assert isinstance(body, FileBody)
        assert "• dice.roll (looks, never asks): Roll." in body.tools.text()
        assert "Uses: random" in body.tools.text()
        assert "   2  import random" in body.source.toPlainText()
        body.allow.click()
        await settle()
        assert shop.done == [("allow", "dice.py", content().digest)]

        spec = ToolSpec("own.roll", "Roll.", risk=Risk.RUN)
        shop.become(FileView(content(), FileState.READY, None, (spec,), ("hello",)))
        assert "own.roll (runs programs, asks each time)" in body.tools.text()
        assert body.printed.toPlainText() == "hello"
        body.take_back.click()
        await settle()
        assert shop.done[1:] == [("take back", "dice.py")]

        shop.become(FileView(content(), FileState.BROKEN, Fault("ValueError: no", 3)))
        assert body.wrong.text() == "Line 3: ValueError: no"
        shop.become(FileView(content(ODD), FileState.CHANGED))
        assert "made up as it runs (line 2)" in body.tools.text()
        assert "can't be told beforehand" in body.tools.text()
        assert "\\u202e" in body.source.toPlainText(), "what hides is written out"
        assert body.allow.isVisible()
        shop.become(FileView(content(b"a ="), FileState.BROKEN, content(b"a =").outline.fault))
        assert body.allow.isHidden()
        assert body.take_back.isHidden()
        fault = content(b"a =").outline.fault
        shop.become(FileView(content(b"a ="), FileState.RESTORED, fault, (spec,)))
        assert not body.take_back.isHidden() and body.wrong.text().startswith("Line 1: ")

        page.set_theme(DARK)
        page.retranslate()
        assert page.search("dice") == 0
        assert card.isVisible()
        assert page.search("python") == 1
        shop.become()
        assert not page.cards
        await page.finish()

    play(story())
