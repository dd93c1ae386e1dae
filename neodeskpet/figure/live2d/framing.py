"""Computes which part of a model's world the window shows, and where the model's parts are in it.

Models have any canvas and any margin around the figure. So the figure itself is measured and the
view fitted to it. The library's matrix (`GetMvp`, column-major, model → clip) is read instead of
computed, because Cubism 2 and 3 place canvas, scale and offset differently.
"""

from __future__ import annotations

from dataclasses import dataclass

from neodeskpet.figure.files.model_description import HitArea, ModelDescription
from neodeskpet.figure.live2d.library import CubismModel
from neodeskpet.figure.poses import name_words

MEASURE_SCALE = 0.5
"""The scale at which a whole figure certainly fits into the picture in which it is measured."""

_SIDE, _TOP, _BOTTOM = 0.09, 0.05, 0.02
_MOST = 0.5
_USUAL_REACH = (0.08, 0.05, 0.08, 0.0)


@dataclass(frozen=True, slots=True)
class PixelBox:
    """Left, top, right, bottom."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def middle(self) -> tuple[float, float]:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    def holds(self, x: float, y: float) -> bool:
        return self.left <= x <= self.right and self.top <= y <= self.bottom

    def scaled(self, factor: float) -> PixelBox:
        return PixelBox(
            self.left * factor, self.top * factor, self.right * factor, self.bottom * factor
        )


@dataclass(frozen=True, slots=True)
class Projection:
    """Model → pixels at one size. `m` is GetMvp's matrix."""

    m: tuple[float, ...]
    width: int
    height: int

    def pixel(self, x: float, y: float) -> tuple[float, float]:
        m = self.m
        clip_x = m[0] * x + m[4] * y + m[12]
        clip_y = m[1] * x + m[5] * y + m[13]
        return (clip_x + 1) / 2 * self.width, (1 - clip_y) / 2 * self.height

    def model_point(self, px: float, py: float) -> tuple[float, float]:
        """Return the model point that is shown at a pixel (without rotation)."""
        m = self.m
        clip_x, clip_y = px / self.width * 2 - 1, 1 - py / self.height * 2
        return (clip_x - m[12]) / m[0], (clip_y - m[13]) / m[5]


@dataclass(frozen=True, slots=True)
class ModelView:
    """The visible part of the model's world. `box.top` and `box.bottom` are as on the screen, so
    `box.bottom` may be the smaller number. `aspect` is the window's width : height.
    """

    box: PixelBox
    aspect: float


def view_of(
    figure: PixelBox, lens: Projection, reach: tuple[float, float, float, float] | None
) -> ModelView:
    """Return the view that shows a figure at `figure` (pixels of `lens`) and all its motions."""
    left, top, right, bottom = (min(max(share, 0.0), _MOST) for share in reach or _USUAL_REACH)
    width, height = figure.width, figure.height
    seen = PixelBox(
        figure.left - width * (left + _SIDE),
        figure.top - height * (top + _TOP),
        figure.right + width * (right + _SIDE),
        figure.bottom + height * (bottom + _BOTTOM),
    )
    x0, y0 = lens.model_point(seen.left, seen.top)
    x1, y1 = lens.model_point(seen.right, seen.bottom)
    return ModelView(PixelBox(x0, y0, x1, y1), seen.width / seen.height)


@dataclass(frozen=True, slots=True)
class ModelPlacement:
    """The placement of a model that shows a view in a window of `width` × `height` pixels: the
    offset that was set, and the offset that moves it up by one window height (`step`).
    """

    width: int
    height: int
    x: float
    y: float
    step: float


def place_model(model: CubismModel, view: ModelView, width: int, height: int) -> ModelPlacement:
    """Place the model so that it shows `view` in a window of `width` × `height` pixels."""
    model.Resize(width, height)
    model.SetScale(1.0)
    model.SetOffset(0.0, 0.0)
    model.Rotate(0.0)
    scale = abs(2.0 / (view.box.height * model.GetMvp()[5]))
    model.SetScale(scale)
    start = model.GetMvp()
    model.SetOffset(1.0, 1.0)
    moved = model.GetMvp()
    unit_x, unit_y = moved[12] - start[12], moved[13] - start[13]
    x, y = view.box.middle
    offset_x = -(start[0] * x + start[12]) / unit_x
    offset_y = -(start[5] * y + start[13]) / unit_y
    model.SetOffset(offset_x, offset_y)
    return ModelPlacement(width, height, offset_x, offset_y, 2.0 / unit_y)


def mesh_box(model: CubismModel, mesh: str, lens: Projection) -> PixelBox | None:
    """Return the current box of a mesh in pixels; None if the model has none of that name."""
    ids = model.GetDrawableIds()
    if mesh not in ids:
        return None
    points = model.GetDrawableVertices(ids.index(mesh))
    if not points:
        return None
    pixels = [lens.pixel(x, y) for x, y in zip(points[0::2], points[1::2], strict=True)]
    xs, ys = [x for x, _ in pixels], [y for _, y in pixels]
    return PixelBox(min(xs), min(ys), max(xs), max(ys))


def area_box(
    model: CubismModel, area: HitArea, lens: Projection, figure: PixelBox
) -> PixelBox | None:
    """Return the current box of a hit area in pixels; a hand-drawn one stays at the
    figure at rest.
    """
    if area.box is None:
        return mesh_box(model, area.id, lens)
    left, top, right, bottom = area.box
    return PixelBox(
        figure.left + left * figure.width,
        figure.top + top * figure.height,
        figure.left + right * figure.width,
        figure.top + bottom * figure.height,
    )


def area_at(
    model: CubismModel,
    description: ModelDescription,
    lens: Projection,
    figure: PixelBox,
    x: float,
    y: float,
) -> str | None:
    """Return the hit area under a pixel, the smallest if several; None if there is none. `figure`
    is its box at rest.

    The library's `IsAreaHit` is not used because it finds nothing in Cubism 2 models.
    """
    found = [
        (box.width * box.height, area.name)
        for area in description.hit_areas
        if (box := area_box(model, area, lens, figure)) is not None and box.holds(x, y)
    ]
    return min(found)[1] if found else None


def head_box(
    model: CubismModel, description: ModelDescription, lens: Projection, figure: PixelBox
) -> PixelBox | None:
    """Return the box of the head in pixels: the hit area of that name; None if the model
    has none.
    """
    for area in description.hit_areas:
        if set(name_words(area.name)) & {"head", "face", "头", "脸"}:
            box = area_box(model, area, lens, figure)
            if box is not None:
                return box
    return None
