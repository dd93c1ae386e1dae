"""A figure made of pictures on the window's surface: drawing, measuring, snapshots."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random

from PIL import Image
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QImage, QPaintDevice, QPainter, QPixmap, QTransform

from neodeskpet.figure.files.model_description import ModelDescription
from neodeskpet.figure.files.model_reader import file_error
from neodeskpet.figure.live2d.framing import PixelBox
from neodeskpet.figure.sprites.sprite_actor import SpriteActor, SpritePosture
from neodeskpet.figure.sprites.sprite_figure import SHEET_SIDE, SpriteFigure
from neodeskpet.ui.pet.window_placement import FIGURE_HEIGHT, FigureShape

_SIDE, _TOP, _BOTTOM = 0.06, 0.06, 0.02
"""Margins around the drawn area, in shares of the canvas, for hops and swings."""
_HEAD = 0.42
"""The head's share of a figure that doesn't describe it."""
_PIXEL_ART_HEIGHT = 220
"""Pixels: a figure of at most this height is pixel art, shown at a multiple of its own size."""
_MOUTH = 0.78
_TALLEST = 2400
_SEEN = 24
_SHARPER = 4
"""Maximum factor by which a portrait is drawn larger before it is scaled down."""
_SEARCH_HEIGHT = 120
"""Height of the picture in which the head is searched."""
_SOLID = 128
_CROWN = 0.2
"""The share of the head's width that is drawn where it begins; a paw or a spark above it is
narrower.
"""
_FACE = (0.3, 0.8)
"""The part of the head, from its top down, where it is widest."""
_CHEEKS = 0.8
"""The face's share of the head's width; a tail beside it isn't part of either."""


async def load_sheets(description: ModelDescription) -> list[QImage]:
    """Load the sprite sheets of a figure. Raises ModelFileError.

    Each in its own thread: decoding releases the GIL, and a figure has up to seven.
    """
    assert description.pictures is not None
    files = description.textures or tuple(
        description.root / name for name in description.pictures.sheets
    )
    return await asyncio.gather(*(asyncio.to_thread(_load_sheet, file) for file in files))


def _load_sheet(file: Path) -> QImage:
    try:
        with Image.open(file, formats=("PNG", "WEBP")) as picture:
            if max(picture.size) > SHEET_SIDE:
                raise ValueError(f"{picture.size}")
            plain = picture.convert("RGBA")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise file_error(file.name, str(error)) from None
    width, height = plain.size
    image = QImage(plain.tobytes(), width, height, 4 * width, QImage.Format.Format_RGBA8888)
    return image.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)


