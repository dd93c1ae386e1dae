"""A searchable list of models in a popup, and the button that shows the chosen one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QHideEvent,
    QKeyEvent,
    QPainter,
    QPainterStateGuard,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSizePolicy,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from neodeskpet.language import tr
from neodeskpet.ui.icons import pixmap
from neodeskpet.ui.theme import Theme, checkbox_rules, set_style_sheet, ui_font
from neodeskpet.ui.widgets.controls import CONTROL_HEIGHT, paint_chevron
from neodeskpet.ui.widgets.labels import PlainLabel, button_text
from neodeskpet.ui.widgets.list_row_painter import (
    ListRowDelegate,
    draw_row_background,
    row_height,
)
from neodeskpet.ui.widgets.search_field import SearchField

Index = QModelIndex | QPersistentModelIndex
_WIDTH = 340
_ROWS = 8
_NAME = Qt.ItemDataRole.UserRole
_SOURCE = Qt.ItemDataRole.UserRole + 1
_CURRENT = Qt.ItemDataRole.UserRole + 2


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A model in the list. `name` is the value, "" for the default; `title` is shown, with `source`
    (its services) beside it.
    """

    name: str
    title: str
    source: str = ""
    is_current: bool = False


class ModelPicker(QFrame):
    """A popup. Signals: `chosen(name, for_all)`, `settings_requested()`, `closed()`."""

    chosen = Signal(str, bool)
    settings_requested = Signal()
    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self._theme = theme
        self._rows: Sequence[ModelRow] = ()
        self._accepts_typed = False
        self.search = SearchField(theme)
        self.list = QListWidget()
        self._painter = _ModelDelegate(theme, self.list)
        self.list.setItemDelegate(self._painter)
        self.none = PlainLabel()
        self.note = PlainLabel()
        self.for_all = QCheckBox()
        self.services = QPushButton()
        self._lay_out()
        self.search.installEventFilter(self)
        self.search.textChanged.connect(self._show_rows)
        self.list.itemClicked.connect(self._take)
        self.list.itemActivated.connect(self._take)
        self.services.clicked.connect(self._ask_settings)
        self.set_theme(theme)
        self.retranslate()

    def open_under(
        self, anchor: QWidget, rows: Sequence[ModelRow], *, outside: bool, once: bool = False
    ) -> None:
        """Show `rows` below `anchor`. `outside`: the command line or the environment sets the model
        of this run, so there is no choice. `once`: the choice is for one reply only.
        """
        self.for_all.setVisible(not once)
        self._rows = rows
        self.search.clear()
        self.for_all.setChecked(False)
        for part in (self.search, self.list, self.for_all):
            part.setEnabled(not outside)
        self.note.setVisible(outside)
        self._show_rows()
        self._fit(anchor)
        self.show()
        self.search.setFocus()

    def open_for_field(self, anchor: QWidget, rows: Sequence[ModelRow], note: str) -> None:
        """Show `rows` under a field of the settings, where a name may also be typed. `note` is
        shown below the list.
        """
        self._accepts_typed = True
        self.services.hide()
        self.open_under(anchor, rows, outside=False, once=True)
        self.update_rows(rows, note)
        self._fit(anchor)

    def update_rows(self, rows: Sequence[ModelRow], note: str) -> None:
        """Show other rows and another note; the search stays."""
        self._rows = rows
        self.note.setText(note)
        self.note.setVisible(bool(note))
        self._show_rows()

    def row_texts(self) -> list[str]:
        """Return the texts of the rows, from top to bottom."""
        return [self.list.item(row).text() for row in range(self.list.count())]

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.search.set_theme(theme)
        # Don't create a delegate here: the list keeps every old one.
        self._painter.theme = theme
        self.list.doItemsLayout()
        self.none.setFont(ui_font(theme))
        self.note.setFont(ui_font(theme, theme.small_px))
        set_style_sheet(
            self,
            f"ModelPicker {{ background: {theme.surface};"
            f" border: 1px solid {theme.control_line}; }}"
            f"QCheckBox:focus {{ color: {theme.accent}; }}" + checkbox_rules("QCheckBox", theme),
        )

    def retranslate(self) -> None:
        self.search.set_placeholder(tr("Search models"))
        self.list.setAccessibleName(tr("Models"))
        self.none.setText(tr("No matches."))
        self.note.setText(
            tr("The model of this run is set by the command line or the environment.")
        )
        self.for_all.setText(tr("For all conversations"))
        self.services.setText(tr("Services…"))

    # Keyboard: the search field has the focus, the arrow keys move in the list

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._key(event.key())
        return super().eventFilter(watched, event)

    def _key(self, key: int) -> bool:
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
        pages = {Qt.Key.Key_PageDown: _ROWS - 1, Qt.Key.Key_PageUp: 1 - _ROWS}
        by = steps.get(Qt.Key(key)) or pages.get(Qt.Key(key))
        if by is not None:
            last = self.list.count() - 1
            self.list.setCurrentRow(max(0, min(last, self.list.currentRow() + by)))
            return True
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            item = self.list.currentItem()
            if item is not None:
                self._take(item)
            return True
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
        else:
            super().keyPressEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.closed.emit()

    def _take(self, item: QListWidgetItem) -> None:
        if not self.isVisible():
            return  # clicked and activated may both be emitted for one click
        for_all = self.for_all.isChecked()
        self.hide()
        self.chosen.emit(item.data(_NAME), for_all)

    def _ask_settings(self) -> None:
        self.hide()
        self.settings_requested.emit()

    def _show_rows(self) -> None:
        words = self.search.text().casefold().split()
        self.list.clear()
        for row in self._rows:
            text = f"{row.title} {row.source}".casefold()
            if not all(word in text for word in words):
                continue
            item = QListWidgetItem(row.title)
            item.setData(_NAME, row.name)
            item.setData(_SOURCE, row.source)
            item.setData(_CURRENT, row.is_current)
            said = ", ".join(filter(None, (row.title, row.source)))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, said)
            self.list.addItem(item)
            if row.is_current and not words:
                self.list.setCurrentItem(item)
        typed = self.search.text().strip()
        if self._accepts_typed and typed and typed not in {row.name for row in self._rows}:
            item = QListWidgetItem(tr("Use “{name}”", name=typed))
            item.setData(_NAME, typed)
            item.setData(_SOURCE, "")
            item.setData(_CURRENT, False)
            self.list.addItem(item)
        if self.list.currentRow() < 0:
            self.list.setCurrentRow(0)
        self.none.setVisible(not self.list.count())

    def _lay_out(self) -> None:
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.none.setProperty("muted", True)
        self.note.setProperty("muted", True)
        self.note.setWordWrap(True)
        self.services.setProperty("quiet", True)
        below = QHBoxLayout()
        below.addWidget(self.for_all, 1)
        below.addWidget(self.services)
        box = QVBoxLayout(self)
        box.setContentsMargins(8, 8, 8, 8)
        box.setSpacing(8)
        box.addWidget(self.search)
        box.addWidget(self.none)
        box.addWidget(self.list)
        box.addWidget(self.note)
        box.addLayout(below)

    def _fit(self, anchor: QWidget) -> None:
        """Under `anchor`, as high as its rows and wholly on its screen."""
        rows = _ROWS if self._accepts_typed else max(1, min(_ROWS, len(self._rows)))
        self.list.setFixedHeight(rows * row_height(self._theme) + 2)
        room = anchor.screen().availableGeometry()
        wide = max(_WIDTH, 24 * self._theme.font_px, self.sizeHint().width())
        self.setFixedWidth(min(wide, room.width()))
        self.adjustSize()
        corner = anchor.mapToGlobal(QPoint(0, anchor.height() + 4))
        left = max(room.left(), min(corner.x(), room.right() + 1 - self.width()))
        top = max(room.top(), min(corner.y(), room.bottom() + 1 - self.height()))
        self.move(left, top)


