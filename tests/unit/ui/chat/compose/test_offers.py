"""What is taken from a clipboard or a drop."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtGui import QColor, QImage

from neodeskpet.core.errors import PictureRefused
from neodeskpet.ui.chat.compose.offers import Contents, Offer, contents_of, is_attachable, offers_in
from tests.support.pictures import encoded


def mime(text: str = "", *files: Path) -> QMimeData:
    made = QMimeData()
    if text:
        made.setText(text)
    if files:
        made.setUrls([QUrl.fromLocalFile(str(file)) for file in files])
    return made


def bare(colour: str = "red") -> QImage:
    image = QImage(5, 3, QImage.Format.Format_RGB32)
    image.fill(QColor(colour))
    return image


def test_words_are_words_also_with_a_picture_of_them() -> None:
    words = mime("a cell of a table")
    assert not is_attachable(words)
    words.setImageData(bare())
    assert not is_attachable(words)
    assert contents_of(words) == Contents(text="a cell of a table")


def test_bare_pixels() -> None:
    source = mime()
    source.setImageData(bare())
    assert is_attachable(source)
    (offer,) = offers_in(source)
    assert offer.fit().media_type == "image/png"


def test_what_is_encoded_stays_so_until_the_thread() -> None:
    source = mime()
    source.setData("image/png", encoded())
    assert offers_in(source) == [Offer(data=encoded())]
    assert Offer(data=encoded()).fit().media_type == "image/png"


def test_files_are_pictures_by_their_names(tmp_path: Path) -> None:
    file = tmp_path / "图.PNG"
    file.write_bytes(encoded())
    source = mime("", file)
    assert is_attachable(source)
    (offer,) = contents_of(source).offers
    assert offer.fit().name == "图.PNG"
    with pytest.raises(PictureRefused):
        Offer(path=tmp_path / "gone.png").fit()


def test_nothing_in_it() -> None:
    assert list(offers_in(mime())) == []


def test_other_files_are_kept_apart_and_links_are_words() -> None:
    found = contents_of(mime("", Path("/tmp/cat.png"), Path("/tmp/letter.txt")))
    assert (found.names, list(found.files)) == (
        ["cat.png", "letter.txt"],
        [Path("/tmp/letter.txt")],
    )
    link = QMimeData()
    link.setUrls([QUrl("https://example.org/a")])
    assert contents_of(link) == Contents(text="https://example.org/a")
    assert not is_attachable(link)
    assert contents_of(mime()).empty
