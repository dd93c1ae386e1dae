"""The page of an empty conversation: the companion and suggestions.

In a low window the less important parts are hidden, so that nothing overlaps.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPixmap, QResizeEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from neodeskpet.core.i18n import N_
from neodeskpet.language import tr
from neodeskpet.ui.theme import Theme, set_style_sheet, ui_font
from neodeskpet.ui.widgets.labels import PlainLabel, WrappingButton
from neodeskpet.ui.widgets.portrait import Portrait

PORTRAIT_SIZE = 96
_MARGIN, _SPACING = 16, 12
SUGGESTIONS = (
    N_("What can you do?"),
    N_("Set a timer for ten minutes"),
    N_("Show me your happiest face"),
)


class WelcomePage(QFrame):
    """`suggested(text)`: the user clicked a suggestion."""

    suggested = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = ""
        self._portrait = Portrait(PORTRAIT_SIZE)
        self._title = PlainLabel()
        self._words = PlainLabel()
        self._words.setProperty("muted", True)
        self.buttons = [WrappingButton() for _ in SUGGESTIONS]
        for button, text in zip(self.buttons, SUGGESTIONS, strict=True):
            button.clicked.connect(lambda _=False, said=text: self.suggested.emit(tr(said)))
        box = QVBoxLayout(self)
        box.setContentsMargins(_MARGIN, _MARGIN, _MARGIN, _MARGIN)
        box.setSpacing(_SPACING)
        box.addStretch(2)
        self._parts = (self._portrait, self._title, self._words, *self.buttons)
        for label in (self._title, self._words):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            label.setWordWrap(True)
        for widget in self._parts:
            box.addWidget(widget)
            if not isinstance(widget, PlainLabel):  # a text centres its lines in the whole width
                box.setAlignment(widget, Qt.AlignmentFlag.AlignHCenter)
        box.addStretch(3)
        self.set_theme(theme)
        self.retranslate()

    def set_portrait(self, picture: QPixmap) -> None:
        self._portrait.set_picture(picture)

    def set_name(self, name: str) -> None:
        self._name = name
        self._portrait.set_name(name)
        self.retranslate()

    def set_theme(self, theme: Theme) -> None:
        self._portrait.set_theme(theme)
        self._title.setFont(ui_font(theme, theme.heading_px, bold=True))
        set_style_sheet(
            self,
            f"WelcomePage {{ background: {theme.window}; border: none; }}"
            f"QPushButton {{ border-radius: {theme.message_radius}px;"
            f" padding: 4px 16px; border: 1px solid {theme.line}; }}"
            f"QPushButton:focus {{ border-color: {theme.accent}; }}",
        )

        self._hide_what_does_not_fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._hide_what_does_not_fit()

    def _hide_what_does_not_fit(self) -> None:
        room = self.height() - 2 * _MARGIN
        needed = sum(self._height_of(part) + _SPACING for part in self._parts)
        for part in (self._portrait, self._words, *reversed(self.buttons)):
            fits = needed <= room
            part.setVisible(fits)
            if not fits:
                needed -= self._height_of(part) + _SPACING

    def _height_of(self, part: QWidget) -> int:
        width = self.width() - 2 * _MARGIN
        if isinstance(part, WrappingButton | Portrait):
            width = min(part.sizeHint().width(), width)
        return part.heightForWidth(width) if part.hasHeightForWidth() else part.sizeHint().height()

    def retranslate(self) -> None:
        self._title.setText(tr("{name} is listening", name=self._name))
        self._words.setText(tr("Write below, or start with one of these."))
        for button, text in zip(self.buttons, SUGGESTIONS, strict=True):
            button.setText(tr(text))
