"""A line that tells what was done, with a button to undo it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QWidget

from neodeskpet.core.errors import KnownError
from neodeskpet.language import format_error, tr
from neodeskpet.ui.theme import Theme, set_style_sheet
from neodeskpet.ui.widgets.labels import PlainLabel

TOAST_SECONDS = 8.0


class UndoBar(QFrame):
    """Hidden until an action was done. With `seconds` an offer to undo is hidden again after that
    time, unless the pointer or the focus is on it; `undo_last` still undoes.
    """

    def __init__(
        self, theme: Theme, parent: QWidget | None = None, *, seconds: float | None = None
    ) -> None:
        super().__init__(parent)
        self._undo: Callable[[], None] | None = None
        self.hides = QTimer(self, singleShot=True)
        if seconds is not None:
            self.hides.setInterval(round(seconds * 1000))
            self.hides.timeout.connect(self._hide_offer)
        self.has_undo = False
        """Whether it has something to show; a page may hide it for a while."""
        self.text = PlainLabel()
        self.text.setWordWrap(True)
        self.button = QPushButton()
        self.button.clicked.connect(self._press)
        line = QHBoxLayout(self)
        line.setContentsMargins(16, 8, 12, 8)
        line.setSpacing(12)
        line.addWidget(self.text, 1)
        line.addWidget(self.button)
        self.set_theme(theme)
        self.retranslate()
        self.hide()

    def show_undo(self, text: str, undo: Callable[[], None], button: str = "") -> None:
        """Show a text with an undo button. `undo` may raise KnownError, which is shown then.
        `button` is the button's text, by default "Undo".
        """
        self.button.setText(button or tr("Undo"))
        self._undo = undo
        self.text.setText(text)
        self.button.show()
        self._show(True)
        self._start_hiding()

    def show_text(self, text: str) -> None:
        """Show a text without an undo button; "" hides the bar."""
        self._undo = None
        self.hides.stop()
        self.text.setText(text)
        self.button.hide()
        self._show(bool(text))

    def undo_last(self) -> None:
        """Undo what was offered last, also after the bar was hidden by itself."""
        self._press()

    def clear(self) -> None:
        self._undo = None
        self._show(False)

    def _start_hiding(self) -> None:
        if self.hides.interval() > 0:
            self.hides.start()

    def _hide_offer(self) -> None:
        if self.underMouse() or self.button.hasFocus():
            self.hides.start()
        else:
            self._show(False)

    def _show(self, offers: bool) -> None:
        self.has_undo = offers
        self.setVisible(offers)

    def set_theme(self, theme: Theme) -> None:
        set_style_sheet(
            self,
            f"UndoBar {{ background: {theme.surface}; border: 1px solid {theme.line};"
            f" border-left: 3px solid {theme.done}; border-radius: {theme.control_radius}px; }}",
        )

    def retranslate(self) -> None:
        self.button.setText(tr("Undo"))

    def _press(self) -> None:
        undo, self._undo = self._undo, None
        if undo is None:
            return
        try:
            undo()
        except KnownError as error:
            self.text.setText(format_error(error))
            self.button.hide()
        else:
            self._show(False)
