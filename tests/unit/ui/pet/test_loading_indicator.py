from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from neodeskpet.ui.pet.gl_surface import opaque_bounds
from neodeskpet.ui.pet.loading_indicator import paint_loading_indicator
from neodeskpet.ui.theme import DARK, LIGHT, Theme


def paint(theme: Theme, now: float, *, alone: bool) -> QImage:
    image = QImage(120, 120, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    painter = QPainter(image)
    paint_loading_indicator(painter, QPointF(60, 60), 20.0, theme, now, alone=alone)
    painter.end()
    return image


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_it_turns(qapp: QApplication, theme: Theme) -> None:
    assert paint(theme, 0.0, alone=False) != paint(theme, 0.3, alone=False)


def test_alone_it_has_a_background(qapp: QApplication) -> None:
    small, large = (opaque_bounds(paint(LIGHT, 0.0, alone=alone)) for alone in (False, True))
    assert small is not None
    assert large is not None
    assert large.width > small.width
