"""A model on the GL surface: measured, drawn, photographed. A context must be current for all."""

from __future__ import annotations

from random import Random

from PySide6.QtCore import QRect
from PySide6.QtGui import QImage

from neodeskpet.live2d.actor import Actor
from neodeskpet.live2d.catalog import ModelDescription
from neodeskpet.live2d.framing import (
    MEASURE_SCALE,
    Box,
    Lens,
    area_at,
    head_box,
    place,
    view_of,
)
from neodeskpet.live2d.library import CubismModel, cubism, hushed
from neodeskpet.ui.pet.standing import Shape
from neodeskpet.ui.pet.surface import Canvas, Pixels, drawn_box

_MEASURE = 400
_TALLEST = 2400
_MOUTH = 0.78
"""Where the mouth is, as a share of the head's height."""


class Figure:
    """`model` was loaded without a renderer; it gets one here. Boxes are in pixels of the window
    at the size of the last `fit`.
    """

    def __init__(
        self,
        model: CubismModel,
        description: ModelDescription,
        pixels: Pixels,
        random: Random,
        now: float,
    ) -> None:
        self._model = model
        self._description = description
        self._pixels = pixels
        with hushed():
            model.CreateRenderer()
        figure, lens = self._measure()
        self._view = view_of(figure, lens, description.reach)
        corner, end = lens.model(figure.left, figure.top), lens.model(figure.right, figure.bottom)
        box = self._view.box
        self._share = Box(
            (corner[0] - box.left) / (box.right - box.left),
            (corner[1] - box.top) / (box.bottom - box.top),
            (end[0] - box.left) / (box.right - box.left),
            (end[1] - box.top) / (box.bottom - box.top),
        )
        self._placing = place(model, self._view, _MEASURE, _MEASURE)
        self._head_share = self._find_head()
        self.actor = Actor(model, description, random, now)

    @property
    def shape(self) -> Shape:
        """Where the figure, its head and its mouth are, at rest."""
        head = self._head_share
        mouth = (head.middle[0], head.top + head.height * _MOUTH)
        return Shape(self._share, head, mouth, self._view.aspect)

    def fit(self, width: int, height: int) -> None:
        """The window is `width` × `height` device pixels from now on."""
        if (self._placing.width, self._placing.height) == (width, height):
            return
        self._place(width, height)
        self.actor.placing = self._placing

    def draw(self, now: float, seconds: float) -> None:
        """Move on by `seconds` to `now`, and draw."""
        self.actor.advance(now, seconds)
        self._model.Draw()

    def area_at(self, x: float, y: float) -> str:
        """The touch area at a device pixel; "" where the model names none."""
        return area_at(self._model, self._description, self._lens(), x, y) or ""

    def picture(self, height: int) -> QImage:
        """As it stands now, `height` pixels high, on nothing (premultiplied alpha)."""
        height = max(16, min(height, _TALLEST))
        before = self._placing
        width = max(16, round(height * self._view.aspect))
        self._place(width, height)
        with Canvas(self._pixels, width, height) as canvas:
            self._clear_and_draw()
            image = canvas.image()
        self._place(before.width, before.height)
        return image

    def portrait(self, side: int) -> QImage:
        """The head in a square of `side` pixels."""
        head, share = self._head_share, self._share
        top = share.top  # ears and hair above the face belong to the head
        tall = head.bottom - top
        image = self.picture(round(side / max(tall, 0.05)))
        middle = round(head.middle[0] * image.width())
        begin = round(top * image.height())
        return image.copy(QRect(middle - side // 2, begin, side, side))

    def close(self) -> None:
        self._model.DestroyRenderer()

    def _measure(self) -> tuple[Box, Lens]:
        model = self._model
        model.Resize(_MEASURE, _MEASURE)
        model.SetScale(MEASURE_SCALE)
        with Canvas(self._pixels, _MEASURE, _MEASURE) as canvas:
            # The first frames settle physics and poses that hide parts.
            for _ in range(3):
                model.Update(0.05)
                self._clear_and_draw()
            image = canvas.image()
        lens = Lens(model.GetMvp(), _MEASURE, _MEASURE)
        return drawn_box(image) or Box(0.0, 0.0, _MEASURE, _MEASURE), lens

    def _clear_and_draw(self) -> None:
        cubism().clearBuffer(0.0, 0.0, 0.0, 0.0)
        self._model.Draw()

    def _place(self, width: int, height: int) -> None:
        self._placing = place(self._model, self._view, width, height)

    def _lens(self) -> Lens:
        return Lens(self._model.GetMvp(), self._placing.width, self._placing.height)

    def _find_head(self) -> Box:
        size = self._placing.width, self._placing.height
        figure = Box(
            self._share.left * size[0],
            self._share.top * size[1],
            self._share.right * size[0],
            self._share.bottom * size[1],
        )
        head = head_box(self._model, self._description, self._lens(), figure)
        return Box(
            head.left / size[0], head.top / size[1], head.right / size[0], head.bottom / size[1]
        )
