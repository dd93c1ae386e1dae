"""The scroll bar of a conversation, which grows with each line of a reply that streams."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QAbstractSlider, QScrollBar, QWidget

from neodeskpet.ui.chat.items.item import Scene
from neodeskpet.ui.theme import MIN_HANDLE_LENGTH


class ConversationScrollBar(QScrollBar):
    """Qt's, that paints its own ground, and is painted only when its handle looks another. A bar
    that one sees through has all five widgets below it painted too, for each line that comes.
    """

    def __init__(self, scene: Scene, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._scene = scene
        self._painted = (0, 0)  # where its handle was
        self._matching = False

    def set_values(self, most: int, page: int, step: int, value: int) -> None:
        """Show a range from 0 to `most`. Nobody is told, unless the bar comes or goes by it."""
        told = self.blockSignals(most > 0 and self.maximum() > 0)
        self._matching = True
        self.setRange(0, most)
        self.setPageStep(page)
        self.setSingleStep(step)
        self.setValue(value)
        self._matching = False
        self.blockSignals(told)
        if self._handle() != self._painted:
            self.update()

    def sliderChange(self, change: QAbstractSlider.SliderChange) -> None:
        if not self._matching:
            super().sliderChange(change)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._be_opaque()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._be_opaque()

    def _be_opaque(self) -> None:
        """Style sheets say that it isn't."""
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._painted = self._handle()
        with QPainter(self) as painter:
            painter.fillRect(event.rect(), self._scene.style.color("window"))
        super().paintEvent(event)

    def _handle(self) -> tuple[int, int]:
        """Its length and where it begins, in pixels, nearly as the style sheet has it."""
        room, most = self.height(), self.maximum()
        long = max(MIN_HANDLE_LENGTH, room * self.pageStep() // max(1, most + self.pageStep()))
        return long, (room - long) * self.value() // max(1, most)
