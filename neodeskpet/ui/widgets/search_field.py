"""A search field with an icon before the text and a button that clears it."""

from __future__ import annotations

from PySide6.QtGui import QAction, QColor
from PySide6.QtWidgets import QLineEdit, QToolButton, QWidget

from neodeskpet.language import tr
from neodeskpet.ui.icons import icon
from neodeskpet.ui.theme import Theme, set_style_sheet


class SearchField(QLineEdit):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._glass = QAction(self)
        self._cross = QAction(self)
        self._cross.triggered.connect(self.clear)
        self._cross.setVisible(False)
        self.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)
        self.addAction(self._cross, QLineEdit.ActionPosition.TrailingPosition)
        self.textChanged.connect(lambda text: self._cross.setVisible(bool(text)))
        self.set_theme(theme)

    def set_placeholder(self, words: str) -> None:
        """Set placeholder and accessible name."""
        self.setPlaceholderText(words)
        self.setAccessibleName(words)
        for action, name in ((self._glass, words), (self._cross, tr("Clear"))):
            for button in self.findChildren(QToolButton):
                if button.defaultAction() is action:
                    button.setAccessibleName(name)
        self._cross.setText(tr("Clear"))

    def set_theme(self, theme: Theme) -> None:
        muted = QColor(theme.muted)
        self._glass.setIcon(icon("search", muted, 16))
        self._cross.setIcon(icon("close", muted, 16))
        # The thicker frame of the focus would leave less height for the text.
        inner = 5 - theme.focus_width if theme.contrast else 4
        set_style_sheet(
            self,
            f"QLineEdit {{ padding: 4px 4px; placeholder-text-color: {theme.muted}; }}"
            f"QLineEdit:focus {{ padding: {inner}px {inner}px; }}"
            "QLineEdit QToolButton { border: none; background: transparent; padding: 0;"
            " min-height: 0; }",
        )
