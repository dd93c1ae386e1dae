"""The message view's menu of the right button. It opens with `popup`: nothing waits for it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu

from neodeskpet.language import tr
from neodeskpet.ui.chat.items.image import ImageItem
from neodeskpet.ui.chat.view.surface import Surface


def open_menu(view: Surface, point: QPointF, link: str, where: QPoint) -> QMenu:
    """Open the menu for `point` of the viewport, at `where` on the screen; `link` is the address
    that lies there ("" for none). It deletes itself when it closes.
    """
    menu = QMenu(view.viewport())
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    if link:
        menu.addAction(tr("Open the link"), lambda: view.link_activated.emit(link))
        menu.addAction(tr("Copy the address"), lambda: _put(link))
        menu.addSeparator()
    place = view.scroller.place_at(point)
    entry = view.column.entries[place.message] if place is not None else None
    item = view.column.item(place) if place is not None else None
    if isinstance(item, ImageItem):
        image = item.image
        menu.addAction(tr("Show the picture"), lambda: view.picture_requested.emit(image))
        menu.addAction(tr("Reply with this picture"), lambda: view.quote_requested.emit(image))
        menu.addAction(tr("Copy the picture"), lambda: view.picture_copy_requested.emit(image))
        menu.addSeparator()
    some = not view.selection.is_empty
    menu.addAction(tr("Copy"), lambda: view.copy(markdown=False)).setEnabled(some)
    menu.addAction(tr("Copy as Markdown"), lambda: view.copy(markdown=True)).setEnabled(some)
    if entry is not None:
        text = entry.markdown
        menu.addAction(tr("Copy the message"), lambda: _put(text))
    menu.addSeparator()
    menu.addAction(tr("Select all"), view.select_all)
    menu.popup(where)
    return menu


def _put(text: str) -> None:
    QGuiApplication.clipboard().setText(text)
