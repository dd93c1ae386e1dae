"""Mouse input: pointing, clicking, links, and selecting by drag, word and paragraph."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QClipboard, QGuiApplication, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QToolTip, QWidget

from neodeskpet.ui.chat.items.item import HitRegion, Item, ItemAction, PointedRegion
from neodeskpet.ui.chat.items.text_documents import is_allowed_link
from neodeskpet.ui.chat.items.text_items import MarkdownItem, TextItem
from neodeskpet.ui.chat.items.wide_items import WideItem
from neodeskpet.ui.chat.view.message_column import RowPosition
from neodeskpet.ui.chat.view.text_selection import SelectionUnit
from neodeskpet.ui.chat.view.view_interface import ChatViewInterface
from neodeskpet.ui.widgets.labels import tooltip_text

_SCROLL_MS = 30
_NOTCH = 60  # px


class Viewport(QWidget):
    """The viewport. It handles its leave events itself: an event filter of the scroll area would be
    called for each paint too.
    """

    def __init__(self, left: Callable[[], None]) -> None:
        super().__init__()
        self._left = left

    def leaveEvent(self, event: QEvent) -> None:
        self._left()
        super().leaveEvent(event)


class MouseInput(QObject):
    """Handles the viewport's mouse events."""

    def __init__(self, view: ChatViewInterface) -> None:
        super().__init__(view.viewport())
        self._view = view
        self._pressed: tuple[Item, str] | None = None
        self._pressed_link = ""
        self._grip: tuple[WideItem, float] | None = None
        self._drags = False
        self._clicks = 0
        self._spot = QPoint()
        self._last_press = QPoint()
        self._hovered_link = ""
        self._hint = ""
        self._where = QPointF()
        self._scroller = QTimer(self)
        self._scroller.setInterval(_SCROLL_MS)
        self._scroller.timeout.connect(self._drag_on)
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._tip = QTimer(self)
        self._tip.setSingleShot(True)
        self._tip.setInterval(view.item_style.theme.hover_delay_ms)
        self._tip.timeout.connect(self._show_tip)
        view.viewport().setMouseTracking(True)

    # Pointing

    def _under(self, point: QPointF) -> tuple[RowPosition, Item, QPointF] | None:
        place = self._view.scroller.position_at(point)
        item = self._view.column.item(place) if place is not None else None
        if place is None or item is None or not item.width:
            return None
        return place, item, self._view.scroller.local(place, point)

    def region_at(self, point: QPointF) -> tuple[RowPosition, Item, HitRegion] | None:
        under = self._under(point)
        if under is None:
            return None
        place, item, local = under
        part = item.region_at(self._view.scene, local)
        return None if part is None else (place, item, part)

    def link_at(self, point: QPointF) -> str:
        """Return the address below the mouse if it may be opened."""
        under = self._under(point)
        if under is None or not isinstance(under[1], TextItem):
            return ""
        address = under[1].link_at(self._view.scene, under[2])
        return address if is_allowed_link(address) else ""

    def hover(self, point: QPointF) -> None:
        """Handle a mouse move without a button at `point`."""
        self._where = point
        scene = self._view.scene
        under = self._under(point)
        message = ""
        hover: PointedRegion | None = None
        hint = ""
        if under is not None:
            place, item, local = under
            message = self._view.column.heads[place.message].id
            part = item.region_at(scene, local)
            hover = PointedRegion(item, part.key if part is not None else "")
            hint = part.name if part is not None and part.is_icon else ""
            if part is None and isinstance(item, MarkdownItem):
                hint = item.footnote_at(scene, local)
        self._hover_message(message)
        before = scene.hover
        if before != hover:
            scene.hover = hover
            for pointed in (before, hover):
                if pointed is not None:
                    self._view.scroller.update_item(pointed.item)
        self._hovered_link = self.link_at(point)
        self._hover_hint(self._hovered_link or hint)
        self._view.viewport().setCursor(self._cursor(under is not None, hover))

    def _cursor(self, inside: bool, hover: PointedRegion | None) -> Qt.CursorShape:
        if self._hovered_link or (hover is not None and hover.key):
            return Qt.CursorShape.PointingHandCursor
        if inside and hover is not None and isinstance(hover.item, TextItem):
            return Qt.CursorShape.IBeamCursor
        return Qt.CursorShape.ArrowCursor

    def _hover_message(self, message: str) -> None:
        scene = self._view.scene
        if message == scene.hovered_message:
            return
        before, scene.hovered_message = scene.hovered_message, message
        for one in (before, message):
            self._view.scroller.update_actions(one)

    def _hover_hint(self, hint: str) -> None:
        """Set the tooltip at this point: the target of a link, or the name of an icon."""
        if hint == self._hint:
            return
        self._hint = hint
        if hint:
            self._tip.start()
        else:
            self._tip.stop()
            QToolTip.hideText()

    def _show_tip(self) -> None:
        if self._hint:
            spot = self._view.viewport().mapToGlobal(self._where.toPoint() + QPoint(0, 12))
            QToolTip.showText(spot, tooltip_text(self._hint), self._view.viewport())

    def mouse_left(self) -> None:
        self._hover_message("")
        self._hovered_link = ""
        self._hover_hint("")
        hover, self._view.scene.hover = self._view.scene.hover, None
        if hover is not None:
            self._view.scroller.update_item(hover.item)

    # Buttons

    def press(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        point = self._where = event.position()
        self._count_clicks(point.toPoint())
        found = self.region_at(point)
        self._pressed = (found[1], found[2].key) if found is not None else None
        self._pressed_link = self.link_at(point)
        self._view.clear_focus()
        if (
            found is not None
            and isinstance(found[1], WideItem)
            and found[2].action is ItemAction.SCROLL
        ):
            self._grasp(found[1], self._view.scroller.local(found[0], point).x())
        if self._pressed is not None:
            return
        self._drags = True
        self._spot = point.toPoint()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._extend(point)
            return
        units = (SelectionUnit.CHARACTER, SelectionUnit.WORD, SelectionUnit.PARAGRAPH)
        self._begin(point, units[min(self._clicks, 3) - 1])

    def _count_clicks(self, point: QPoint) -> None:
        near = (point - self._last_press).manhattanLength() < 6
        self._clicks = self._clicks % 3 + 1 if near and self._again.isActive() else 1
        self._last_press = point
        self._again.start(QGuiApplication.styleHints().mouseDoubleClickInterval())

    def move(self, event: QMouseEvent) -> None:
        point = event.position()
        if not event.buttons() & Qt.MouseButton.LeftButton:
            self.hover(point)
            return
        if self._grip is not None:
            self._pull(self._grip[0], point.x() - self._grip[1])
        if self._drags:
            self._where = point
            if (point.toPoint() - self._spot).manhattanLength() >= 4:
                self._pressed_link = ""
            self._extend(point)
            outside = not 0 <= point.y() < self._view.scroller.viewport_height
            if outside != self._scroller.isActive():
                self._scroller.start() if outside else self._scroller.stop()

    def release(self, event: QMouseEvent) -> None:
        self._scroller.stop()
        dragged, self._drags = self._drags, False
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        pressed, self._pressed = self._pressed, None
        if self._grip is not None:
            self._grip, pressed = None, None
        link, self._pressed_link = self._pressed_link, ""
        found = self.region_at(event.position())
        if pressed is not None and found is not None and (found[1], found[2].key) == pressed:
            self._view.press_region(*found)
        elif link and link == self.link_at(event.position()) and self._view.selection.is_empty:
            self._view.link_activated.emit(link)
        elif dragged:
            self._hand_over()
        self.hover(event.position())

    def _hand_over(self) -> None:
        """Copy the selection to the X11 selection, for pasting with the middle button."""
        clipboard = QGuiApplication.clipboard()
        if clipboard.supportsSelection() and (text := self._view.selection.text(markdown=False)):
            clipboard.setText(text, QClipboard.Mode.Selection)

    # Wide tables

    def _grasp(self, table: WideItem, x: float) -> None:
        """Grab the scroll bar of a table; a press beside the handle moves it to the mouse first."""
        look = self._view.item_style
        thumb = table.scroll_thumb(look)
        if not thumb.left() <= x <= thumb.right():
            self._pull(table, x - thumb.width() / 2 - table.scroll_track(look).left())
            thumb = table.scroll_thumb(look)
        self._grip = (table, self._where.x() - (thumb.left() - table.scroll_track(look).left()))

    def _pull(self, table: WideItem, x: float) -> None:
        look = self._view.item_style
        if table.scroll_to(
            x * table.scroll_state.total / max(1.0, table.scroll_track(look).width()), look
        ):
            self._view.viewport().update()

    def wheel_sideways(self, event: QWheelEvent) -> bool:
        """Scroll the wide table below the mouse with a horizontal wheel or Shift."""
        under = self._under(event.position())
        if under is None or not isinstance(under[1], WideItem):
            return False
        turned, look = event.angleDelta(), self._view.item_style
        shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        across = turned.y() if shifted and not turned.x() else turned.x()
        if not across or (abs(across) < abs(turned.y())) or not under[1].overflow(look):
            return False
        if under[1].scroll_by(-across * _NOTCH / 120, look):
            self._view.viewport().update()
        event.accept()
        return True

    # Selecting

    def _spot_at(self, point: QPointF) -> tuple[RowPosition, QPointF] | None:
        room = self._view.scroller.viewport_height
        inside = QPointF(point.x(), min(max(point.y(), 0.0), room - 1.0))
        place = self._view.scroller.position_at(inside)
        return None if place is None else (place, self._view.scroller.local(place, inside))

    def _begin(self, point: QPointF, unit: SelectionUnit) -> None:
        spot = self._spot_at(point)
        if spot is not None:
            self._view.selection.start(self._view.selection.position_at(*spot), unit)
        self._view.viewport().update()

    def _extend(self, point: QPointF) -> None:
        spot = self._spot_at(point)
        if spot is not None:
            self._view.selection.extend(self._view.selection.position_at(*spot))
        self._view.viewport().update()

    def _drag_on(self) -> None:
        """Scroll while the mouse is held outside, faster with the distance."""
        y = self._where.y()
        away = y if y < 0 else y - self._view.scroller.viewport_height
        self._view.scroller.scroll_by(int(away / 3) or (1 if away > 0 else -1))
        self._extend(self._where)
