"""The list below the model button: all models, for this conversation or for all."""

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
from PySide6.QtGui import QColor, QHideEvent, QKeyEvent, QPainter, QPainterStateGuard
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from neodeskpet.language import tr
from neodeskpet.ui.icons import pixmap
from neodeskpet.ui.theme import Theme, checkbox_rules, ui_font
from neodeskpet.ui.widgets.labels import PlainLabel
from neodeskpet.ui.widgets.list_row_painter import draw_row_background, row_height
from neodeskpet.ui.widgets.search_field import SearchField

Index = QModelIndex | QPersistentModelIndex
_WIDTH = 340
_ROWS = 8
_NAME = Qt.ItemDataRole.UserRole
_SOURCE = Qt.ItemDataRole.UserRole + 1
_CURRENT = Qt.ItemDataRole.UserRole + 2


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A model for the chat. `name` "" stands for the model of all conversations, whose label is
    `title`; `source` names its services.
    """

    name: str
    title: str
    source: str = ""
    is_current: bool = False


class ModelPicker(QFrame):
    """Signals: `chosen(name, for_all)`, `settings_requested()`, `closed()`."""

    chosen = Signal(str, bool)
    settings_requested = Signal()
    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self._theme = theme
        self._rows: Sequence[ModelRow] = ()
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

    def row_texts(self) -> list[str]:
        """Return the texts of the rows, from top to bottom."""
        return [self.list.item(row).text() for row in range(self.list.count())]

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.search.set_theme(theme)
        self._painter.theme = (
            theme  # set_theme must not create a delegate: the list keeps every old one
        )
        self.list.doItemsLayout()
        self.none.setFont(ui_font(theme))
        self.note.setFont(ui_font(theme, theme.small_px))
        self.setStyleSheet(
            f"ModelPicker {{ background: {theme.surface};"
            f" border: 1px solid {theme.control_line}; }}"
            f"QCheckBox:focus {{ color: {theme.accent}; }}" + checkbox_rules("QCheckBox", theme)
        )

    def retranslate(self) -> None:
        self.search.set_placeholder(tr("Search models"))
        self.list.setAccessibleName(tr("Models"))
        self.none.setText(tr("No model matches."))
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
        """Place the popup below `anchor`, as high as its rows and entirely on the screen."""
        rows = max(1, min(_ROWS, len(self._rows)))
        self.list.setFixedHeight(rows * row_height(self._theme) + 2)
        room = anchor.screen().availableGeometry()
        wide = max(_WIDTH, 24 * self._theme.font_px, self.sizeHint().width())
        self.setFixedWidth(min(wide, room.width()))
        self.adjustSize()
        corner = anchor.mapToGlobal(QPoint(0, anchor.height() + 4))
        left = max(room.left(), min(corner.x(), room.right() + 1 - self.width()))
        top = max(room.top(), min(corner.y(), room.bottom() + 1 - self.height()))
        self.move(left, top)


class _ModelDelegate(QStyledItemDelegate):
    """Paints a tick for the current model, the name, and the source at the right."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self.theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(80, row_height(self.theme))

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
