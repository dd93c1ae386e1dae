"""One row of a settings page: a title, controls, an explanation and an error.

A row that appears is scrolled into view.
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, Qt, QTimer
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from neodeskpet.language import join_sentences
from neodeskpet.ui.settings.settings_search import matches_query
from neodeskpet.ui.theme import Theme, scale_to_font, ui_font
from neodeskpet.ui.widgets.accessible import describe
from neodeskpet.ui.widgets.controls import ComboBox, TextEntry
from neodeskpet.ui.widgets.labels import ErrorLabel, PlainLabel

TITLE_WIDTH = 148
_ANY_WIDTH = 16777215  # Qt's QWIDGETSIZE_MAX


class SettingsRow(QFrame):
    """`controls` are side by side at the right of the title; in a narrow window they are below it.

    A search looks through `stack` and the texts of the row. The control with the index `stretch`
    takes the remaining width; None leaves it empty before the last control. `below` is a line under
    the note.
    """

    def __init__(
        self, theme: Theme, *controls: QWidget, stack: str = "", stretch: int | None = 0
    ) -> None:
        super().__init__()
        self.stack = stack
        self.title = PlainLabel()
        self.title.setWordWrap(True)
        self.title.setProperty("muted", True)
        self.note = PlainLabel()
        self.error_label = ErrorLabel()
        self.note.setWordWrap(True)
        self.note.hide()
        self.note.setProperty("muted", True)
        self.controls = controls
        self._wanted = self._found = True
        self._folded = self._searched = False
        self._theme = theme
        self._narrow = False
        self._lay_out(stretch)
        self.set_theme(theme)

    def set_texts(self, title: str, note: str = "") -> None:
        self.title.setText(title)
        self.set_note(note)

    def set_note(self, note: str) -> None:
        self.note.setText(note)
        self.note.setVisible(bool(note))
        self._describe_controls()

    def set_relevant(self, wanted: bool) -> None:
        """Show or hide the row, depending on whether it can be used now."""
        self._wanted = wanted
        self._update_visibility()

    def set_folded(self, folded: bool) -> None:
        """Hide the row until its card's “More” is opened. A search shows it in any case."""
        self._folded = folded
        self._update_visibility()

    def _update_visibility(self) -> None:
        folded = self._folded and not self._searched
        self.setVisible(self._wanted and self._found and not folded)

    def search(self, query: str) -> bool:
        """Show the row if it matches; return whether it is shown."""
        buttons = (one.text() for one in self.controls if isinstance(one, QPushButton))
        shown = "\n".join((self.title.text(), self.note.text(), *buttons)).casefold()
        self._found = matches_query(query, f"{self.stack}\n{shown}")
        self._searched = bool(query)
        self._update_visibility()
        return self._wanted and self._found

    def set_error(self, text: str) -> None:
        """Show an error under the control; "" removes it."""
        self.error_label.set_error(text)
        self._describe_controls()
        for control in self.controls:
            fields = (*control.findChildren(TextEntry), *control.findChildren(ComboBox))
            for part in (control, *fields):
                _set_wrong(part, bool(text))

    def _describe_controls(self) -> None:
        """Let screen readers read the error and the note with the controls."""
        text = join_sentences(self.error_label.text(), self.note.text())
        for control in self.controls:
            describe(control, text)

    def set_narrow(self, narrow: bool) -> None:
        """Put the title above the controls, or beside them."""
        self._narrow = narrow
        if narrow:
            self._line.setDirection(QBoxLayout.Direction.TopToBottom)
            self.title.setMinimumWidth(0)
            self.title.setMaximumWidth(_ANY_WIDTH)
        else:
            self._line.setDirection(QBoxLayout.Direction.LeftToRight)
            self.title.setFixedWidth(scale_to_font(TITLE_WIDTH, self._theme))
        self._line.setSpacing(4 if narrow else 16)
        self.title.setContentsMargins(0, 0 if narrow else 7, 0, 0)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        small = ui_font(theme, theme.small_px)
        self.note.setFont(small)
        self.error_label.setFont(small)
        self.set_narrow(self._narrow)

    def _lay_out(self, stretch: int | None) -> None:
        across = QHBoxLayout()
        across.setSpacing(8)
        for number, control in enumerate(self.controls):
            if stretch is None and number == len(self.controls) - 1:
                across.addStretch(1)
            across.addWidget(control, 1 if number == stretch else 0)
        self.below = QHBoxLayout()
        self.below.setAlignment(Qt.AlignmentFlag.AlignLeft)
        right = QVBoxLayout()
        right.setSpacing(4)
        right.addLayout(across)
        right.addWidget(self.error_label)
        right.addWidget(self.note)
        right.addLayout(self.below)
        self._line = QHBoxLayout(self)
        self._line.setContentsMargins(0, 0, 0, 0)
        self._line.addWidget(self.title, 0, Qt.AlignmentFlag.AlignTop)
        self._line.addLayout(right, 1)
        self.set_narrow(False)


def _set_wrong(widget: QWidget, wrong: bool) -> None:
    """Set the style property of a control that has an error."""
    if bool(widget.property("wrong")) != wrong:
        widget.setProperty("wrong", wrong)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


_AIR = 16


def scroll_into_view(widget: QWidget) -> None:
    """Scroll the area that contains `widget` so that its end is visible, once it is laid out."""
    QTimer.singleShot(0, widget, lambda: _scroll(widget))


def _scroll(widget: QWidget) -> None:
    area = widget.parentWidget()
    while area is not None and not isinstance(area, QScrollArea):
        area = area.parentWidget()
    if area is None or not widget.isVisible():
        return
    # Qt tells the parent widgets about a new size one after another, by events.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
    page = area.widget()
    if page is not None:
        end = widget.mapTo(page, widget.rect().bottomLeft())
        area.ensureVisible(0, end.y(), 0, _AIR)