class PictureFigure:
    """A figure for `description.pictures`; draws its `sheets` on `surface`."""

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
        self._body: SpriteFigure = description.pictures
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
        self.actor = SpriteActor(description, random, now)
        self._crown = _crown(self._rows(), self._head().width)  # at rest now

    @property
    def shape(self) -> FigureShape:
        """The positions of figure, head and mouth at rest."""
        head = self._head()
        mouth = (head.middle[0], head.top + head.height * _MOUTH)
        found = self.description
        aspect = self._view.width() / self._view.height()
        size = found.size * self._native_size()
        return FigureShape(self._share(*self._body.figure), head, mouth, aspect, size, found.offset)

    def _native_size(self) -> float:
        """Return the size factor; 1 for figures of any size. Pixel art is shown with each pixel as
        a whole number of pixels: scaled to the usual height it would be blurred.
        """
        tall = self._body.figure[3] - self._body.figure[1]
        if not 0 < tall <= _PIXEL_ART_HEIGHT:
            return 1.0
        return tall * max(1, _PIXEL_ART_HEIGHT // tall) / FIGURE_HEIGHT

    def set_description(self, description: ModelDescription, now: float) -> None:
        """Set other names, moods and areas of the same figure."""
        self.description = description
        self.actor.redescribe(description, now)

    def set_size(self, width: int, height: int) -> None:
        """Set the size of the window in device pixels."""
        self._size = (width, height)

    def draw(self, now: float, seconds: float) -> None:
        """Advance by `seconds` to `now`, and draw."""
        self.actor.advance(now, seconds)
        with QPainter(self._surface) as painter:
            # The window's painter uses device-independent pixels.
            ratio = self._surface.devicePixelRatioF()
            width, height = self._size
            self._paint(painter, width / ratio, height / ratio)

    def find_face(self) -> PixelBox:
        """Return where the head is, in shares of the window."""
        return self._head()

    def touch_area_at(self, x: float, y: float) -> str:
        """Return the touch area at a device pixel, by what is drawn there."""
        width, height = self._size
        point = PixelBox(x / width, y / height, x / width, y / height)
        for area in self.description.hit_areas:
            if area.box is not None and self._area(area.box).holds(point.left, point.top):
                return area.name
        image = self.snapshot(height)
        if not image.rect().contains(int(x), int(y)):
            return ""
        if image.pixelColor(int(x), int(y)).alpha() < _SEEN:
            return ""
        return "Head" if point.top <= self._head().bottom else "Body"

    def snapshot(self, height: int) -> QImage:
        """Return a picture of the current figure, `height` pixels high, with transparent background
        (premultiplied alpha).
        """
        height = max(16, min(height, _TALLEST))
        width = max(16, round(height * self._view.width() / self._view.height()))
        image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(Qt.GlobalColor.transparent)
        with QPainter(image) as painter:
            self._paint(painter, width, height)
        return image

    def portrait(self, side: int) -> QImage:
        """Return the head in a square of `side` pixels, at its current position."""
        head, figure = self._head(), self._share(*self._body.figure)
        aspect = self._view.width() / self._view.height()
        tall = max(head.bottom - figure.top, head.width * aspect * 0.8, 0.05) * 1.06
        middle, sunk = self._find_head(head)
        # Drawn at its original size, then scaled down, to use every pixel.
        drawn = max(side, min(_SHARPER * side, round(self._body.canvas[1] * tall)))
        image = self.snapshot(round(drawn / tall))
        left = round(middle * image.width()) - drawn // 2
        top = round((head.bottom + sunk - tall) * image.height())
        square = image.copy(QRect(left, top, drawn, drawn))
        if drawn == side:
            return square
        keep, smooth = Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode
        return square.scaled(side, side, keep, smooth.SmoothTransformation)

    def _find_head(self, rest: PixelBox) -> tuple[float, float]:
        """Return the horizontal centre of the head and how far it is below its rest position, as
        shares of the window: the uppermost part that is wide enough.
        """
        now = self._rows()
        top = _crown(now, rest.width)
        if top < 0 or self._crown < 0:
            return rest.middle[0], 0.0
        sunk = (top - self._crown) / len(now)
        tall, wide = len(now), len(now[0])
        high = rest.height * tall
        face = now[top + round(high * _FACE[0]) : top + round(high * _FACE[1])]
        columns = [sum(column) for column in zip(*face, strict=True)] or [0] * wide
        span = max(1, min(wide, round(rest.width * _CHEEKS * wide)))
        sums = [sum(columns[left : left + span]) for left in range(wide - span + 1)]
        best = max(sums)
        if best == 0:
            return rest.middle[0], sunk
        middle = rest.middle[0] * wide - span / 2
        left = min(
            (at for at, found in enumerate(sums) if found == best), key=lambda at: abs(at - middle)
        )
        half, at = best / 2, left
        while (half := half - columns[at]) > 0:
            at += 1
        return (at + 0.5) / wide, sunk

    def _rows(self) -> list[list[bool]]:
        """Return which pixels are opaque in a small picture of the current figure."""
        small = self.snapshot(_SEARCH_HEIGHT).convertToFormat(QImage.Format.Format_Alpha8)
        data, stride = bytes(small.constBits()), small.bytesPerLine()
        lines = (data[y * stride : y * stride + small.width()] for y in range(small.height()))
        return [[alpha >= _SOLID for alpha in line] for line in lines]

    def close(self) -> None:
        self._pixmaps.clear()

    def _paint(self, painter: QPainter, width: float, height: float) -> None:
        posture = self.actor.posture()
        cel = self._body.cels[posture.cel]
        if cel.sheet >= len(self._pixmaps):
            return
        smooth = self._body.smooth and self._native_size() == 1.0
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smooth)
        painter.setTransform(self._placing(posture, width, height), combine=True)
        painter.drawPixmap(
            QRectF(cel.x, cel.y, cel.width, cel.height),
            self._pixmaps[cel.sheet],
            QRectF(cel.left, cel.top, cel.width, cel.height),
        )

    def _placing(self, posture: SpritePosture, width: float, height: float) -> QTransform:
        """Return the transform from the canvas to `width` × `height` pixels."""
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
            # It hangs from the point where it is held.
            placing.translate(feet.x(), top)
            placing.rotate(posture.turn)
            placing.translate(-feet.x(), -top)
        placing.translate(feet.x(), feet.y())
        placing.scale(-1.0 if posture.mirrored else 1.0, posture.stretch)
        placing.translate(-feet.x(), -feet.y())
        return placing

    def _share(self, left: float, top: float, right: float, bottom: float) -> PixelBox:
        """Convert a box of the canvas to shares of the window."""
        view = self._view
        return PixelBox(
            (left - view.left()) / view.width(),
            (top - view.top()) / view.height(),
            (right - view.left()) / view.width(),
            (bottom - view.top()) / view.height(),
        )

    def _head(self) -> PixelBox:
        if self._body.head is not None:
            return self._share(*self._body.head)
        left, top, right, bottom = self._body.figure
        tall = min((bottom - top) * _HEAD, (right - left) * 1.1)
        return self._share(left, top, right, top + tall)

    def _area(self, box: tuple[float, float, float, float]) -> PixelBox:
        """Convert an area in shares of the figure at rest to shares of the window."""
        figure = self._share(*self._body.figure)
        return PixelBox(
            figure.left + box[0] * figure.width,
            figure.top + box[1] * figure.height,
            figure.left + box[2] * figure.width,
            figure.top + box[3] * figure.height,
        )


def _crown(rows: list[list[bool]], head: float) -> int:
    """Return the first row of the head, which is `head` wide (a share of the width); -1 if there is
    none.
    """
    enough = _CROWN * head * len(rows[0])
    return next((y for y, row in enumerate(rows) if sum(row) >= enough), -1)
