"""A body made of pictures on the window's surface: drawn by Qt, measured, photographed."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random

from PIL import Image
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QImage, QPaintDevice, QPainter, QPixmap, QTransform

from neodeskpet.live2d.files.catalog import fault
from neodeskpet.live2d.files.description import ModelDescription
from neodeskpet.live2d.framing import Box
from neodeskpet.live2d.pictures.actor import PictureActor, Posture
from neodeskpet.live2d.pictures.body import SHEET_SIDE, PictureBody
from neodeskpet.ui.pet.stand import Shape

_SIDE, _TOP, _BOTTOM = 0.06, 0.06, 0.02
"""Air around all that is ever drawn, in shares of the canvas: it hops and swings."""
_HEAD = 0.42
"""The head's share of a figure that doesn't say where it is."""
_MOUTH = 0.78
_TALLEST = 2400
_SEEN = 24


async def open_sheets(description: ModelDescription) -> list[QImage]:
    """The sheets of a developed body. Raises ModelFileError.

    Each in a thread of its own: decoding lets other threads run, and a figure has up to seven.
    """
    assert description.pictures is not None
    files = description.textures or tuple(
        description.root / name for name in description.pictures.sheets
    )
    return await asyncio.gather(*(asyncio.to_thread(_open_sheet, file) for file in files))


def _open_sheet(file: Path) -> QImage:
    try:
        with Image.open(file, formats=("PNG", "WEBP")) as picture:
            if max(picture.size) > SHEET_SIDE:
                raise ValueError(f"{picture.size}")
            plain = picture.convert("RGBA")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise fault(file.name, str(error)) from None
    width, height = plain.size
    image = QImage(plain.tobytes(), width, height, 4 * width, QImage.Format.Format_RGBA8888)
    return image.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)


class PictureFigure:
    """As `Figure`, for `description.pictures`, its `sheets` drawn on `surface`."""

    def __init__(
        self,
        description: ModelDescription,
        sheets: list[QImage],
        surface: QPaintDevice,
        random: Random,
        now: float,
    ) -> None:
        assert description.pictures is not None
        self.description = description
        self._body: PictureBody = description.pictures
        self._surface = surface
        self._images = sheets
        self._pixmaps = [QPixmap.fromImage(sheet) for sheet in sheets]
        width, height = self._body.canvas
        self._view = QRectF(
            -width * _SIDE,
            -height * _TOP,
            width * (1 + 2 * _SIDE),
            height * (1 + _TOP + _BOTTOM),
        )
        self._size = (1, 1)
        self.actor = PictureActor(description, random, now)

    @property
    def shape(self) -> Shape:
        """Where the figure, its head and its mouth are, at rest."""
        head = self._head()
        mouth = (head.middle[0], head.top + head.height * _MOUTH)
        found = self.description
        aspect = self._view.width() / self._view.height()
        return Shape(self._share(*self._body.figure), head, mouth, aspect, found.size, found.offset)

    def redescribe(self, description: ModelDescription, now: float) -> None:
        """The same body, with other names, moods and areas."""
        self.description = description
        self.actor.redescribe(description, now)

    def fit(self, width: int, height: int) -> None:
        """The window is `width` × `height` device pixels from now on."""
        self._size = (width, height)

    def draw(self, now: float, seconds: float) -> None:
        """Move on by `seconds` to `now`, and draw."""
        self.actor.advance(now, seconds)
        with QPainter(self._surface) as painter:
            # The window's painter counts device-independent pixels.
            ratio = self._surface.devicePixelRatioF()
            width, height = self._size
            self._paint(painter, width / ratio, height / ratio)

    def area_at(self, x: float, y: float) -> str:
        """The touch area at a device pixel: what is seen there is what is touched."""
        width, height = self._size
        point = Box(x / width, y / height, x / width, y / height)
        for area in self.description.hit_areas:
            if area.box is not None and self._area(area.box).holds(point.left, point.top):
                return area.name
        image = self.picture(height)
        if not image.rect().contains(int(x), int(y)):
            return ""
        if image.pixelColor(int(x), int(y)).alpha() < _SEEN:
            return ""
        return "Head" if point.top <= self._head().bottom else "Body"

    def picture(self, height: int) -> QImage:
        """As it stands now, `height` pixels high, on nothing (premultiplied alpha)."""
        height = max(16, min(height, _TALLEST))
        width = max(16, round(height * self._view.width() / self._view.height()))
        image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(Qt.GlobalColor.transparent)
        with QPainter(image) as painter:
            self._paint(painter, width, height)
        return image

    def portrait(self, side: int) -> QImage:
        """The head in a square of `side` pixels."""
        head, figure = self._head(), self._share(*self._body.figure)
        aspect = self._view.width() / self._view.height()
        tall = max(head.bottom - figure.top, head.width * aspect * 0.8, 0.05) * 1.06
        image = self.picture(round(side / tall))
        left = round(head.middle[0] * image.width()) - side // 2
        top = round((head.bottom - tall) * image.height())
        return image.copy(QRect(left, top, side, side))

    def close(self) -> None:
        self._pixmaps.clear()

    def _paint(self, painter: QPainter, width: float, height: float) -> None:
        posture = self.actor.posture()
        cel = self._body.cels[posture.cel]
        if cel.sheet >= len(self._pixmaps):
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, self._body.smooth)
        painter.setTransform(self._placing(posture, width, height), combine=True)
        painter.drawPixmap(
            QRectF(cel.x, cel.y, cel.width, cel.height),
            self._pixmaps[cel.sheet],
            QRectF(cel.left, cel.top, cel.width, cel.height),
        )

    def _placing(self, posture: Posture, width: float, height: float) -> QTransform:
        """From the canvas to `width` × `height` pixels."""
        left, top, right, bottom = self._body.figure
        feet = QPointF((left + right) / 2, bottom)
        placing = QTransform.fromScale(width / self._view.width(), height / self._view.height())
        placing.translate(-self._view.left(), -self._view.top())
        placing.translate(0.0, -posture.lift * (bottom - top))
        if posture.lean:
            middle = QPointF(feet.x(), (top + bottom) / 2)
            placing.translate(middle.x(), middle.y())
            placing.rotate(posture.lean)
            placing.translate(-middle.x(), -middle.y())
        if posture.turn:
            # It hangs from where a hand would hold it.
            placing.translate(feet.x(), top)
            placing.rotate(posture.turn)
            placing.translate(-feet.x(), -top)
        placing.translate(feet.x(), feet.y())
        placing.scale(-1.0 if posture.mirrored else 1.0, posture.stretch)
        placing.translate(-feet.x(), -feet.y())
        return placing

    def _share(self, left: float, top: float, right: float, bottom: float) -> Box:
        """A box of the canvas as shares of the window."""
        view = self._view
        return Box(
            (left - view.left()) / view.width(),
            (top - view.top()) / view.height(),
            (right - view.left()) / view.width(),
            (bottom - view.top()) / view.height(),
        )

    def _head(self) -> Box:
        if self._body.head is not None:
            return self._share(*self._body.head)
        left, top, right, bottom = self._body.figure
        tall = min((bottom - top) * _HEAD, (right - left) * 1.1)
        return self._share(left, top, right, top + tall)

    def _area(self, box: tuple[float, float, float, float]) -> Box:
        """An area drawn by hand, in shares of the figure at rest."""
        figure = self._share(*self._body.figure)
        return Box(
            figure.left + box[0] * figure.width,
            figure.top + box[1] * figure.height,
            figure.left + box[2] * figure.width,
            figure.top + box[3] * figure.height,
        )
