"""The list component: a heading, a list, actions for the selected row, a text and a button for an
empty list, and a form that replaces the list while an entry is edited. A wide pane may show the
selected entry beside the list; the form is there then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from neodeskpet.language import tr
from neodeskpet.ui.icons import icon
from neodeskpet.ui.theme import Theme, scale_to_font
from neodeskpet.ui.widgets.entry_list import EntryList, ListEntry
from neodeskpet.ui.widgets.labels import ElidedLabel, PlainLabel, set_tooltip
from neodeskpet.ui.widgets.search_field import SearchField

_GAP = 4
_PICTURE = 112
"""Size of the picture above the text of an empty list."""
TWO_PANES = 696
"""The width from which a selected entry is beside its list: that of a window of 720 pixels without
its margins.
"""


class ListPane(QWidget):
    """`actions` are ids and icons. Signals: `add_requested()` from "Add" and from the button of the
    empty list, `action_requested(action, entry id)`.
    """

    undo_requested = Signal(str)
    """"Undo" in the line that tells who changed the selected entry."""
    add_requested = Signal()
    action_requested = Signal(str, str)

    def __init__(
        self,
        theme: Theme,
        actions: Sequence[tuple[str, str]],
        form: QWidget,
        *,
        searched: bool = False,
    ) -> None:
        super().__init__()
        self._theme = theme
        self._icons = dict(actions)
        self._named = False
        self.heading = PlainLabel()
        self.heading.setProperty("heading", True)
        self.heading.setWordWrap(True)
        self.add = QPushButton()
        self.add.clicked.connect(self.add_requested)
        kept = self.add.sizePolicy()
        kept.setRetainSizeWhenHidden(True)  # aligns the headings of panes side by side
        self.add.setSizePolicy(kept)
        self.search = SearchField(theme)
        self.search.setVisible(searched)
        self.list = EntryList(theme)
        self.empty = PlainLabel()
        self.empty.setProperty("muted", True)
        self.empty.setWordWrap(True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty_picture = PlainLabel()
        """A picture above the text of an empty list, hidden in a low pane."""
        self.empty_picture.hide()
        self._picture = QPixmap()
        self._around_empty = QWidget(), QWidget()
        """Keeps the text and the button of an empty list together, in the middle."""
        self.empty_button = QPushButton()
        self.empty_button.clicked.connect(self.add_requested)
        self.empty_button.hide()
        self.note = PlainLabel()
        self.note.setProperty("muted", True)
        self.note.setWordWrap(True)
        self.note.hide()
        self.mark = ElidedLabel()
        self.mark.setProperty("muted", True)
        self.undo = QPushButton()
        self.undo.setProperty("quiet", True)
        self.undo.clicked.connect(lambda: self.undo_requested.emit(self.list.current_id()))
        self.list.chosen.connect(self._show_mark)
        for part in (self.mark, self.undo):
            part.hide()
        self.form = form
        self.opened = 0
        """The number of opened forms, which identifies the current one."""
        self.actions_of = {action: QToolButton() for action, _ in actions}
        for action, button in self.actions_of.items():
            button.setProperty("quiet", True)
            button.clicked.connect(
                lambda _=False, action=action: self.action_requested.emit(
                    action, self.list.current_id()
                )
            )
        self.pages = QStackedWidget()
        self.side = QStackedWidget()
        """The selected entry beside the list, or the form."""
        self.side.hide()
        self._detail: QWidget | None = None
        self._editing = False
        self._content = QVBoxLayout()
        self._lay_out()
        self.set_theme(theme)

    def show_entries(self, entries: Sequence[ListEntry], empty: str) -> None:
        """Show these, or the text `empty` if there are none."""
        self.list.show_entries(entries)
        self.empty.setText(empty)
        self.list.setVisible(bool(entries))
        for part in (self.empty, *self._around_empty):
            part.setVisible(not entries)
        self._show_empty_picture()
        self._show_empty_button()
        self._show_mark()
        for button in self.actions_of.values():
            button.setEnabled(bool(entries))
            button.setVisible(bool(entries))

    def set_header(self, widget: QWidget) -> None:
        """Put a widget above the list."""
        self._content.insertWidget(0, widget)

    def set_detail(self, widget: QWidget) -> None:
        """Show a widget for the selected entry beside the list, where there is room for both."""
        self._detail = widget
        self.side.addWidget(widget)
        self._arrange()

    @property
    def has_two_panes(self) -> bool:
        return not self.side.isHidden()

    def set_footer(self, widget: QWidget) -> None:
        """Put a widget below the actions of the list."""
        self._content.addWidget(widget)

    def _show_mark(self) -> None:
        """Show who changed the selected entry."""
        current = self.list.current_id()
        mark = next((one.mark for one in self.list.entries() if one.id == current), "")
        self.mark.set_text(mark)
        for part in (self.mark, self.undo):
            part.setVisible(bool(mark))

    def set_empty_picture(self, picture: QPixmap) -> None:
        """Set the picture above the text of an empty list; a null one for none."""
        self._picture = picture
        self._show_empty_picture()

    def _show_empty_picture(self) -> None:
        side = scale_to_font(_PICTURE, self._theme)
        shown = self.list.isHidden() and not self._picture.isNull() and self.height() >= 3 * side
        self.empty_picture.setVisible(shown)
        if shown:
            ratio = self.devicePixelRatioF()
            keep, smooth = Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode
            pixels = round(side * ratio)
            fitted = self._picture.scaled(pixels, pixels, keep, smooth.SmoothTransformation)
            fitted.setDevicePixelRatio(ratio)
            self.empty_picture.setPixmap(fitted)

    def set_empty_button(self, text: str) -> None:
        """Set the button below the text of an empty list; "" for none."""
        self.empty_button.setText(text)
        self._show_empty_button()

    def _show_empty_button(self) -> None:
        offered = self.list.isHidden() and bool(self.empty_button.text())
        self.empty_button.setVisible(offered)

    def remove_add_button(self) -> None:
        """Remove the button "Add"; the heading gets its space."""
        self.add.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.add.hide()

    def open_form(self) -> None:
        self.opened += 1
        self._editing = True
        self._show_form()
        self.add.setEnabled(False)

    def close_form(self) -> None:
        """Close the form and show the list."""
        self._editing = False
        self._show_form()
        self.add.setEnabled(True)
        (self.list if self.list.count() else self.add).setFocus()

    def finish_form(self, number: int) -> None:
        """Close the form of this number after saving, unless the user has opened another one
        meanwhile.
        """
        if number == self.opened and self.is_editing():
            self.close_form()

    def cancel_form(self) -> bool:
        """Close the form; return whether one was open."""
        writing = self.is_editing()
        if writing:
            self.close_form()
        return writing

    def is_editing(self) -> bool:
        return self._editing

    def _arrange(self) -> None:
        """Show one or two panes, depending on the width."""
        wide = self._detail is not None and self.width() >= scale_to_font(TWO_PANES, self._theme)
        if wide == self.has_two_panes:
            return
        (self.pages if wide else self.side).removeWidget(self.form)
        (self.side if wide else self.pages).addWidget(self.form)
        self.side.setVisible(wide)
        self._show_form()

    def _show_form(self) -> None:
        """Show the form while an entry is edited: beside the list, or in its place."""
        shown = self.side if self.has_two_panes else self.pages
        other = self._detail if self.has_two_panes else self._list_page
        assert other is not None
        shown.setCurrentWidget(self.form if self._editing else other)

    def update_action_labels(self) -> None:
        """Show texts beside the icons of the buttons if there is room for all."""
        self._named = True
        self._fit_names()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()
        self._show_empty_picture()
        self._fit_names()

    def set_texts(self, heading: str, actions: Mapping[str, str]) -> None:
        self.heading.setText(heading)
        self.list.setAccessibleName(heading)
        self.add.setText(tr("Add"))
        self.add.setAccessibleName(tr("{name}: {text}", name=tr("Add"), text=heading))
        self.undo.setText(tr("Undo"))
        for action, text in actions.items():
            self.actions_of[action].setAccessibleName(text)
            set_tooltip(self.actions_of[action], text)
            self.actions_of[action].setText(text if self._named else "")
        self._fit_names()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.search.set_theme(theme)
        self.list.set_theme(theme)
        colour, off = QColor(theme.text), QColor(theme.control_line)
        side = scale_to_font(16, theme)
        self.add.setIcon(icon("plus", colour, side, disabled=off))
        for action, button in self.actions_of.items():
            button.setIcon(icon(self._icons[action], colour, side, disabled=off))
            button.setIconSize(QSize(side, side))
        self._arrange()
        self._fit_names()

    def _fit_names(self) -> None:
        if not self._named:
            return
        style = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        if self._width_of_actions() > self.width():
            style = Qt.ToolButtonStyle.ToolButtonIconOnly
        for button in self.actions_of.values():
            button.setToolButtonStyle(style)

    def _width_of_actions(self) -> int:
        """Return the width of the actions with their texts."""
        room = 0
        for button in self.actions_of.values():
            shown = button.toolButtonStyle()
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            room += button.sizeHint().width() + _GAP
            button.setToolButtonStyle(shown)
        return room

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.addWidget(self.heading, 1)
        head.addWidget(self.add)
        below = QHBoxLayout()
        below.setSpacing(_GAP)
        for button in self.actions_of.values():
            below.addWidget(button)
        below.addStretch(1)
        page = self._list_page = QWidget()
        inner = self._content
        page.setLayout(inner)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(8)
        inner.addWidget(self.search)
        inner.addWidget(self.list, 1)
        middle = Qt.AlignmentFlag.AlignHCenter
        inner.addWidget(self._around_empty[0], 1)
        inner.addWidget(self.empty_picture, 0, middle)
        inner.addWidget(self.empty)
        inner.addWidget(self.empty_button, 0, middle)
        inner.addWidget(self._around_empty[1], 1)
        who = QHBoxLayout()
        who.addWidget(self.mark, 1)
        who.addWidget(self.undo)
        inner.addLayout(who)
        inner.addWidget(self.note)
        inner.addLayout(below)
        self.pages.addWidget(page)
        self.pages.addWidget(self.form)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(8)
        panes = QHBoxLayout()
        panes.setSpacing(16)
        panes.addWidget(self.pages, 1)
        panes.addWidget(self.side, 1)
        box.addLayout(head)
        box.addLayout(panes, 1)
