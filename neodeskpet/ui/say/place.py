"""Where the line stands: beside the companion, at its feet, never over its face nor its bubble."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPoint, QRect, QSize

from neodeskpet.ui.pet.placement import bubble_position

_GAP = 12
_MARGIN = 24


def quick_message_position(
    size: QSize, figure: QRect, head: QRect, mouth: QPoint, bubble: QRect, screen: QRect
) -> QRect:
    """On the screen always; over the body where there is no room beside it. Where nothing is free
    the bubble is hidden rather than the face.
    """
    spots = [spot for spot in _free_positions(size, figure, screen) if not spot.intersects(head)]
    free = [spot for spot in spots if not spot.intersects(bubble)]
    if free or spots:
        return (free or spots)[0]
    return bubble_position(size, figure, mouth, screen, head=head, covered=bubble).body


def position_when_hidden(size: QSize, screen: QRect) -> QRect:
    """While the companion is hidden: in the middle, near the lower edge."""
    left = screen.left() + (screen.width() - size.width()) // 2
    return QRect(QPoint(left, screen.bottom() + 1 - _MARGIN - size.height()), size)


def _free_positions(size: QSize, figure: QRect, screen: QRect) -> Iterator[QRect]:
    """Those that are wholly on the screen, the best first."""
    width, height = size.width(), size.height()
    feet = min(figure.bottom(), screen.bottom()) + 1
    middle = figure.center().x() - width // 2
    left = figure.left() - _GAP - width
    right = figure.right() + 1 + _GAP
    sides = [left, right]
    if figure.left() - screen.left() < screen.right() - figure.right():
        sides.reverse()
    corners = (
        *(QPoint(side, feet - height) for side in sides),
        QPoint(middle, figure.bottom() + 1 + _GAP),
        QPoint(max(screen.left(), min(middle, screen.right() + 1 - width)), feet - height),
    )
    for corner in corners:
        spot = QRect(corner, size)
        if screen.contains(spot):
            yield spot
