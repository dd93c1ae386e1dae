"""Search results of all conversations: grouped by conversation, with the matches highlighted."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QPainter,
    QPainterStateGuard,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from neodeskpet.core.blocks import ConversationInfo
from neodeskpet.core.text_search import SearchPattern, TextSpan, utf16_spans
from neodeskpet.language import tr
from neodeskpet.ui.formatting import format_time
from neodeskpet.ui.theme import Theme, ui_font

if TYPE_CHECKING:
    from neodeskpet.memory.message_search import SearchHit

RESULT_ROLE = Qt.ItemDataRole.UserRole
Index = QModelIndex | QPersistentModelIndex
_NONE = QModelIndex()
_LINES = 2
_PAD = 8


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A conversation's title (no `hit`), or a message in it. `when` is a display text; `name` is
    the character who answers there.
    """

    conversation: str
    text: str
    marks: tuple[TextSpan, ...]
    when: str
    hit: SearchHit | None = None
    name: str = ""

    @property
    def speaker(self) -> str:
        """Return who wrote the message."""
        if self.hit is None:
            return ""
        return tr("You") if self.hit.by_user else self.name or tr("Companion")


class SearchResultModel(QAbstractListModel):
    """Emits `more_requested()` near the end of the rows. `name_of` returns the character of a
    conversation.
    """

    more_requested = Signal()

    def __init__(
        self, parent: QObject | None = None, *, now: Callable[[], float] = time.time
    ) -> None:
        super().__init__(parent)
        self._now = now
        self.name_of: Callable[[str], str] = lambda _conversation: ""
        self._rows: list[SearchResult] = []
        self._more = False

    def set_results(
        self,
        named: Sequence[ConversationInfo],
        hits: Sequence[SearchHit],
        infos: Mapping[str, ConversationInfo],
        needle: SearchPattern,
        *,
        more: bool,
    ) -> None:
        """Set the results: `named` match by title; `hits`, the latest first, belong to the
        conversations of `infos`.
        """
        groups: dict[str, list[SearchHit]] = {info.id: [] for info in named}
        for hit in hits:
            if hit.conversation in infos:
                groups.setdefault(hit.conversation, []).append(hit)
        rows: list[SearchResult] = []
        for conversation, found in groups.items():
            info = infos[conversation]
            rows.append(self._head(info, needle))
            rows += [self._row(hit) for hit in found]
        self.beginResetModel()
        self._rows, self._more = rows, more
        self.endResetModel()

    def _head(self, info: ConversationInfo, needle: SearchPattern) -> SearchResult:
        title = info.title or tr("New conversation")
        when = format_time(info.updated, self._now())
        return SearchResult(info.id, title, tuple(needle.spans(title)), when)

    def _row(self, hit: SearchHit) -> SearchResult:
        when = format_time(hit.time, self._now())
        name = self.name_of(hit.conversation)
        return SearchResult(hit.conversation, hit.passage.text, hit.passage.marks, when, hit, name)

    def row(self, number: int) -> SearchResult | None:
        return self._rows[number] if 0 <= number < len(self._rows) else None

    def first_hit(self) -> QModelIndex:
        """Return the first message, else the first conversation; an invalid index if there are no
        results.
        """
        hits = (at for at, row in enumerate(self._rows) if row.hit is not None)
        return self.index(next(hits, 0), 0) if self._rows else QModelIndex()

    def rowCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.row(index.row())
        if row is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.text
            case Qt.ItemDataRole.AccessibleTextRole if row.hit is not None:
                return tr("{who}, {when}: {text}", who=row.speaker, when=row.when, text=row.text)
            case Qt.ItemDataRole.AccessibleTextRole:
                return tr("Conversation {title}", title=row.text)
            case _ if role == RESULT_ROLE:
                return row
        return None

    def canFetchMore(self, parent: Index) -> bool:
        return self._more and not parent.isValid()

    def fetchMore(self, parent: Index) -> None:
        self._more = False
        self.more_requested.emit()