class ModelField(QPushButton):
    """Shows the chosen model; a press opens the list. `opened()` comes before the list is shown:
    the owner may call `set_rows` then, and again later. `chosen(name)`: a row or a typed name.
    """

    chosen = Signal(str)
    opened = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._rows: Sequence[ModelRow] = ()
        self._note = ""
        self._value = ""
        self._text = ""
        self._name = ""
        self._picker: ModelPicker | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setProperty("field", True)
        self.clicked.connect(self.open_list)
        self.set_theme(theme)

    def value(self) -> str:
        return self._value

    def rows(self) -> Sequence[ModelRow]:
        return self._rows

    @property
    def picker(self) -> ModelPicker | None:
        """The list, once it was opened."""
        return self._picker

    def set_value(self, value: str, text: str = "") -> None:
        """Show `text` for `value`; without it the title of the value's row, or the value."""
        self._value = value
        titles = {row.name: row.title for row in self._rows}
        self._text = text or titles.get(value, value)
        self._show_text()

    def set_rows(self, rows: Sequence[ModelRow], note: str = "") -> None:
        """Offer these models; `note` is shown below them."""
        self._rows, self._note = rows, note
        if self._picker is not None and self._picker.isVisible():
            self._picker.update_rows(rows, note)

    def set_name(self, name: str) -> None:
        """Set the accessible name, to which the chosen model is added."""
        self._name = name
        self._show_text()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        height = max(CONTROL_HEIGHT, theme.line_px + 6)
        set_style_sheet(
            self,
            f"QPushButton {{ text-align: left; padding: 0 30px 0 10px; background: {theme.surface};"
            f" color: {theme.text}; border: 1px solid {theme.control_line};"
            f" border-radius: {theme.control_radius}px; min-height: {height - 2}px; }}"
            f"QPushButton:focus {{ border-color: {theme.accent}; }}"
            f'QPushButton[wrong="true"] {{ border-color: {theme.failed}; }}',
        )
        if self._picker is not None:
            self._picker.set_theme(theme)

    def open_list(self) -> None:
        if self._picker is None:
            self._picker = ModelPicker(self._theme, self)
            self._picker.chosen.connect(lambda name, _for_all: self.chosen.emit(name))
        self.opened.emit()
        self._picker.retranslate()
        self._picker.open_for_field(self, self._rows, self._note)

    def minimumSizeHint(self) -> QSize:
        return QSize(96, super().minimumSizeHint().height())

    def sizeHint(self) -> QSize:
        return QSize(150, super().sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_text()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        with QPainter(self) as painter:
            paint_chevron(self, painter, self._theme)

    def _show_text(self) -> None:
        room = max(0, self.width() - 44)
        metrics = self.fontMetrics()
        self.setText(
            button_text(metrics.elidedText(self._text, Qt.TextElideMode.ElideMiddle, room))
        )
        named = tr("{name}: {text}", name=self._name, text=self._text)
        self.setAccessibleName(named if self._name else self._text)


class _ModelDelegate(ListRowDelegate):
    """Paints a tick for the current model, the name, and the source at the right."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, data = self.theme, index.data
        rect: QRect = option.rect
        with QPainterStateGuard(painter):
            draw_row_background(painter, option, theme)
            inner = rect.adjusted(8, 0, -8, 0)
            if data(_CURRENT):
                sign = pixmap(
                    "check", QColor(theme.accent), 16, painter.device().devicePixelRatioF()
                )
                painter.drawPixmap(inner.left(), inner.center().y() - 7, sign)
            inner.setLeft(inner.left() + 24)
            small = ui_font(theme, theme.small_px)
            painter.setFont(small)
            painter.setPen(QColor(theme.muted))
            metrics = painter.fontMetrics()
            place = str(data(_SOURCE))
            width = min(metrics.horizontalAdvance(place) + 2, inner.width() // 2)
            middle, left = Qt.AlignmentFlag.AlignVCenter, Qt.AlignmentFlag.AlignLeft
            at = QRect(inner.right() + 1 - width, inner.top(), width, inner.height())
            place = metrics.elidedText(place, Qt.TextElideMode.ElideRight, width)
            painter.drawText(at, middle | left, place)
            inner.setRight(at.left() - 8)
            painter.setFont(ui_font(theme))
            painter.setPen(QColor(theme.text))
            metrics = painter.fontMetrics()
            name = str(data(Qt.ItemDataRole.DisplayRole))
            name = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, inner.width())
            painter.drawText(inner, middle | left, name)
