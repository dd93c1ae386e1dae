"""A heading with buttons beside it, parts below one another, rows, and the background of
a window.
"""

from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.ui.theme import LIGHT
from neodeskpet.ui.windows.side_window import SideWindowLayout, muted_label


def test_parts_are_where_they_are_put(qtbot: QtBot) -> None:
    window, more, left, wide = (
        QWidget(),
        QPushButton("More"),
        QPushButton("Left"),
        QPushButton("Wide"),
    )
    qtbot.addWidget(window)
    said = muted_label(centred=True)
    frame = SideWindowLayout(window, "toys", "Toys", (200, 160), [more])
    frame.add(said, 1)
    frame.row(left, wide, wide=wide, spacing=5)
    frame.set_theme(LIGHT, "QPushButton { padding: 0; }")
    frame.retranslate()
    window.resize(400, 300)
    window.show()
    assert (window.objectName(), window.windowTitle(), frame.heading.text()) == (
        "toys",
        "Toys",
        "Toys",
    )
    assert window.minimumWidth() == 200
    assert frame.heading.y() < said.y() < left.y() == wide.y()
    assert more.geometry().right() == wide.geometry().right() == 400 - 16 - 1
    assert wide.width() > left.width() * 2
    assert wide.x() == left.geometry().right() + 1 + 5
    assert said.height() > frame.heading.height() * 3
    assert LIGHT.window in window.styleSheet()
    assert "padding: 0" in window.styleSheet()