class SearchResultList(QListView):
    """Emits `chosen(SearchResult)`, and `focus_left()` on Up in the first row."""

    chosen = Signal(object)
    focus_left = Signal()

    def __init__(self, theme: Theme, model: SearchResultModel) -> None:
        super().__init__()
        self._painter = _ResultDelegate(theme, self)
        self._results = model
        self.setModel(model)
        self.setItemDelegate(self._painter)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.clicked.connect(self._choose)

    def set_theme(self, theme: Theme) -> None:
        self._painter.theme = theme
        self.doItemsLayout()

    def choose_current(self) -> None:
        """Open the current row, or the first result."""
        index = self.currentIndex()
        self._choose(index if index.isValid() else self._results.first_hit())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.choose_current()
        elif event.key() == Qt.Key.Key_Up and self.currentIndex().row() <= 0:
            self.focus_left.emit()
        else:
            super().keyPressEvent(event)

    def _choose(self, index: QModelIndex) -> None:
        row = index.data(RESULT_ROLE)
        if row is not None:
            self.chosen.emit(row)


class _ResultDelegate(QStyledItemDelegate):
    """Paints a title in bold, and a message in two lines with its author and time below."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        row: SearchResult = index.data(RESULT_ROLE)
        line = self.theme.font_px + 7
        if row.hit is None:
            return QSize(1, line + 16)
        return QSize(1, self._lines(row) * line + self.theme.small_px + 6 + 2 * _PAD)

    def _lines(self, row: SearchResult) -> int:
        """Return the number of lines of the row's text at the list's width."""
        parent = self.parent()
        room = parent.viewport().width() - 3 * _PAD if isinstance(parent, QListView) else 1
        wide = QFontMetricsF(ui_font(self.theme)).horizontalAdvance(row.text)
        return 1 if wide < room - 4 else _LINES

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: SearchResult = index.data(RESULT_ROLE)
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        box = rect.adjusted(0, 1, 0, -1)
        with QPainterStateGuard(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint_ground(painter, box, state)
            inner = QRectF(box).adjusted(_PAD, _PAD, -_PAD, -_PAD)
            if row.hit is None:
                self._paint_title(painter, inner, row)
            else:
                self._paint_hit(painter, inner.adjusted(_PAD, 0, 0, 0), row)

    def _paint_ground(self, painter: QPainter, box: QRect, state: QStyle.StateFlag) -> None:
        t = self.theme
        selected = bool(state & QStyle.StateFlag.State_Selected)
        if selected or state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(t.person if selected else t.hover))
            painter.drawRoundedRect(box, t.control_radius, t.control_radius)
        if selected and state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QColor(t.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            inner = box.adjusted(0, 0, -1, -1)
            painter.drawRoundedRect(inner, t.control_radius, t.control_radius)

    def _paint_title(self, painter: QPainter, box: QRectF, row: SearchResult) -> None:
        t = self.theme
        small = ui_font(t, t.small_px)
        painter.setFont(small)
        painter.setPen(QColor(t.muted))
        when = row.when
        wide = painter.fontMetrics().horizontalAdvance(when)
        painter.drawText(box, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop), when)
        self._paint_text(painter, box.adjusted(0, -2, -wide - 8, 0), row, lines=1, bold=True)

    def _paint_hit(self, painter: QPainter, box: QRectF, row: SearchResult) -> None:
        t = self.theme
        down = self._paint_text(painter, box, row, lines=_LINES, bold=False)
        painter.setFont(ui_font(t, t.small_px))
        painter.setPen(QColor(t.muted))
        words = f"{row.speaker} · {row.when}"
        elided = painter.fontMetrics().elidedText(
            words, Qt.TextElideMode.ElideRight, int(box.width())
        )
        foot = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        painter.drawText(box.adjusted(0, down + 2, 0, 8), foot, elided)

    def _paint_text(
        self, painter: QPainter, box: QRectF, row: SearchResult, *, lines: int, bold: bool
    ) -> float:
        """Paint the text; return its height."""
        t = self.theme
        layout = QTextLayout(row.text, ui_font(t, bold=bold))
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.setFormats([self._mark(span) for span in utf16_spans(row.text, row.marks)])
        layout.beginLayout()
        down = 0.0
        for _ in range(lines):
            line = layout.createLine()
            if not line.isValid():
                break
            line.setLineWidth(max(16.0, box.width()))
            line.setPosition(QPointF(0, down))
            down += t.font_px + 7
        layout.endLayout()
        painter.setPen(QColor(t.text))
        layout.draw(painter, box.topLeft())
        return down

    def _mark(self, span: TextSpan) -> QTextLayout.FormatRange:
        form = QTextLayout.FormatRange()
        form.start, form.length = span[0], span[1] - span[0]
        marked = QTextCharFormat()
        marked.setBackground(QColor(self.theme.mark))
        marked.setForeground(QColor(self.theme.text))
        form.format = marked
        return form
