"""How pictures reach the composer."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from neodeskpet.core.attachments import MOST_ATTACHMENTS, Picture
from neodeskpet.core.token_budget import estimate_tokens
from neodeskpet.documents.document import MESSAGE_DOCUMENT_TOKENS
from neodeskpet.documents.web.fetcher import Fetcher
from neodeskpet.platform import async_tasks
from neodeskpet.ui.chat.composer.attachment_controller import AttachmentController
from neodeskpet.ui.chat.composer.attachment_tiles import FileTile
from neodeskpet.ui.chat.composer.composer import Composer
from neodeskpet.ui.chat.composer.dropped_content import PictureSource
from neodeskpet.ui.chat.composer.message_field import MAX_DRAFT
from neodeskpet.ui.theme import LIGHT
from tests.support.fileserver import file_server
from tests.support.pictures import encoded, picture
from tests.unit.ui.chat.working import new_work


@pytest.fixture
def composer(qtbot: QtBot) -> Composer:
    made = Composer(LIGHT)
    qtbot.addWidget(made)
    made.show()
    return made


def does(work: Callable[[], object]) -> None:
    """Run `work` on an event loop until everything it started has ended."""

    async def main() -> None:
        work()
        while async_tasks.running():
            await asyncio.wait(async_tasks.running())

    asyncio.run(main())


def names(composer: Composer) -> list[str]:
    return [one.content.name for one in composer.attachments.items()]


class Watched(PictureSource):
    """Counts how many pictures are decoded at the same time."""

    lock = threading.Lock()
    now = most = 0

    def load_fitted(self) -> Picture:
        with Watched.lock:
            Watched.now += 1
            Watched.most = max(Watched.most, Watched.now)
        time.sleep(0.02)
        with Watched.lock:
            Watched.now -= 1
        return picture()


def test_pictures_are_prepared_one_after_another(composer: Composer) -> None:
    """Eight at once took gigabytes."""
    attacher = AttachmentController(composer, new_work())
    does(lambda: attacher.attach_pictures([Watched() for _ in range(MOST_ATTACHMENTS)]))
    assert len(composer.attachments.items()) == MOST_ATTACHMENTS
    assert Watched.most == 1


def test_pixels_files_and_refused_files(composer: Composer, tmp_path: Path) -> None:
    attacher = AttachmentController(composer, new_work())
    (tmp_path / "cat.png").write_bytes(encoded())
    (tmp_path / "notes.png").write_text("hello", encoding="utf-8")
    pixels = QMimeData()
    red = QImage(4, 4, QImage.Format.Format_RGB32)
    red.fill(QColor("red"))
    pixels.setImageData(red)
    does(lambda: composer.content_dropped.emit(pixels))
    does(
        lambda: attacher.attach_pictures(
            [PictureSource(path=tmp_path / n) for n in ("cat.png", "notes.png")]
        )
    )
    assert names(composer) == ["", "cat.png"]
    assert "notes.png can't be used" in composer.attachments.message_text
    assert composer.attachments.items()[1].thumbnail.width() == 6


def test_the_number_of_pictures_is_limited(composer: Composer) -> None:
    attacher = AttachmentController(composer, new_work())
    does(lambda: attacher.attach_pictures([PictureSource(data=encoded())] * (MOST_ATTACHMENTS + 2)))
    assert composer.attachments.count == MOST_ATTACHMENTS
    assert str(MOST_ATTACHMENTS) in composer.attachments.message_text


def test_a_picture_of_a_message_is_quoted_once(composer: Composer) -> None:
    attacher = AttachmentController(composer, new_work())
    does(lambda: attacher.attach_quoted(picture("red", "cat.png")))
    does(lambda: attacher.attach_quoted(picture("red", "cat.png")))
    (quoted,) = composer.attachments.items()
    assert quoted.is_quoted


def test_unreadable_files(composer: Composer) -> None:
    attacher = AttachmentController(composer, new_work())
    attacher.attach_from(QMimeData())
    assert "no readable picture" in composer.attachments.message_text


def test_the_menu_and_the_file_dialog(composer: Composer, qtbot: QtBot) -> None:
    attacher = AttachmentController(composer, new_work())
    menu = attacher.open_menu()
    assert [action.text() for action in menu.actions()] == [
        "Picture from a file…", "Text, PDF or Word file…", "Picture of the screen…",
    ]  # fmt: skip
    menu.close()
    for dialog in (attacher.choose_files(), attacher.choose_documents()):
        dialog.reject()
        qtbot.waitUntil(lambda dialog=dialog: not isValid(dialog))


def test_files_share_a_budget(composer: Composer, tmp_path: Path) -> None:
    attacher = AttachmentController(composer, new_work())
    for name in "abd":
        (tmp_path / name).write_text(f"{name} word " * MESSAGE_DOCUMENT_TOKENS)
    (tmp_path / "c").write_text("a little")
    strip = composer.attachments
    does(lambda: attacher.attach_files([tmp_path / name for name in "abc"]))
    assert [one.file.cut for one in strip.items() if one.file] == [True, True, False]
    does(lambda: attacher.attach_files([tmp_path / "d"]))
    assert [one.file.cut for one in strip.items() if one.file] == [True, True, False, True]
    assert strip.tokens <= MESSAGE_DOCUMENT_TOKENS and not strip.has_pending
    does(lambda: attacher.attach_files([tmp_path / "d"]))
    assert strip.count == 4 and "no room" in strip.message_text
    first = strip.items()[0]
    attached = first.content
    strip.restore(())
    attacher.restore([attached])
    assert [one.file for one in strip.items()] == [first.file]


def test_the_tile_of_an_unreadable_file_has_room_for_the_reason(
    composer: Composer, tmp_path: Path
) -> None:
    attacher = AttachmentController(composer, new_work())
    does(lambda: attacher.attach_files([tmp_path]))
    tile = composer.attachments.findChild(FileTile)
    assert tile is not None
    assert tile.status_text == "It is a folder: drop its files instead."
    assert (
        tmp_path.name in composer.attachments.message_text
        and tile.status_text in composer.attachments.message_text
    )


def test_a_picture_address_in_a_message_is_downloaded_and_sent(
    composer: Composer,
) -> None:
    attacher = AttachmentController(composer, new_work(), Fetcher(lambda ip: ip == "127.0.0.1"))
    sent: list[tuple[str, int]] = []
    composer.submitted.connect(lambda text: sent.append((text, len(composer.attachments.items()))))
    with file_server(encoded()) as server:
        composer.set_draft(f"Look: {server.url}.png!")
        does(composer.submit)
        assert sent == [(f"Look: {server.url}.png!", 1)]
        assert len(server.asked) == 1
    assert attacher is not None


def test_a_picture_that_can_not_be_downloaded_is_reported_and_stays_an_address(
    composer: Composer,
) -> None:
    attacher = AttachmentController(composer, new_work())  # it can't reach this computer
    sent: list[str] = []
    composer.submitted.connect(sent.append)
    composer.set_draft("http://127.0.0.1:9/cat.png")
    does(composer.submit)
    assert sent == []
    assert "is not a public internet address" in composer.attachments.message_text
    does(composer.submit)
    assert sent == ["http://127.0.0.1:9/cat.png"]
    assert attacher is not None


def test_a_long_text_becomes_an_attachment_that_can_be_inserted(composer: Composer) -> None:
    AttachmentController(composer, new_work())
    text = "Fünf Wörter stehen hier drin.\n" * 5000
    does(lambda: paste(composer, text))
    assert composer.draft() == ""
    (attached,) = composer.attachments.items()
    assert attached.file is not None and attached.file.cut
    assert estimate_tokens(attached.file.text) <= MESSAGE_DOCUMENT_TOKENS
    (tile,) = composer.findChildren(FileTile)
    assert tile.write_text.text() == "Insert as text"
    tile.write_text.click()
    assert composer.draft() == text
    assert composer.attachments.count == 0


def test_a_text_that_is_too_long_for_the_field_stays_attached(composer: Composer) -> None:
    AttachmentController(composer, new_work())
    does(lambda: paste(composer, "x" * (MAX_DRAFT + 1)))
    (tile,) = composer.findChildren(FileTile)
    tile.write_text.click()
    assert composer.draft() == ""
    assert composer.attachments.count == 1
    assert "300,000" in composer.attachments.message_text


def paste(composer: Composer, text: str) -> None:
    data = QMimeData()
    data.setText(text)
    composer.field.insertFromMimeData(data)


def test_a_text_can_be_read_in_another_encoding(composer: Composer, tmp_path: Path) -> None:
    file = tmp_path / "old.txt"
    file.write_bytes("ДОКУМЕНТ: встреча завтра".encode("cp1251"))
    attacher = AttachmentController(composer, new_work())
    does(lambda: attacher.attach_files([file]))
    tile = composer.findChildren(FileTile)[0]
    assert "cp1251" in tile.status_text
    menu = tile.encodings()
    assert menu is not None
    (other,) = (one for one in menu.actions() if one.text() == "koi8_r")
    does(other.trigger)
    (attached,) = composer.attachments.items()
    assert attached.file is not None and attached.file.encoding == "koi8_r"
    assert "koi8_r" in tile.status_text
    menu.close()


def test_only_a_text_whose_file_is_known_offers_encodings(
    composer: Composer, tmp_path: Path
) -> None:
    file = tmp_path / "page.html"
    file.write_text("<p>Words</p>", "utf-8")
    attacher = AttachmentController(composer, new_work())
    does(lambda: attacher.attach_files([file]))
    tile = composer.findChildren(FileTile)[0]
    assert tile.encodings() is not None, "a page is a text"
    composer.attachments.restore(composer.attachments.take_all())
    kept = [one for one in composer.findChildren(FileTile) if not one.isHidden()]
    assert all(one.encodings() is None for one in kept), "the place of the file is unknown"
