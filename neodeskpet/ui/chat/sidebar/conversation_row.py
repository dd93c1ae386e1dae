"""Painting, editing and clicks of a conversation's row in the sidebar."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QEvent, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPainterStateGuard, QPixmap
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from neodeskpet.language import tr
from neodeskpet.ui.chat.sidebar.conversation_list_model import (
    DATE_ROLE,
    FACE_ROLE,
    FOLDER_ROLE,
    ID_ROLE,
    INDENT_ROLE,
    PINNED_ROLE,
    FolderHeader,
    Index,
)
from neodeskpet.ui.icons import pixmap
from neodeskpet.ui.theme import Theme, ui_font
from neodeskpet.ui.widgets.portrait import ScaledPixmapCache, draw_round

SIDEBAR_WIDTH = 260  # of the whole sidebar
ROW_HEIGHT = 40
_GLYPH = 16
_FACE = 20
_INDENT = 16
_TITLE_LIMIT = 120
_CONTROL, _SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
_ACTIONS = ("pin", "edit", "trash")


class ConversationDelegate(QStyledItemDelegate):
    """Paints a row, with the icons pin, rename and delete while the pointer is over it.

    Signal: `pressed(what, id)` with pin, edit, trash, or open for the rest of the row; "folder"
    with the name of a folder whose header was clicked.
    """

    pressed = Signal(str, str)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = theme
        self.current_id = ""
        self.multi_select = False
        """Whether more than one row is selected."""
        self._faces: dict[int, ScaledPixmapCache] = {}  # by the picture's key

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        # As wide as its view, never wider: clicks match what is painted.
        return QSize(1, ROW_HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        t = self.theme
        state: QStyle.StateFlag = option.state
        rect: QRect = option.rect
        hovered = bool(state & QStyle.StateFlag.State_MouseOver)
        focused = bool(state & QStyle.StateFlag.State_HasFocus)
        here = index.data(ID_ROLE) == self.current_id
        marked = self.multi_select and bool(state & QStyle.StateFlag.State_Selected)
        folder: FolderHeader | None = index.data(FOLDER_ROLE)
        with QPainterStateGuard(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            box = rect.adjusted(0, 2, 0, -2)
            if here or hovered or marked:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(t.selection if marked else t.person if here else t.hover))
                painter.drawRoundedRect(box, t.control_radius, t.control_radius)
            if focused:
                painter.setPen(QColor(t.accent))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(
                    box.adjusted(0, 0, -1, -1), t.control_radius, t.control_radius
                )
            left = box.left() + 10
            if folder is not None:
                self._paint_folder(painter, box, folder)
                return
            if index.data(INDENT_ROLE):
                left += _INDENT
            if index.data(PINNED_ROLE):
                painter.drawPixmap(
                    left,
                    self._middle(box),
                    self._glyph(painter, "pinned", t.text if marked else t.accent),
                )
                left += _GLYPH + 6
            face: QPixmap | None = index.data(FACE_ROLE)
            if face is not None and not face.isNull():
                spot = QRect(left, box.center().y() - _FACE // 2 + 1, _FACE, _FACE)
                draw_round(painter, spot, self._shrunk_face(face, painter))
                left += _FACE + 6
            # Other colours are not readable on the ground of several selected rows.
            ink = t.text if marked else t.muted
            right = self._paint_end(painter, box, index, ink, hovered=hovered)
            painter.setFont(ui_font(t, bold=here))
            painter.setPen(QColor(t.text))
            room = QRect(left, box.top(), max(0, right - left - 8), box.height())
            title = painter.fontMetrics().elidedText(
                str(index.data()), Qt.TextElideMode.ElideRight, room.width()
            )
            painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter), title)

    def _shrunk_face(self, face: QPixmap, painter: QPainter) -> QPixmap:
        cache = self._faces.setdefault(face.cacheKey(), ScaledPixmapCache())
        return cache.scaled(face, _FACE, painter)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = QLineEdit(parent)
        editor.setMaxLength(_TITLE_LIMIT)
        editor.setAccessibleName(tr("Title"))
        return editor

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        rect: QRect = option.rect
        editor.setGeometry(rect.adjusted(0, 3, 0, -3))

    def editorEvent(
        self,
        event: QEvent,
        model: QAbstractItemModel,
        option: QStyleOptionViewItem,
        index: Index,
    ) -> bool:
        if not (isinstance(event, QMouseEvent) and event.button() == Qt.MouseButton.LeftButton):
            return super().editorEvent(event, model, option, index)
        if event.modifiers() & (_CONTROL | _SHIFT):
            return False  # it selects
        if event.type() == QEvent.Type.MouseButtonRelease and index.data(FOLDER_ROLE):
            self.pressed.emit("folder", str(index.data()))
        elif event.type() == QEvent.Type.MouseButtonRelease:
            rect: QRect = option.rect
            place = event.position().toPoint()
            spots = [_icon_rect(rect, number) for number in range(len(_ACTIONS))]
            pressed = [a for a, spot in zip(_ACTIONS, spots, strict=True) if spot.contains(place)]
            self.pressed.emit(pressed[0] if pressed else "open", str(index.data(ID_ROLE)))
        return True

    def _paint_end(
        self, painter: QPainter, box: QRect, index: Index, ink: str, *, hovered: bool
    ) -> int:
        """Paint the icons or the time in this colour; return where they begin."""
        if hovered:
            for number, action in enumerate(_ACTIONS):
                name = "pinned" if action == "pin" and index.data(PINNED_ROLE) else action
                spot = _icon_rect(box, number)
                place = spot.center() - QPoint(_GLYPH // 2, _GLYPH // 2 - 1)
                painter.drawPixmap(place, self._glyph(painter, name, ink))
            return _icon_rect(box, 0).left()
        when = str(index.data(DATE_ROLE))
        painter.setFont(ui_font(self.theme, self.theme.small_px))
        painter.setPen(QColor(ink))
        width = painter.fontMetrics().horizontalAdvance(when)
        room = QRect(box.right() - 10 - width, box.top(), width + 2, box.height())
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter), when)
        return room.left()

    def _paint_folder(self, painter: QPainter, box: QRect, folder: FolderHeader) -> None:
        t = self.theme
        middle = self._middle(box)
        chevron = "chevron-down" if folder.is_open else "chevron-right"
        painter.drawPixmap(box.left() + 6, middle, self._glyph(painter, chevron, t.muted))
        painter.drawPixmap(box.left() + 26, middle, self._glyph(painter, "folder", t.muted))
        painter.setFont(ui_font(t, t.small_px))
        painter.setPen(QColor(t.muted))
        count = str(folder.count)
        wide = painter.fontMetrics().horizontalAdvance(count)
        right = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight)
        painter.drawText(box.adjusted(0, 0, -10, 0), right, count)
        painter.setFont(ui_font(t, bold=True))
        painter.setPen(QColor(t.text))
        room = QRect(box.left() + 48, box.top(), max(0, box.width() - 66 - wide), box.height())
        name = painter.fontMetrics().elidedText(
            folder.name, Qt.TextElideMode.ElideRight, room.width()
        )
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter), name)

    def _glyph(self, painter: QPainter, name: str, colour: str) -> QPixmap:
        ratio = painter.device().devicePixelRatioF()
        return pixmap(name, QColor(colour), _GLYPH, ratio)

    @staticmethod
    def _middle(box: QRect) -> int:
        return box.center().y() - _GLYPH // 2 + 1


def _icon_rect(box: QRect, number: int) -> QRect:
    """Return the clickable rectangle of an icon in a row."""
    side = 26
    left = box.right() - 4 - side * (len(_ACTIONS) - number)
    return QRect(left, box.top(), side, box.height())
