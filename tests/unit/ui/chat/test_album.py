"""The pictures of the current conversation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from neodeskpet.core.attachments import Picture
from neodeskpet.core.blocks import Image
from neodeskpet.core.wire import DescriptionAnnounced, PictureDescribed
from neodeskpet.platform import async_tasks
from neodeskpet.ui.chat.items.image_item import ImageItem
from neodeskpet.ui.chat.message_pictures import MessagePictures, PictureWindow
from tests.support.pictures import picture
from tests.unit.ui.chat.doubles import find, open_view, person
from tests.unit.ui.chat.working import new_work

CAT = picture("red", "cat.png")
SHOWN = Image(1, 0, CAT.digest, CAT.media_type, CAT.name)
GONE = Image(2, 0, "gone", "image/png")


async def load(digest: str) -> bytes | None:
    return CAT.data if digest == CAT.digest else None


def does(work: Callable[[], object]) -> None:
    async def main() -> None:
        work()
        while async_tasks.running():
            await asyncio.wait(async_tasks.running())

    asyncio.run(main())


def test_a_thumbnail_is_shown_when_it_is_ready(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    album = MessagePictures(view, load, new_work())
    message = person("u", "Look", SHOWN)
    album.add_message(message)
    does(lambda: view.add_message(message))
    _, item = find(view, "u", ImageItem, 0)
    item.measure(view.scene, 300)
    assert item.height == 24  # of 4 px
    album.apply([("a", DescriptionAnnounced(1)), ("a", PictureDescribed(CAT.digest, "a cat"))])
    assert "a cat" in item.accessible_text
    view.grab()


def test_a_picture_is_shown_copied_and_quoted(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    album = MessagePictures(view, load, new_work())
    quoted: list[Picture] = []
    gone: list[bool] = []
    album.quote_requested.connect(quoted.append)
    album.picture_missing.connect(lambda: gone.append(True))
    does(lambda: view.picture_requested.emit(SHOWN))
    (window,) = view.window().findChildren(PictureWindow)
    assert window.windowTitle() == "cat.png"
    window.close()
    does(lambda: view.picture_copy_requested.emit(SHOWN))
    assert QGuiApplication.clipboard().image().width() == 6
    does(lambda: view.quote_requested.emit(SHOWN))
    assert quoted == [CAT]
    does(lambda: view.picture_requested.emit(GONE))
    does(lambda: view.quote_requested.emit(GONE))
    assert gone == [True, True]
