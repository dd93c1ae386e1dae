from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.figure.files.model_reader import HitArea
from neodeskpet.figure.live2d.framing import (
    PixelBox,
    Projection,
    area_at,
    head_box,
    mesh_box,
    place_model,
    view_of,
)
from tests.unit.figure.doubles import PaperModel, description

SQUARE = {"Face": [-0.5, 0.2, 0.5, 0.2, 0.5, 0.8, -0.5, 0.8], "Nose": [0.0, 0.4, 0.1, 0.5]}
FIGURE = PixelBox(20.0, 40.0, 120.0, 240.0)
AREAS = (HitArea("Head", "Face"), HitArea("Nose", "Nose"), HitArea("Ghost", "Missing"))


def lens_of(model: PaperModel) -> Projection:
    return Projection(model.GetMvp(), model.width, model.height)


@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(0.1, 4), st.floats(-1, 1), st.floats(-1, 1))
def test_pixels_to_units_and_back(x: float, y: float, scale: float, dx: float, dy: float) -> None:
    model = PaperModel()
    model.Resize(300, 500)
    model.SetScale(scale)
    model.SetOffset(dx, dy)
    lens = lens_of(model)
    assert lens.model_point(*lens.pixel(x, y)) == pytest.approx((x, y), abs=1e-6)


@given(
    st.integers(0, 150),
    st.integers(0, 150),
    st.integers(20, 240),
    st.integers(20, 240),
    st.integers(50, 900),
)
def test_a_placed_view_fills_the_window(
    left: int, top: int, width: int, height: int, window: int
) -> None:
    model = PaperModel()
    model.Resize(400, 400)
    model.SetScale(0.5)
    figure = PixelBox(left, top, left + width, top + height)
    measured = lens_of(model)
    view = view_of(figure, measured, (0.1, 0.2, 0.3, 0.0))
    size = max(1, round(window * view.aspect)), window
    place_model(model, view, *size)
    lens = lens_of(model)
    start = lens.pixel(*measured.model_point(figure.left, figure.top))
    end = lens.pixel(*measured.model_point(figure.right, figure.bottom))
    shown = PixelBox(start[0] / size[0], start[1] / size[1], end[0] / size[0], end[1] / size[1])
    # Above the figure 0.2 reach and 0.05 margin, below 0.02; to the sides 0.19 and 0.39.
    rounding = 1.5 / min(size)
    assert shown.top == pytest.approx(0.25 / 1.27, abs=rounding)
    assert shown.bottom == pytest.approx(1.25 / 1.27, abs=rounding)
    assert shown.left == pytest.approx(0.19 / 1.58, abs=rounding)
    assert shown.right == pytest.approx(1.19 / 1.58, abs=rounding)


def test_an_unknown_reach_is_estimated_and_a_large_one_limited() -> None:
    lens = Projection((1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1), 100, 100)
    figure = PixelBox(40, 40, 60, 60)
    assert view_of(figure, lens, None).box.width > 0.4
    assert view_of(figure, lens, (99, 99, 99, -5)).box.width < 1.0


def test_the_smallest_hit_area_is_found_first() -> None:
    model = PaperModel(SQUARE)
    model.Resize(200, 200)
    found = description(areas=AREAS)
    assert area_at(model, found, lens_of(model), FIGURE, 60, 60) == "Head"
    assert area_at(model, found, lens_of(model), FIGURE, 105, 55) == "Nose"
    assert area_at(model, found, lens_of(model), FIGURE, 60, 190) is None
    assert mesh_box(model, "Missing", lens_of(model)) is None


def test_the_head_is_the_area_of_that_name() -> None:
    model = PaperModel(SQUARE)
    model.Resize(200, 200)
    head = head_box(model, description(areas=AREAS), lens_of(model), FIGURE)
    assert head is not None
    assert (head.left, head.right) == (50, 150)
    assert head_box(model, description(), lens_of(model), FIGURE) is None
    assert (
        head_box(model, description(areas=(HitArea("Head", "Gone"),)), lens_of(model), FIGURE)
        is None
    )


def test_an_area_drawn_by_hand_is_a_share_of_the_figure() -> None:
    model = PaperModel()
    lens = lens_of(model)
    found = description(areas=(HitArea("Head", box=(0.25, 0.0, 0.75, 0.5)),))
    assert head_box(model, found, lens, FIGURE) == PixelBox(45.0, 40.0, 95.0, 140.0)
    assert area_at(model, found, lens, FIGURE, 50, 50) == "Head"
    assert area_at(model, found, lens, FIGURE, 40, 50) is None
