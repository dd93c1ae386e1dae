"""What can be pressed in a speech bubble: the answers of a question, and the link to the chat."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QAbstractButton, QPushButton, QToolButton, QWidget

from neodeskpet.language import tr
from neodeskpet.ui.theme import Theme, scale_to_font, ui_font

_BUTTON_HEIGHT = 30
"""Height of a button at the normal text size."""
_GAP = 8
_LINK_PADDING = 5
"""Room for the focus frame of the link at both sides of its words."""


class BubbleControls:
    """Buttons side by side, as many in a row as fit into `row_width`, and the link "Open in chat".
    The bubble reserves `height` below its text and calls `place`.
    """

    def __init__(self, parent: QWidget, theme: Theme, row_width: Callable[[], int]) -> None:
        self._parent, self._theme, self._row_width = parent, theme, row_width
        self.buttons: list[QPushButton] = []
        self.link = QToolButton(parent)
        self.link.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.link.setCursor(Qt.CursorShape.PointingHandCursor)
        self.link.hide()
        self.style_link()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._style_buttons()
        self.style_link()

    def set_answers(
        self, answers: Sequence[tuple[str, str]], answered: Callable[[str], object]
    ) -> None:
        """Replace the buttons by one for each of `answers` (id, text). `answered` is called with
        the id.
        """
        for button in self.buttons:
            button.hide()
            button.deleteLater()
        self.buttons = []
        for choice, text in answers:
            button = QPushButton(text, self._parent)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            button.clicked.connect(lambda _=False, chosen=choice: answered(chosen))
            self.buttons.append(button)
        self._style_buttons()
        for button in self.buttons:
            button.show()

    @property
    def any_shown(self) -> bool:
        """Whether there is a button or the link."""
        return bool(self.buttons) or self.link.isVisible()

    @property
    def focused(self) -> QAbstractButton | None:
        """The one with the keyboard focus."""
        controls: list[QAbstractButton] = [*self.buttons, self.link]
        return next((one for one in controls if one.hasFocus()), None)

    @property
    def link_width(self) -> int:
        """The width of the link in pixels."""
        words = self.link.fontMetrics().horizontalAdvance(self.link.text())
        return words + 2 * _LINK_PADDING

    @property
    def width(self) -> int:
        """The width of the widest row of buttons in pixels."""
        return max((_width_of(row) for row in self._rows()), default=0)

    @property
    def height(self) -> int:
        """The height of all rows of buttons in pixels, with the gap above them."""
        return len(self._rows()) * (self._button_height + _GAP)

    def place(self, left: int, bottom: int) -> None:
        """Place the buttons so that they end at `bottom`, and the link in the last line of text
        there: it is never shown together with buttons.
        """
        line = self._theme.line_px
        self.link.setGeometry(QRect(left - _LINK_PADDING, bottom - line, self.link_width, line))
        top = bottom - self.height + _GAP
        for row in self._rows():
            x = left
            for button in row:
                button.setGeometry(x, top, button.sizeHint().width(), self._button_height)
                x += button.width() + _GAP
            top += self._button_height + _GAP

    def style_link(self) -> None:
        """Set the words and the look of the link."""
        theme = self._theme
        self.link.setText(tr("Open in chat"))
        self.link.setFont(ui_font(theme, theme.small_px))
        self.link.setStyleSheet(
            "QToolButton { background: transparent; border: none; padding: 0px;"
            f" color: {theme.accent}; min-height: 0px; }}"
            f"QToolButton:hover {{ color: {theme.accent_hover}; text-decoration: underline; }}"
            f"QToolButton:focus {{ border: {theme.focus_width}px solid {theme.text};"
            f" border-radius: {theme.control_radius}px; }}"
        )

    @property
    def _button_height(self) -> int:
        return scale_to_font(_BUTTON_HEIGHT, self._theme)

    def _style_buttons(self) -> None:
        theme = self._theme
        inner = self._button_height - 2
        for place, button in enumerate(self.buttons):
            ground, words = (
                (theme.accent, theme.on_accent) if place == 0 else (theme.surface, theme.text)
            )
            button.setFont(ui_font(theme, theme.small_px + 1))
            button.setStyleSheet(
                f"QPushButton {{ background: {ground}; color: {words}; padding: 0 10px;"
                f" border: 1px solid {theme.control_line}; border-radius: {theme.control_radius}px;"
                f" min-height: {inner}px; max-height: {inner}px; }}"
                f"QPushButton:focus {{ border: {theme.focus_width}px solid {theme.text}; }}"
            )
            button.adjustSize()

    def _rows(self) -> list[list[QPushButton]]:
        rows: list[list[QPushButton]] = []
        for button in self.buttons:
            if rows and _width_of([*rows[-1], button]) <= self._row_width():
                rows[-1].append(button)
            else:
                rows.append([button])
        return rows


def _width_of(row: Sequence[QPushButton]) -> int:
    return sum(button.sizeHint().width() + _GAP for button in row) - _GAP
