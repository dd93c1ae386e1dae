"""Content of a clipboard or a drop: pictures, files, text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QMimeData, Qt
from PySide6.QtGui import QImage

from neodeskpet.core.attachments import Picture
from neodeskpet.storage.image_resize import MOST_SIDE, fit_picture, read_picture
from neodeskpet.ui.widgets.controls import local_files

_PICTURE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp"})
_ENCODED = ("image/png", "image/jpeg", "image/webp", "image/bmp", "image/gif")


@dataclass(frozen=True, slots=True)
class PictureSource:
    """A picture that hasn't been fitted to the limits: a file, the content of one, or pixels."""

    path: Path | None = None
    data: bytes = b""
    image: QImage | None = None

    def load_fitted(self) -> Picture:
        """Return the picture within the limits. Slow: call it in a thread. Raises
        PictureRefused.
        """
        if self.path is not None:
            return read_picture(self.path)
        return fit_picture(self.data if self.image is None else _encode(self.image))


@dataclass(frozen=True, slots=True)
class DroppedContent:
    """A copy of dropped content: pictures, other files, text (a link is text)."""

    pictures: Sequence[PictureSource] = ()
    files: Sequence[Path] = ()
    text: str = ""

    @property
    def is_empty(self) -> bool:
        return not (self.pictures or self.files or self.text.strip())

    @property
    def file_names(self) -> list[str]:
        """Return the names of the files."""
        pictures = (offer.path for offer in self.pictures)
        return [path.name for path in (*pictures, *self.files) if path is not None]


def read_content(source: QMimeData) -> DroppedContent:
    """Return the content without reading or decoding files."""
    files = local_files(source)
    if files:
        pictures = [path for path in files if _is_picture(path)]
        others = [path for path in files if path not in pictures]
        return DroppedContent([PictureSource(path=path) for path in pictures], others)
    if is_attachable(source):
        return DroppedContent(pictures_in(source))
    return DroppedContent(text=source.text() or "\n".join(url.toString() for url in source.urls()))


def is_attachable(source: QMimeData) -> bool:
    """Whether the content is files or pictures and not text: word processors copy text together
    with a picture of it.
    """
    if source.hasUrls():
        return bool(local_files(source))
    return source.hasImage() and not source.text().strip()


def pictures_in(source: QMimeData) -> Sequence[PictureSource]:
    """Return the pictures, still encoded if possible: nothing is decoded here."""
    for kind in _ENCODED:
        data = source.data(kind).data() if source.hasFormat(kind) else b""
        if data:
            return [PictureSource(data=bytes(data))]
    image = source.imageData()
    return [PictureSource(image=image)] if isinstance(image, QImage) and not image.isNull() else []


def _is_picture(path: Path) -> bool:
    return path.suffix.lower() in _PICTURE_SUFFIXES


def _encode(image: QImage) -> bytes:
    """Return the picture as PNG, hardly compressed since it is encoded again at once, and no larger
    than needed: Qt holds the GIL meanwhile.
    """
    if max(image.width(), image.height()) > MOST_SIDE:
        keep = Qt.AspectRatioMode.KeepAspectRatio
        image = image.scaled(MOST_SIDE, MOST_SIDE, keep, Qt.TransformationMode.SmoothTransformation)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG", 100)  # type: ignore[call-overload]  # the stub wants bytes
    return bytes(buffer.data().data())
