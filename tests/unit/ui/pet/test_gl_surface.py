"""The OpenGL surface: formats, availability and supersampling."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QImage, QSurfaceFormat
from PySide6.QtWidgets import QApplication

from neodeskpet.figure.live2d.framing import PixelBox
from neodeskpet.ui.pet.gl_surface import default_format, opaque_bounds, opengl_error, surface_error


def test_the_format_that_paints() -> None:
    wanted = default_format()
    assert wanted.version() == (2, 1)
    assert wanted.alphaBufferSize() == 8
    assert wanted.profile() is QSurfaceFormat.OpenGLContextProfile.CompatibilityProfile
    assert surface_error(wanted) == ""


def test_formats_that_paint_nothing_are_reported() -> None:
    core = QSurfaceFormat(default_format())
    core.setVersion(4, 1)
    core.setProfile(QSurfaceFormat.OpenGLContextProfile.CoreProfile)
    small = QSurfaceFormat(default_format())
    small.setRenderableType(QSurfaceFormat.RenderableType.OpenGLES)
    old = QSurfaceFormat(default_format())
    old.setVersion(1, 4)
    opaque = QSurfaceFormat(default_format())
    opaque.setAlphaBufferSize(0)
    assert all(surface_error(found) for found in (core, small, old, opaque))
    assert surface_error(opaque, alpha=False) == ""


def test_opengl_is_available(qapp: QApplication) -> None:
    assert opengl_error() == ""


@pytest.mark.parametrize("width", [7, 8, 33])
def test_the_box_of_the_drawn_pixels(width: int) -> None:
    image = QImage(width, 9, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    assert opaque_bounds(image) is None
    image.setPixelColor(2, 3, "red")
    image.setPixelColor(5, 7, "red")
    assert opaque_bounds(image) == PixelBox(2, 3, 6, 8)
