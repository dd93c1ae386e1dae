"""A Live2D model on the GL surface: measuring, drawing, snapshots. A context must be current for
all calls.
"""

from __future__ import annotations

import math
from random import Random

from PySide6.QtCore import QRect
from PySide6.QtGui import QImage

from neodeskpet.figure.files.model_reader import ModelDescription
from neodeskpet.figure.live2d.framing import (
    MEASURE_SCALE,
    PixelBox,
    Projection,
    area_at,
    head_box,
    place_model,
    view_of,
)
from neodeskpet.figure.live2d.library import CubismModel, cubism_library, without_stdout
from neodeskpet.figure.live2d.model_actor import ModelActor
from neodeskpet.ui.pet.gl_surface import FramebufferReader, OffscreenCanvas, opaque_bounds
from neodeskpet.ui.pet.window_placement import FigureShape

_MEASURE = 400
_TALLEST = 2400
_CROWN, _LEAST_HEAD = 0.25, 0.08
_AIR = 0.04
_MOUTH = 0.78
"""Position of the mouth as a share of the head's height."""


class Live2DFigure:
    """`model` was loaded without a renderer and gets one here. Boxes are in pixels of the window at
    the size of the last `set_size`. `tall` is the expected height in device pixels.
    """

    def __init__(
        self,
        model: CubismModel,
        description: ModelDescription,
        pixels: FramebufferReader,
        random: Random,
        now: float,
        tall: float = math.inf,
    ) -> None:
        self._model = model
        self.description = description
        self._pixels = pixels
        with without_stdout():
            model.CreateRenderer(tall)
        figure, crown, lens = self._measure()
        self._view = view_of(figure, lens, description.reach)
        self._share = self._shares(figure, lens)
        self._placing = place_model(
            model, self._view, round(_MEASURE * self._view.aspect), _MEASURE
        )
        self._crown = self._shares(crown, lens)
        self._head_share = self._find_head(self._crown)
        self.actor = ModelActor(model, description, random, now)

    @property
    def shape(self) -> FigureShape:
        """The positions of figure, head and mouth at rest."""
        head = self._head_share
        mouth = (head.middle[0], head.top + head.height * _MOUTH)
        description = self.description
        return FigureShape(
            self._share, head, mouth, self._view.aspect, description.size, description.offset
        )

    def find_face(self) -> PixelBox:
        """Return where the head is now, in shares of the window."""
        return self._find_head(self._crown)

    def set_description(self, description: ModelDescription, now: float) -> None:
        """Set other names, moods and areas of the same model."""
        self.description = description
        self._head_share = self._find_head(self._crown)
        self.actor.redescribe(description, now)

    def set_size(self, width: int, height: int) -> None:
        """Set the size of the window in device pixels."""
        if (self._placing.width, self._placing.height) == (width, height):
            return
        self._place(width, height)
        self.actor.placing = self._placing

    def draw(self, now: float, seconds: float) -> None:
        """Advance by `seconds` to `now`, and draw."""
        self.actor.advance(now, seconds)
        self._model.Draw()

    def touch_area_at(self, x: float, y: float) -> str:
        """Return the touch area at a device pixel; "" if the model names none."""
        lens = self._lens()
        return area_at(self._model, self.description, lens, self._figure_box(), x, y) or ""

    def snapshot(self, height: int) -> QImage:
        """Return a picture of the current figure, `height` pixels high, with transparent background
        (premultiplied alpha).
        """
        height = max(16, min(height, _TALLEST))
        before = self._placing
        width = max(16, round(height * self._view.aspect))
        self._place(width, height)
        with OffscreenCanvas(self._pixels, width, height) as canvas:
            self._clear_and_draw()
            image = canvas.image()
        self._place(before.width, before.height)
        return image

    def portrait(self, side: int) -> QImage:
        """Return the head in a square of `side` pixels, at its current position."""
        rest, now = self._head_share, self._find_head(self._crown)
        # Ears and hair above the face belong to the head; add a small margin.
        tall = max(rest.bottom - self._share.top, 0.05) * 1.06
        sunk = now.middle[1] - rest.middle[1]
        image = self.snapshot(round(side / tall))
        left = round(now.middle[0] * image.width()) - side // 2
        top = round((rest.bottom + sunk - tall) * image.height())
        return image.copy(QRect(left, top, side, side))

    def close(self) -> None:
        self._model.DestroyRenderer()

    def _measure(self) -> tuple[PixelBox, PixelBox, Projection]:
        """Return the boxes of the figure and its uppermost part, and the projection of the
        measurement.
        """
        model = self._model
        model.Resize(_MEASURE, _MEASURE)
        model.SetScale(MEASURE_SCALE)
        with OffscreenCanvas(self._pixels, _MEASURE, _MEASURE) as canvas:
            # The first frames settle physics and poses that hide parts. From Cubism 3 on, the last
            # frame is complete.
            for last in (False, False, True):
                model.Update(0.05)
                if last or self.description.version == 2:
                    self._clear_and_draw()
            image = canvas.image()
        lens = Projection(model.GetMvp(), _MEASURE, _MEASURE)
        figure = opaque_bounds(image) or PixelBox(0.0, 0.0, _MEASURE, _MEASURE)
        top = image.copy(0, 0, _MEASURE, round(figure.top + figure.height * _CROWN))
        return figure, opaque_bounds(top) or figure, lens

    def _shares(self, seen: PixelBox, lens: Projection) -> PixelBox:
        """Convert a box of pixels of `lens` to shares of the view."""
        corner, end = (
            lens.model_point(seen.left, seen.top),
            lens.model_point(seen.right, seen.bottom),
        )
        box = self._view.box
        return PixelBox(
            (corner[0] - box.left) / (box.right - box.left),
            (corner[1] - box.top) / (box.bottom - box.top),
            (end[0] - box.left) / (box.right - box.left),
            (end[1] - box.top) / (box.bottom - box.top),
        )

    def _clear_and_draw(self) -> None:
        cubism_library().clearBuffer(0.0, 0.0, 0.0, 0.0)
        self._model.Draw()

    def _place(self, width: int, height: int) -> None:
        self._placing = place_model(self._model, self._view, width, height)
        with without_stdout():
            self._model.show_detail(abs(self._model.GetMvp()[5]) * height / 2)

    def _lens(self) -> Projection:
        return Projection(self._model.GetMvp(), self._placing.width, self._placing.height)

    def _figure_box(self) -> PixelBox:
        """Return the box of the figure at rest in pixels of the current size."""
        width, height = self._placing.width, self._placing.height
        share = self._share
        return PixelBox(
            share.left * width, share.top * height, share.right * width, share.bottom * height
        )

    def _find_head(self, crown: PixelBox) -> PixelBox:
        """Return the box of the head in shares of the window. Without information from the model,
        `crown`, the uppermost part of the figure, gives the position.
        """
        width, height = self._placing.width, self._placing.height
        found = head_box(self._model, self.description, self._lens(), self._figure_box())
        if found is not None and found.height / height > self._share.height * _LEAST_HEAD:
            return PixelBox(
                found.left / width,
                found.top / height,
                found.right / width,
                found.bottom / height,
            )
        tall = min(crown.width * width / height * 1.1, self._share.height / 2)
        return PixelBox(crown.left, crown.top, crown.right, crown.top + tall)


def find_face(picture: QImage) -> QImage:
    """Return the face in a picture of a whole figure, as a square: without information on the head,
    the uppermost part is used. Null for an empty picture.
    """
    figure = opaque_bounds(picture)
    if figure is None:
        return QImage()
    top = picture.copy(0, 0, picture.width(), round(figure.top + figure.height * _CROWN))
    crown = opaque_bounds(top) or figure
    side = round(min(crown.width * 1.25, figure.height * 0.6))
    left = round((crown.left + crown.right) / 2) - side // 2
    return picture.copy(left, round(figure.top - side * _AIR), side, side)
