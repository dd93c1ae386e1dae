"""One row of a settings page: title and note at the left, controls at the right, and an error.

A row that appears is scrolled into view.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QSpacerItem,
    QVBoxLayout,
    QWidget,
)

from neodeskpet.language import join_sentences
from neodeskpet.ui.settings.settings_search import matches_query
from neodeskpet.ui.theme import Theme, scale_to_font, ui_font
from neodeskpet.ui.widgets.accessible import describe
from neodeskpet.ui.widgets.controls import (
    LONG_WIDTH,
    MEDIUM_WIDTH,
    ComboBox,
    LabeledSlider,
    TextEntry,
)
from neodeskpet.ui.widgets.labels import ElidedLabel, ErrorLabel, PlainLabel
from neodeskpet.ui.widgets.model_picker import ModelField

ROW_HEIGHT, ROW_HEIGHT_WITH_NOTE = 44, 52
ROW_PADDING = 16
"""The space at both sides of a row in a card."""
CARD_PADDING = 2
"""The space above the first row of a card and below the last one."""
_PADDING = (ROW_PADDING, 7, ROW_PADDING, 7)
_GAP = 16
_LARGEST_SHARE = 0.6
"""A control that needs more of the row's width is placed below the title."""
_ANY_WIDTH = 16777215  # Qt's QWIDGETSIZE_MAX
_STRETCH = QSizePolicy.Policy.Expanding
_FIXED = QSizePolicy.Policy.Fixed


def _width_of(control: QWidget) -> int:
    """Return the width of a control that can have any width, 0 for one with its own width."""
    match control:
        case ComboBox() | LabeledSlider():
            return MEDIUM_WIDTH
        case TextEntry() | ElidedLabel() | ModelField():
            return LONG_WIDTH
        case _:
            return 0


class CardFrame(QFrame):
    """The frame of a card. It is painted: a style sheet would restyle all widgets in it."""

    def __init__(self, theme: Theme, *, framed: bool = True) -> None:
        super().__init__()
        self._theme = theme
        self._framed = framed

    @property
    def framed(self) -> bool:
        return self._framed

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._framed:
            paint_card(self, self._theme)


def paint_card(widget: QWidget, theme: Theme) -> None:
    """Paint the background and the border of a card."""
    with QPainter(widget) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(theme.line))
        painter.setBrush(QColor(theme.surface))
        area = widget.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(area, theme.card_radius, theme.card_radius)


def paint_row_line(row: QWidget, card: CardFrame, theme: Theme) -> None:
    """Paint the line between a row and the one above it; the first row of a card has none."""
    if row.mapTo(card, QPoint()).y() > CARD_PADDING:
        with QPainter(row) as painter:
            # A filled area: at 150 %, half of a line of one pixel would lie above the row.
            painter.fillRect(QRectF(1, 0, row.width() - 2, 1), QColor(theme.line))


