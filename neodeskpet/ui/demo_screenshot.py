"""Composes one picture of companion, bubble and chat, for the demo and for reports."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QImage, QLinearGradient, QPainter
from PySide6.QtWidgets import QWidget

from neodeskpet.ui.pet.pet_window import PetWindow
from neodeskpet.ui.theme import Theme

_MARGIN = 32
_STAGE = 420


def compose_demo_screenshot(chat: QWidget, pet: PetWindow, bubble: QWidget, theme: Theme) -> QImage:
    """Return a picture with the chat at the left and the companion at the right with its bubble
    above.

    The screen can't be captured everywhere, and without a compositor nothing is transparent; so the
    parts are composed.
    """
    height = chat.height() + 2 * _MARGIN
    size = QRect(0, 0, chat.width() + _STAGE + 3 * _MARGIN, height)
    image = QImage(size.size(), QImage.Format.Format_ARGB32_Premultiplied)
    with QPainter(image) as painter:
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        paint_desktop(painter, size, theme)
        painter.drawPixmap(QPoint(_MARGIN, _MARGIN), chat.grab())
        left = chat.width() + 2 * _MARGIN
        figure = pet.snapshot()
        top = height - _MARGIN
        if not figure.isNull():
            fitted = figure.scaled(
                _STAGE,
                height - 200,
                Qt.AspectRatioMode.KeepAspectRatio,
                Qt.TransformationMode.SmoothTransformation,
            )
            top -= fitted.height()
            painter.drawImage(QPoint(left + (_STAGE - fitted.width()) // 2, top), fitted)
        if bubble.isVisible():
            shown = bubble.grab()
            place = QPoint(
                left + (_STAGE - bubble.width()) // 2, max(_MARGIN, top - bubble.height())
            )
            painter.drawPixmap(place, shown)
    return image


def paint_desktop(painter: QPainter, size: QRect, theme: Theme) -> None:
    """Fill `size` with the colours of a desktop behind the windows."""
    gradient = QLinearGradient(size.topLeft(), size.bottomRight())
    for place, colour in zip((0.0, 0.55, 1.0), theme.desktop, strict=True):
        gradient.setColorAt(place, QColor(colour))
    painter.fillRect(size, gradient)
