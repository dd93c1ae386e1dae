"""The context menu of the message view. It opens with `popup`, without blocking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from neodeskpet.core.blocks import MessageState
from neodeskpet.core.errors import Action
from neodeskpet.language import tr
from neodeskpet.ui.chat.items.image_item import ImageItem
from neodeskpet.ui.chat.items.user_message import INSPECT_ACTION, READ_ACTION, WHY_ACTION
from neodeskpet.ui.chat.items.wide_items import FormulaItem, MarkdownTableItem
from neodeskpet.ui.chat.view.message_entry import MessageEntry
from neodeskpet.ui.widgets.labels import button_text

if TYPE_CHECKING:
    from neodeskpet.ui.chat.view.view_interface import ChatViewInterface


def open_menu(view: ChatViewInterface, point: QPointF, link: str, where: QPoint) -> QMenu:
    """Open the menu for `point` of the viewport, at `where` in screen coordinates; `link` is the
    address at that point, "" for none. The menu deletes itself when it closes.
    """
    menu = QMenu(view.viewport())
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    if link:
        menu.addAction(tr("Open the link"), lambda: view.link_activated.emit(link))
        menu.addAction(tr("Copy the address"), lambda: _copy_text(link))
        menu.addSeparator()
    place = view.scroller.position_at(point)
    entry = view.column.entries[place.message] if place is not None else None
    item = view.column.item(place) if place is not None else None
    if isinstance(item, ImageItem):
        image = item.image
        menu.addAction(tr("Show the picture"), lambda: view.picture_requested.emit(image))
        menu.addAction(tr("Reply with this picture"), lambda: view.quote_requested.emit(image))
        menu.addAction(tr("Copy the picture"), lambda: view.picture_copy_requested.emit(image))
        menu.addSeparator()
    if isinstance(item, MarkdownTableItem):
        shape = item.shape
        menu.addAction(tr("Copy the table"), lambda: _copy_text(shape.tsv))
        menu.addAction(tr("Copy the table as Markdown"), lambda: _copy_text(shape.markdown))
        menu.addSeparator()
    if isinstance(item, FormulaItem) and (formula := item.formula) is not None:
        menu.addAction(tr("Copy the formula"), lambda: _copy_text(formula.tex))
        menu.addSeparator()
    some = not view.selection.is_empty
    menu.addAction(tr("Copy"), lambda: view.copy(markdown=False)).setEnabled(some)
    menu.addAction(tr("Copy as Markdown"), lambda: view.copy(markdown=True)).setEnabled(some)
    menu.addAction(tr("Quote"), lambda: _quote(view)).setEnabled(some)
    if entry is not None:
        menu.addSeparator()
        _add_message(menu, view, entry)
    menu.addSeparator()
    menu.addAction(tr("Select all"), view.select_all)
    menu.popup(where)
    return menu


def open_message_menu(view: ChatViewInterface, entry: MessageEntry, where: QPoint) -> QMenu:
    """Open the menu of one message, at `where` in screen coordinates. It deletes itself."""
    menu = QMenu(view.viewport())
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    _add_message(menu, view, entry)
    menu.popup(where)
    return menu


def open_choice_menu(
    parent: QWidget, choices: Sequence[tuple[str, Callable[[], object]]], where: QPoint
) -> QMenu:
    """Open a menu of these choices (text and function), at `where` in screen coordinates. It
    deletes itself. The first choice is selected, so that the menu can be used by keyboard at once.
    """
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    for text, choose in choices:
        menu.addAction(button_text(text), choose)
    menu.popup(where)
    if menu.actions():
        menu.setActiveAction(menu.actions()[0])
    return menu


def _add_message(menu: QMenu, view: ChatViewInterface, entry: MessageEntry) -> None:
    """Add the actions for a message; one that a turn is writing can only be copied or deleted."""
    own, text = entry.id, entry.markdown
    menu.addAction(tr("Copy the message"), lambda: _copy_text(text))
    if text.strip():
        menu.addAction(
            tr("Read aloud"), lambda: view.action_requested.emit(own, READ_ACTION)
        ).setEnabled(not entry.running)
    if entry.is_user:
        menu.addAction(tr("Edit the message"), lambda: view.edit_message(own))
    elif entry.can_retry:
        if entry.state is MessageState.CANCELLED and view.scene.is_newest(own):
            go_on = Action.CONTINUE.value
            menu.addAction(tr("Continue"), lambda: view.action_requested.emit(own, go_on))
        menu.addAction(tr("Regenerate the reply"), lambda: view.retry_requested.emit(own))
        menu.addAction(
            tr("Regenerate with another model…"), lambda: view.retry_with_requested.emit(own)
        )
    if not entry.is_user:
        menu.addAction(
            tr("What happened in this turn"),
            lambda: view.action_requested.emit(own, INSPECT_ACTION),
        )
        menu.addAction(
            tr("Why did you say that?"), lambda: view.action_requested.emit(own, WHY_ACTION)
        )
    if not entry.running:
        menu.addAction(tr("New conversation from here"), lambda: view.branch_requested.emit(own))
    menu.addSeparator()
    menu.addAction(tr("Delete the message"), lambda: view.delete_requested.emit(own, False))
    menu.addAction(
        tr("Delete this and all following messages"), lambda: view.delete_requested.emit(own, True)
    )


def _quote(view: ChatViewInterface) -> None:
    view.passage_quoted.emit(view.selection.text(markdown=True))


def _copy_text(text: str) -> None:
    QGuiApplication.clipboard().setText(text)
