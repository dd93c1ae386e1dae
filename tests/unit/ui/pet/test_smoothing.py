from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint

from neodeskpet.ui.pet.gl_surface import opaque_bounds, supersampling_factor
from tests.unit.ui.pet.conftest import Theatre


@pytest.mark.parametrize(
    ("size", "software", "times"),
    [
        ((237, 246), False, 2.0),
        ((402, 418), False, 2.0),
        ((944, 982), False, 1.5),
        ((1500, 1600), False, 1.0),
        ((237, 246), True, 1.5),
        ((402, 418), True, 1.0),
    ],
)
def test_how_much_larger(size: tuple[int, int], software: bool, times: float) -> None:
    assert supersampling_factor(*size, software=software) == times


def test_a_small_figure_is_drawn_in_another_buffer(theatre: Theatre) -> None:
    """The window's own picture is that of the snapshot, which is never enlarged."""
    pet = theatre.pet
    pet.placement.set_scale(0.5)
    pet.placement.move_feet_to(QPoint(800, 900))
    theatre.wait(0.3)
    plain = opaque_bounds(pet.snapshot())
    shown = pet.grabFramebuffer()
    assert plain is not None
    box = opaque_bounds(shown)
    assert box is not None
    assert (shown.width(), shown.height()) == (pet.width(), pet.height())
    for side in ("left", "top", "right", "bottom"):
        assert abs(getattr(plain, side) - getattr(box, side)) <= 6, (plain, box)
