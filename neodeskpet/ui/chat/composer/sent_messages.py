"""Sent messages: the strip of queued ones above the composer, and the history for the keys Up and
Down.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from neodeskpet.language import tr
from neodeskpet.ui.icons import icon
from neodeskpet.ui.theme import Theme, set_style_sheet, ui_font
from neodeskpet.ui.widgets.labels import ElidedLabel, PlainLabel, set_tooltip

QUEUE_ROWS = 3


class QueueStrip(QScrollArea):
    """The queued messages, each with a button that removes it from the queue. Hidden when empty.

    Signals: `removed(row)`; `release_requested()` to send the messages held since Stop.
    """

    removed = Signal(int)
    release_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._texts: tuple[str, ...] = ()
        self._held = False
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()

    def show_texts(self, texts: Sequence[str], *, held: bool = False) -> None:
        if (tuple(texts), held) != (self._texts, self._held):
            self._texts, self._held = tuple(texts), held
            self._build()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._build()

    def retranslate(self) -> None:
        self._build()

    def _build(self) -> None:
        inner = QWidget()
        rows = QVBoxLayout(inner)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(4)
        for number, text in enumerate(self._texts):
            rows.addWidget(self._row(number, text))
        # Delete the old rows in the next event loop iteration: one of their buttons may have just
        # been clicked.
        old = self.takeWidget()
        self.setWidget(inner)
        if old is not None:
            old.hide()
            QTimer.singleShot(0, old, old.deleteLater)
        shown = min(len(self._texts), QUEUE_ROWS)
        self.setFixedHeight(shown * 36 - 4 if shown else 0)
        self.setVisible(bool(self._texts))
        t = self._theme
        set_style_sheet(
            self,
            "QScrollArea, QScrollArea > QWidget > QWidget { background: transparent; }"
            f"#queued {{ background: {t.person}; border: none;"
            f" border-radius: {t.card_radius}px; }}",
        )

    def _row(self, number: int, text: str) -> QWidget:
        row = QFrame()
        row.setObjectName("queued")
        row.setFixedHeight(32)
        line = QHBoxLayout(row)
        line.setContentsMargins(12, 0, 2, 0)
        line.setSpacing(8)
        tag = PlainLabel(tr("Waiting") if self._held else tr("Queued"))
        tag.setProperty("muted", True)
        tag.setFont(ui_font(self._theme, self._theme.small_px))
        line.addWidget(tag)
        line.addWidget(ElidedLabel(" ".join(text.split())), 1)
        if self._held and number == 0:
            line.addWidget(self._release())
        remove = QToolButton()
        remove.setProperty("quiet", True)
        remove.setIcon(icon("close", QColor(self._theme.muted), 16))
        remove.setFixedSize(28, 28)
        remove.setStyleSheet("QToolButton { padding: 0; min-height: 0; }")
        remove.setAccessibleName(tr("Take back: {text}", text=text[:80]))
        set_tooltip(remove, tr("Take back"))
        remove.clicked.connect(lambda _=False: self.removed.emit(number))
        line.addWidget(remove)
        return row

    def _release(self) -> QToolButton:
        go_on = QToolButton()
        go_on.setText(tr("Send now"))
        go_on.setProperty("quiet", True)
        go_on.setFont(ui_font(self._theme, self._theme.small_px))
        go_on.setFixedHeight(28)
        go_on.setStyleSheet("QToolButton { padding: 0 8px; min-height: 0; }")
        go_on.setAccessibleName(tr("Send queued messages"))
        go_on.clicked.connect(self.release_requested)
        return go_on


MAX_KEPT = 200


class InputHistory:
    """The history of inputs. A walk starts in an empty field and ends when the shown text is
    changed. Its steps return the text to show, or None if the key moves the cursor as usual.
    """

    def __init__(self) -> None:
        self._sent: list[str] = []
        self._place: int | None = None

    def add(self, text: str) -> None:
        """Add a sent text and end the walk; equal neighbours are stored once."""
        if not self._sent or self._sent[-1] != text:
            self._sent.append(text)
        del self._sent[:-MAX_KEPT]
        self._place = None

    def replace(self, texts: Iterable[str]) -> None:
        """Replace the history by the sent texts of another conversation, oldest first."""
        self._sent = list(texts)[-MAX_KEPT:]
        self._place = None

    def older(self, shown: str) -> str | None:
        if not self._walking(shown):
            if shown:
                return None
            self._place = len(self._sent)
        place = self._place if self._place is not None else len(self._sent)
        if place == 0:
            return None
        self._place = place - 1
        return self._sent[self._place]

    def newer(self, shown: str) -> str | None:
        if not self._walking(shown) or self._place is None:
            return None
        self._place += 1
        if self._place >= len(self._sent):
            self._place = None
            return ""
        return self._sent[self._place]

    def _walking(self, shown: str) -> bool:
        place = self._place
        return place is not None and place < len(self._sent) and self._sent[place] == shown
