"""Painting and packing."""

import numpy as np
import pytest
from companion.atlas import pack
from companion.character import draw
from companion.curves import ellipse
from companion.figure import Figure, grid_shape
from companion.palette import INK, PINK
from companion.raster import Box, Painter
from PIL import Image, ImageDraw


def disc(size: float) -> Painter:
    painter = Painter(Box(0, 0, 2 * size, 2 * size))
    painter.fill(painter.mask(ellipse(size, size, size - 4, size - 4)), PINK)
    return painter


def test_coverage_equals_that_of_the_shape() -> None:
    painter = Painter(Box(0, 0, 40, 40))
    square = np.array([(10.0, 10.0), (30.0, 10.0), (30.0, 30.0), (10.0, 30.0)])
    alpha = np.asarray(painter.mask(square)).astype(int)
    assert abs(alpha.sum() / 255 - 400) < 12


def test_pieces_do_not_overlap_and_keep_their_distance() -> None:
    atlas = pack({f"disc{i}": disc(20 + 3 * i) for i in range(8)}, 256)
    boxes = [
        (s.x - 8, s.y - 8, s.x + s.box.width + 8, s.y + s.box.height + 8)
        for s in atlas.slots.values()
    ]
    for i, (l1, t1, r1, b1) in enumerate(boxes):
        for l2, t2, r2, b2 in boxes[i + 1 :]:
            assert l1 >= r2 or l2 >= r1 or t1 >= b2 or t2 >= b1


def test_colour_bleeds_under_transparent_texels() -> None:
    atlas = pack({"disc": disc(20)}, 64)
    texels = np.asarray(atlas.image)
    slot = atlas.slots["disc"]
    beside = texels[slot.y + 20, slot.x - 2]
    assert beside[3] == 0
    assert tuple(beside[:3]) == PINK.channels()[:3]


def test_a_piece_that_does_not_fit_is_named() -> None:
    with pytest.raises(ValueError, match="disc"):
        pack({"disc": disc(60)}, 64)


def test_a_grid_leaves_out_empty_cells() -> None:
    painter = Painter(Box(0, 0, 100, 100))
    painter.fill(painter.mask(ellipse(20, 20, 12, 12)), INK)
    shape = grid_shape(painter, 10)
    assert 3 <= len(shape.triangles) < 40
    assert shape.art.max() <= 50


@pytest.fixture(scope="module")
def painters() -> dict[str, Painter]:
    painted = dict(draw(0.5).painters)
    for painter in painted.values():
        painter.trim()
    return painted


@pytest.mark.parametrize("cell", [22, 60, 120])
def test_a_grid_covers_everything_that_is_painted(
    painters: dict[str, Painter], cell: float
) -> None:
    for name, painter in painters.items():
        shape = grid_shape(painter, cell)
        shown = Image.new("L", painter.image.size)
        on_it = ImageDraw.Draw(shown)
        corner = np.array([painter.box.left, painter.box.top])
        for triangle in ((shape.art - corner)[shape.triangles] * painter.scale).tolist():
            on_it.polygon([tuple(point) for point in triangle], fill=255)
        painted = np.asarray(painter.image.getchannel("A")) > 0
        assert not (painted & (np.asarray(shown) == 0)).any(), name


def test_a_half_cell_without_paint_is_left_out() -> None:
    painter = Painter(Box(0, 0, 80, 80))
    painter.fill(painter.mask(np.array([(0.0, 0.0), (56.0, 0.0), (0.0, 56.0)])), INK)
    assert len(grid_shape(painter, 40).triangles) == 4


def test_a_piece_is_painted_once() -> None:
    figure = Figure()
    figure.paint("Nose", Box(0, 0, 10, 10))
    with pytest.raises(ValueError, match="twice"):
        figure.paint("Nose", Box(0, 0, 10, 10))