class SettingsRow(QFrame):
    """`controls` are at the right of title and note; they are below them in a narrow window, with
    large text, and if they are `wide` (a list, a text of several lines).

    `width` is that of all controls together at the default text size; by default it follows from
    their kinds. A search looks through `stack` and the texts of the row. `below` is a line under
    everything else.
    """

    def __init__(
        self,
        theme: Theme,
        *controls: QWidget,
        stack: str = "",
        width: int | None = None,
        wide: bool = False,
    ) -> None:
        super().__init__()
        self.stack = stack
        self.title = PlainLabel()
        self.title.setWordWrap(True)
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
        self._wide = wide
        self._stacked: bool | None = None
        self._card: CardFrame | None = None
        self._width = width if width is not None else sum(map(_width_of, controls))
        self._lay_out()
        self.set_theme(theme)

    def set_texts(self, title: str, note: str = "") -> None:
        self.title.setText(title)
        self.set_note(note)

    def set_note(self, note: str) -> None:
        self.note.setText(note)
        self.note.setVisible(bool(note))
        self._describe_controls()
        self._set_height()

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
        """Show an error under the row; "" removes it."""
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

    def join_card(self, card: CardFrame) -> None:
        """Use the paddings of a row of this card, and paint a line above it."""
        self._card = card
        self._outer.setContentsMargins(*(_PADDING if card.framed else (0, 0, 0, 0)))
        self._set_height()

    @property
    def is_stacked(self) -> bool:
        """Whether the controls are below title and note."""
        return bool(self._stacked)

    @property
    def side_padding(self) -> int:
        """The space between the edge of the row and its content."""
        return self._outer.contentsMargins().right()

    def set_narrow(self, narrow: bool) -> None:
        """Put the controls below title and note, or beside them if there is room."""
        self._narrow = narrow
        self._arrange()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.title.setFont(ui_font(theme))
        small = ui_font(theme, theme.small_px)
        self.note.setFont(small)
        self.error_label.setFont(small)
        self._set_height()
        self._arrange()
        self.update()

    def minimumSizeHint(self) -> QSize:
        """Return the least size, with the controls below the title: the row can place them so."""
        margins = self._outer.contentsMargins()
        parts: Sequence[QWidget] = (self.title, self._holder)
        least = max(part.minimumSizeHint().width() for part in parts)
        return QSize(least + margins.left() + margins.right(), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            self._arrange()  # a control may need another width now
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._card is not None and self._card.framed:
            paint_row_line(self, self._card, self._theme)

    def _set_height(self) -> None:
        if self._card is not None and self._card.framed:
            least = ROW_HEIGHT_WITH_NOTE if self.note.text() else ROW_HEIGHT
            self.setMinimumHeight(scale_to_font(least, self._theme))

    def _arrange(self) -> None:
        least = self._holder.minimumSizeHint().width()
        needed = max(least, scale_to_font(self._width, self._theme))
        if not self._width:
            needed = self._holder.sizeHint().width()
        margins = self._outer.contentsMargins()
        room = self.width() - margins.left() - margins.right()
        stacked = self._wide or self._narrow or needed > room * _LARGEST_SHARE
        if self._width:
            width = _ANY_WIDTH if stacked else needed
            if self._holder.maximumWidth() != width:
                self._holder.setMinimumWidth(0 if stacked else width)
                self._holder.setMaximumWidth(width)
        if stacked is self._stacked:
            return
        self._stacked = stacked
        ways = QBoxLayout.Direction
        self._line.setDirection(ways.TopToBottom if stacked else ways.LeftToRight)
        self._line.setSpacing(6 if stacked else _GAP)
        self._before.changeSize(0, 0, _FIXED if stacked else _STRETCH)
        self._after.changeSize(0, 0, _STRETCH if stacked else _FIXED)
        self._across.invalidate()

    def _lay_out(self) -> None:
        self._holder = QWidget()
        self._before, self._after = QSpacerItem(0, 0), QSpacerItem(0, 0)
        self._across = QHBoxLayout(self._holder)
        self._across.setContentsMargins(0, 0, 0, 0)
        self._across.setSpacing(8)
        self._across.addItem(self._before)
        for control in self.controls:
            alone = len(self.controls) == 1 and (self._wide or self._width > 0)
            self._across.addWidget(control, 1 if alone or _width_of(control) else 0)
        self._across.addItem(self._after)
        texts = QVBoxLayout()
        texts.setSpacing(1)
        texts.addStretch(1)
        texts.addWidget(self.title)
        texts.addWidget(self.note)
        texts.addStretch(1)
        self._line = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._line.addLayout(texts, 1)
        self._line.addWidget(self._holder)
        if not self.controls:
            self._holder.hide()
        self.below = QHBoxLayout()
        self.below.setAlignment(Qt.AlignmentFlag.AlignLeft)
        self._outer = QVBoxLayout(self)
        self._outer.setContentsMargins(0, 0, 0, 0)
        self._outer.setSpacing(4)
        self._outer.addLayout(self._line, 1)
        self._outer.addWidget(self.error_label)
        self._outer.addLayout(self.below)
        self._arrange()


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
