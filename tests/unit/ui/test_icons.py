"""Every icon is drawn in the requested colour, sharp at every scale."""

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QIcon, QImage
from PySide6.QtWidgets import QApplication

from neodeskpet.settings.settings_model import describe_sections
from neodeskpet.ui import icons


def coloured(image: QImage) -> list[QColor]:
    """Return the completely covered pixels."""
    found = []
    for y in range(image.height()):
        for x in range(image.width()):
            pixel = image.pixelColor(x, y)
            if pixel.alpha() == 255:
                found.append(pixel)
    return found


def test_there_are_icons() -> None:
    assert {"send", "stop", "more", "settings", "chat"} <= set(icons.icon_names())


@pytest.mark.parametrize("name", icons.icon_names())
def test_it_is_drawn_in_the_requested_colour(qapp: QApplication, name: str) -> None:
    covered = coloured(icons.pixmap(name, QColor("#1b7f89"), 48).toImage())
    assert covered
    assert {pixel.name() for pixel in covered} == {"#1b7f89"}


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
def test_it_has_the_pixels_of_the_scale(qapp: QApplication, ratio: float) -> None:
    picture = icons.pixmap("send", QColor("red"), 20, ratio)
    assert picture.size() == QSize(round(20 * ratio), round(20 * ratio))
    assert picture.deviceIndependentSize().width() == pytest.approx(20)


def test_a_disabled_control_has_its_own_colour(qapp: QApplication) -> None:
    made = icons.icon("stop", QColor("#ff0000"), 20, disabled=QColor("#00ff00"))
    off = made.pixmap(QSize(20, 20), QIcon.Mode.Disabled).toImage()
    assert {pixel.name() for pixel in coloured(off)} == {"#00ff00"}


def test_an_unknown_icon_is_an_error(qapp: QApplication) -> None:
    with pytest.raises(FileNotFoundError):
        icons.pixmap("no such icon", QColor("red"))


def test_every_page_of_the_settings_has_its_icon() -> None:
    assert {section.icon for section in describe_sections()} <= set(icons.icon_names())
