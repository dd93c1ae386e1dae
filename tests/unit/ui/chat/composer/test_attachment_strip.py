"""The strip of pictures above the field."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from neodeskpet.core.attachments import MOST_ATTACHMENTS
from neodeskpet.ui.chat.composer.attachment_strip import Attachment, AttachmentStrip
from neodeskpet.ui.chat.composer.composer import Composer
from neodeskpet.ui.theme import DARK, LIGHT
from tests.support.pictures import picture


def attachment(colour: str = "red", name: str = "", *, quoted: bool = False) -> Attachment:
    image = QImage(9, 5, QImage.Format.Format_RGB32)
    image.fill(QColor(colour))
    return Attachment(picture(colour, name, quoted=quoted), image)


@pytest.fixture
def composer(qtbot: QtBot) -> Composer:
    made = Composer(LIGHT)
    qtbot.addWidget(made)
    made.resize(480, 200)
    made.show()
    return made


@pytest.fixture
def strip(composer: Composer) -> AttachmentStrip:
    return composer.attachments


def buttons(strip: AttachmentStrip) -> list[QToolButton]:
    return [b for b in strip.findChildren(QToolButton) if b.isVisible()]


def test_it_is_visible_only_with_pictures(strip: AttachmentStrip) -> None:
    assert not strip.isVisible()
    strip.restore([attachment(name="cat.png"), attachment("blue", quoted=True)])
    assert strip.isVisible()
    assert [b.accessibleName() for b in buttons(strip)] == [
        "Remove cat.png", "Remove Picture (replied to)",
    ]  # fmt: skip
    strip.set_theme(DARK)
    assert not strip.grab().isNull()
    assert len(strip.take_all()) == 2
    assert not strip.isVisible()


def test_each_can_also_be_removed_by_keyboard(strip: AttachmentStrip) -> None:
    strip.restore([attachment(name="a"), attachment("blue", "b"), attachment("green", "c")])
    QTest.mouseClick(buttons(strip)[0], Qt.MouseButton.LeftButton)
    last = buttons(strip)[-1]
    last.setFocus()
    QTest.keyClick(last, Qt.Key.Key_Space)
    assert [one.content.name for one in strip.items()] == ["b"]


def test_a_picture_has_its_place_before_it_is_ready(strip: AttachmentStrip) -> None:
    first, second = strip.reserve_slot(), strip.reserve_slot()
    assert first is not None
    assert second is not None
    assert (strip.count, strip.has_pending, strip.items()) == (2, True, [])
    strip.set_attachment(second, attachment(name="b"))
    strip.set_failed(first, "a can't be taken.")
    assert (strip.count, strip.has_pending) == (1, False)
    strip.set_attachment(first, attachment(name="too late"))
    assert [one.content.name for one in strip.items()] == ["b"]


def test_the_number_of_tiles_is_limited(strip: AttachmentStrip) -> None:
    assert None not in [strip.reserve_slot() for _ in range(MOST_ATTACHMENTS)]
    assert strip.reserve_slot() is None
    assert strip.count == MOST_ATTACHMENTS


def test_a_narrow_window_has_more_rows(composer: Composer, qtbot: QtBot) -> None:
    composer.attachments.restore([attachment() for _ in range(MOST_ATTACHMENTS)])
    assert composer.minimumSizeHint().width() < 320
    wide = composer.attachments.sizeHint().height()
    composer.resize(230, 400)
    qtbot.waitUntil(lambda: composer.attachments.sizeHint().height() > wide)


def test_pictures_are_sent_with_and_without_text(composer: Composer) -> None:
    sent: list[tuple[str, int]] = []
    composer.submitted.connect(
        lambda text: sent.append((text, len(composer.attachments.take_all())))
    )
    composer.attachments.restore([attachment()])
    composer.submit()
    composer.submit()
    assert sent == [("", 1)]


def test_an_early_enter_sends_when_the_last_picture_is_ready(composer: Composer) -> None:
    sent: list[str] = []
    composer.submitted.connect(sent.append)
    place = composer.attachments.reserve_slot()
    assert place is not None
    composer.insert("Look")
    composer.submit()
    assert sent == []
    composer.attachments.set_attachment(place, attachment())
    assert sent == ["Look"]


def test_an_early_enter_is_cancelled_when_a_picture_is_refused(composer: Composer) -> None:
    sent: list[str] = []
    composer.submitted.connect(sent.append)
    composer.attachments.restore([attachment()])
    for gone in (lambda place: composer.attachments.set_failed(place, "No."), _leave(composer)):
        place = composer.attachments.reserve_slot()
        assert place is not None
        composer.set_draft("Look")
        composer.submit()
        gone(place)
    assert sent == []
    assert composer.draft() == "Look"


def test_enter_with_a_refused_file_says_that_it_is_not_sent(composer: Composer) -> None:
    sent: list[str] = []
    composer.submitted.connect(sent.append)
    strip = composer.attachments
    place = strip.reserve_slot("long.zip")
    assert place is not None
    composer.submit()
    strip.set_refused(place, "It is too large.")
    for _ in range(2):
        assert strip.message_text == "It is too large. Nothing was sent."
        composer.submit()
    composer.insert("Look")
    strip.show_message("It is too large.")
    composer.submit()
    assert sent == ["Look"], "the file is marked as refused: the text is sent without it"
    strip.restore(())
    place = strip.reserve_slot("long.zip")
    assert place is not None
    composer.set_draft("Look")
    composer.submit()
    strip.set_refused(place, "It is too large.")
    assert strip.message_text == "It is too large. Not sent yet: Enter sends the rest."
    assert sent == ["Look"]


def _leave(composer: Composer) -> Callable[[int], object]:
    """Another conversation is opened meanwhile."""
    return lambda place: composer.attachments.take_all()


def test_a_file_that_was_removed_while_it_was_read_takes_no_other_place(
    strip: AttachmentStrip,
) -> None:
    removed: set[int] = set()
    for _ in range(60):
        first = strip.reserve_slot("salary.pdf")
        assert first is not None
        removed.add(first)
        strip.restore(())
        second = strip.reserve_slot("holiday.pdf")
        assert second not in removed
        strip.set_attachment(first, attachment(name="salary.pdf"))
        assert strip.items() == []
        assert strip.has_pending
        strip.restore(())
