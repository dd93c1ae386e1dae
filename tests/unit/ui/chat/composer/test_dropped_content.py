"""The content that is taken from a clipboard or a drop."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtGui import QColor, QImage

from neodeskpet.core.errors import PictureRefused
from neodeskpet.ui.chat.composer.dropped_content import (
    DroppedContent,
    PictureSource,
    is_attachable,
    pictures_in,
    read_content,
)
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


def test_text_is_taken_as_text_even_with_a_picture_of_it() -> None:
    words = mime("a cell of a table")
    assert not is_attachable(words)
    words.setImageData(bare())
    assert not is_attachable(words)
    assert read_content(words) == DroppedContent(text="a cell of a table")


def test_pixels_without_a_file() -> None:
    source = mime()
    source.setImageData(bare())
    assert is_attachable(source)
    (offer,) = pictures_in(source)
    assert offer.load_fitted().media_type == "image/png"


def test_encoded_pictures_are_decoded_in_the_thread() -> None:
    source = mime()
    source.setData("image/png", encoded())
    assert pictures_in(source) == [PictureSource(data=encoded())]
    assert PictureSource(data=encoded()).load_fitted().media_type == "image/png"


def test_picture_files_are_recognised_by_their_names(tmp_path: Path) -> None:
    file = tmp_path / "图.PNG"
    file.write_bytes(encoded())
    source = mime("", file)
    assert is_attachable(source)
    (offer,) = read_content(source).pictures
    assert offer.load_fitted().name == "图.PNG"
    with pytest.raises(PictureRefused):
        PictureSource(path=tmp_path / "gone.png").load_fitted()


def test_empty_content() -> None:
    assert list(pictures_in(mime())) == []


def test_other_files_are_separate_and_links_are_text() -> None:
    found = read_content(mime("", Path("/tmp/cat.png"), Path("/tmp/letter.txt")))
    assert (found.file_names, list(found.files)) == (
        ["cat.png", "letter.txt"],
        [Path("/tmp/letter.txt")],
    )
    link = QMimeData()
    link.setUrls([QUrl("https://example.org/a")])
    assert read_content(link) == DroppedContent(text="https://example.org/a")
    assert not is_attachable(link)
    assert read_content(mime()).is_empty
