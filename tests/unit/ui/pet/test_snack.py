from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from neodeskpet.ui.pet.snack import SIZE, Snack, paint_biscuit


def painted(bites: int) -> int:
    """Return how many pixels of a biscuit are left."""
    image = QImage(SIZE, SIZE, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    with QPainter(image) as painter:
        paint_biscuit(painter, QRectF(4, 4, SIZE - 8, SIZE - 8), bites)
    return sum(image.pixelColor(x, y).alpha() > 128 for x in range(SIZE) for y in range(SIZE))


def test_each_bite_leaves_less() -> None:
    left = [painted(bites) for bites in range(4)]
    assert left == sorted(left, reverse=True)
    assert len(set(left)) == 4
    assert left[0] > 800


def test_it_is_offered_by_a_click_and_dropped_by_a_drag(qtbot: QtBot) -> None:
    snack, offered, dropped = Snack(), list[bool](), list[QPoint]()
    qtbot.addWidget(snack)
    snack.clicked.connect(lambda: offered.append(True))
    snack.dropped.connect(dropped.append)
    snack.place_at(QPoint(300, 300))
    middle = snack.rect().center()
    QTest.mouseClick(snack, Qt.MouseButton.LeftButton, pos=middle)
    assert (offered, dropped) == ([True], [])
    QTest.mousePress(snack, Qt.MouseButton.LeftButton, pos=middle)
    QTest.mouseMove(snack, middle + QPoint(40, -10))
    QTest.mouseRelease(snack, Qt.MouseButton.LeftButton, pos=middle)
    assert offered == [True]
    assert dropped == [QPoint(340, 290)]


def test_while_it_is_eaten_it_can_not_be_moved(qtbot: QtBot) -> None:
    snack, told = Snack(), list[bool]()
    qtbot.addWidget(snack)
    snack.clicked.connect(lambda: told.append(True))
    snack.place_at(QPoint(300, 300))
    snack.eat_at(QPoint(400, 200))
    assert snack.middle() == QPoint(400, 200)
    QTest.mouseClick(snack, Qt.MouseButton.LeftButton)
    snack.take_bite()
    assert told == []


def test_one_that_is_not_taken_disappears(qtbot: QtBot) -> None:
    snack = Snack(lies_ms=1)
    qtbot.addWidget(snack)
    with qtbot.waitSignal(snack.removed):
        snack.place_at(QPoint(300, 300))
    assert not snack.isVisible()


def test_without_a_compositor_it_is_cut_to_its_outline(qtbot: QtBot) -> None:
    snack = Snack(cut_out=True)
    qtbot.addWidget(snack)
    snack.place_at(QPoint(300, 300))
    whole = snack.mask().boundingRect()
    assert not snack.mask().contains(QPoint(0, 0))
    assert snack.mask().contains(snack.rect().center())
    for _ in range(3):
        snack.take_bite()
    assert snack.mask().boundingRect().width() < whole.width()
