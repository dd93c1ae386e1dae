"""The caret blinks while somebody writes. A while after the last key it stands still: each blink
paints, and would keep the processor from its sleep all day.
"""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication

_BLINK_STOPS_MS = 10_000


class CaretBlinkTimer(QObject):
    """`stir` for each key; still again `still_ms` after the last one. All fields share one beat."""

    _put_aside: ClassVar[int] = 0
    """The beat while it stands still; 0 where the person's desktop has none."""

    def __init__(self, parent: QObject, still_ms: int = _BLINK_STOPS_MS) -> None:
        super().__init__(parent)
        self._calm = QTimer(self, singleShot=True, interval=still_ms)
        self._calm.timeout.connect(self._stand_still)

    def restart(self) -> None:
        if QApplication.cursorFlashTime() == 0 and CaretBlinkTimer._put_aside:
            QApplication.setCursorFlashTime(CaretBlinkTimer._put_aside)
        self._calm.start()

    def _stand_still(self) -> None:
        CaretBlinkTimer._put_aside = QApplication.cursorFlashTime() or CaretBlinkTimer._put_aside
        QApplication.setCursorFlashTime(0)
