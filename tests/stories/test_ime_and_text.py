"""Text is entered and shown unchanged: input methods, every script, long texts, copying, links, no
HTML.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PySide6.QtCore import QObject, QPointF, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from neodeskpet.ui.chat.items.text_items import TextItem
from tests.support.desk import DeskStory
from tests.support.replies import bare, end
from tests.support.sseserver import ScriptedServer, text

Play = Callable[..., None]
CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier

MARKDOWN = """# Title

Some **bold** words and `code`.

- one
- two

```python
print("你好")
```

| a | b |
|---|---|
| 1 | 2 |"""

NASTY = """<script>alert(1)</script> <b>bold</b> <img src="file:///etc/passwd">

![](file:///etc/passwd) ![secret]({address}/pixel.png) [bad](javascript:alert(1))

<iframe src="{address}/frame.html"></iframe>"""


def compose(person: DeskStory, preedit: str, commit: str = "") -> None:
    """The events of an input method while it composes, and when it commits."""
    event = QInputMethodEvent(preedit, [])
    event.setCommitString(commit)
    QApplication.sendEvent(person.desk.chat.window.composer.field, event)


async def answer(person: DeskStory, server: ScriptedServer, said: str, reply: str) -> None:
    """The user says something, and this is the reply, letter by letter."""
    server.reply(*(text(part) for part in pieces(reply)), *end())
    person.type(said)
    await person.until(lambda: person.desk.engine.chat.running)
    await person.idle()


def pieces(words: str, size: int = 7) -> Iterator[str]:
    for start in range(0, len(words), size):
        yield words[start : start + size]


def test_enter_belongs_to_the_input_method(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        field = person.desk.chat.window.composer.field
        field.setFocus()
        server.reply(text("好"), *end())
        compose(person, "ni")
        compose(person, "ni hao")
        person.press(Qt.Key.Key_Return)
        assert field.is_composing
        assert server.requests == []
        compose(person, "", "你好")
        assert person.desk.chat.window.composer.draft().strip() == "你好"
        assert server.requests == []
        person.press(Qt.Key.Key_Return)
        await person.until(lambda: "好" in person.shown() and server.requests)
        await person.idle()
        assert (await person.messages())[0].text == "你好"

    desk_story(story, server.url)


def test_line_breaks(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        server.reply(text("ok"), *end())
        field = person.desk.chat.window.composer.field
        person.type("one", send=False)
        QTest.keyClick(field, Qt.Key.Key_Return, SHIFT)
        person.type("two\r\nthree")
        await person.until(lambda: server.requests)
        await person.idle()
        assert bare(server.requests[0].body["messages"][-1]["content"]) == "one\ntwo\nthree"
        person.type("   \n ")
        assert len(await person.messages()) == 2
        assert person.desk.chat.window.composer.draft().strip() == ""

    desk_story(story, server.url)


@pytest.mark.parametrize(
    "said",
    [
        "汉字、標點。“引号”",
        "family 👩‍👩‍👧‍👦 flag 🏳️‍🌈 é é नमस्ते مرحبا",
        "<b>not bold</b> & **not bold** either",
        "0123456789" * 2000,
    ],
    ids=["chinese", "emoji", "marks", "long"],
)
def test_text_arrives_as_it_was_written(
    desk_story: Play, server: ScriptedServer, said: str
) -> None:
    async def story(person: DeskStory) -> None:
        await answer(person, server, said, f"You said: {said}")
        assert bare(server.requests[0].body["messages"][-1]["content"]) == said
        first, reply = await person.messages()
        assert first.text == said
        assert reply.text == f"You said: {said}"
        view = person.desk.chat.view
        view.select_all()
        assert view.selected_text().startswith(said)

    desk_story(story, server.url)


def test_copying_across_messages(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        await answer(person, server, "show me everything", MARKDOWN)
        view, clipboard = person.desk.chat.view, QGuiApplication.clipboard()
        view.setFocus()
        QTest.keyClick(view, Qt.Key.Key_A, CONTROL)
        QTest.keyClick(view, Qt.Key.Key_C, CONTROL)
        plain = clipboard.text()
        for words in ("show me everything", "Title", "Some bold words and code.", "one", "1\t2"):
            assert words in plain, plain
        assert "**" not in plain
        assert "```" not in plain
        QTest.keyClick(view, Qt.Key.Key_C, CONTROL | SHIFT)
        assert clipboard.text() == f"show me everything\n\n{MARKDOWN}"

    desk_story(story, server.url)


class Browser(QObject):
    """Stands in for the user's browser."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    @Slot(QUrl)
    def open(self, url: QUrl) -> None:
        self.opened.append(url.toString())


@pytest.fixture
def browser(qapp: QApplication) -> Iterator[Browser]:
    made = Browser()
    for scheme in ("http", "https", "file", "javascript"):
        QDesktopServices.setUrlHandler(scheme, made, "open")
    yield made
    for scheme in ("http", "https", "file", "javascript"):
        QDesktopServices.unsetUrlHandler(scheme)


def link_spots(person: DeskStory) -> dict[str, QPointF]:
    """The places of links in the view, by address."""
    view, found = person.desk.chat.view, {}
    for place in view.scroller.visible_places():
        item = view.column.item(place)
        if not isinstance(item, TextItem):
            continue
        corner = view.scroller.row_rect(place).topLeft()
        for y in range(2, item.height, 6):
            for x in range(2, item.width, 4):
                address = item.link_at(view.scene, QPointF(x, y))
                if address:
                    found.setdefault(address, QPointF(corner) + QPointF(x, y))
    return found


def test_a_link_is_asked_about_before_it_opens(
    desk_story: Play, server: ScriptedServer, browser: Browser
) -> None:
    async def story(person: DeskStory) -> None:
        reply = "Look [here](https://example.com/a?b=c).\n\nOr [there](https://example.org/)."
        await answer(person, server, "where?", reply)
        links = person.desk.chat.window.links
        spots = link_spots(person)
        view = person.desk.chat.view.viewport()
        here = spots["https://example.com/a?b=c"].toPoint()
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=here)
        assert links.isVisible()
        assert links.shown.toPlainText() == "https://example.com/a?b=c"
        person.click(links.cancel)
        assert not links.isVisible()
        assert browser.opened == []
        there = spots["https://example.org/"].toPoint()
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=there)
        assert links.isVisible()
        person.click(links.open)
        assert browser.opened == ["https://example.org/"]
        assert not links.isVisible()

    desk_story(story, server.url)


class Pages(dict[str, Any]):
    """The pages of a server that records its requests."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def get(self, path: str, default: Any = None) -> Any:
        self.asked.append(path)
        return default


def test_text_of_a_model_is_text_and_loads_nothing(
    desk_story: Play, server: ScriptedServer, browser: Browser
) -> None:
    server.pages = Pages()
    nasty = NASTY.replace("{address}", server.url.removesuffix("/v1"))

    async def story(person: DeskStory) -> None:
        await answer(person, server, "be nasty", nasty)
        view = person.desk.chat.view
        view.select_all()
        shown = view.selected_text()
        for words in ("<script>alert(1)</script>", "<b>bold</b>", '<img src="file:///etc/passwd">'):
            assert words in shown
        assert "<iframe" in shown
        assert "root:" not in shown
        assert "￼" not in shown, "a picture is shown"
        QTest.keyClick(view, Qt.Key.Key_Escape)
        for spot in link_spots(person).values():
            QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=spot.toPoint())
            if person.desk.chat.window.links.isVisible():
                assert person.desk.chat.window.links.address().startswith("http://127.0.0.1")
                person.click(person.desk.chat.window.links.cancel)
        assert browser.opened == []
        assert server.pages.asked == []

    desk_story(story, server.url)
