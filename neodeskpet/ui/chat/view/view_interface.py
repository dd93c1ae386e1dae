"""The part of the view that mouse, keyboard, screen readers and the menu use."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QPoint, SignalInstance
from PySide6.QtWidgets import QWidget

from neodeskpet.ui.chat.items.item import HitRegion, Item, Scene
from neodeskpet.ui.chat.items.item_style import ItemStyle
from neodeskpet.ui.chat.view.animations import AnimationTimer, SlideAnimation
from neodeskpet.ui.chat.view.message_column import MessageColumn, RowPosition
from neodeskpet.ui.chat.view.message_entry import MessageEntry
from neodeskpet.ui.chat.view.scroller import Scroller
from neodeskpet.ui.chat.view.text_selection import TextSelection


class ChatViewInterface(Protocol):
    """The part of `ChatView` for input handlers. The signals are described there."""

    column: MessageColumn
    scene: Scene
    scroller: Scroller
    selection: TextSelection
    slide: SlideAnimation
    animation_timer: AnimationTimer

    @property
    def item_style(self) -> ItemStyle: ...
    @property
    def action_requested(self) -> SignalInstance: ...
    @property
    def approval_given(self) -> SignalInstance: ...
    @property
    def arguments_edited(self) -> SignalInstance: ...
    @property
    def undo_requested(self) -> SignalInstance: ...
    @property
    def detach_requested(self) -> SignalInstance: ...
    @property
    def stop_requested(self) -> SignalInstance: ...
    @property
    def run_again_requested(self) -> SignalInstance: ...
    @property
    def retry_requested(self) -> SignalInstance: ...
    @property
    def retry_with_requested(self) -> SignalInstance: ...
    @property
    def version_requested(self) -> SignalInstance: ...
    @property
    def delete_requested(self) -> SignalInstance: ...
    @property
    def branch_requested(self) -> SignalInstance: ...
    @property
    def editing_started(self) -> SignalInstance: ...
    @property
    def message_edited(self) -> SignalInstance: ...
    @property
    def composer_requested(self) -> SignalInstance: ...
    @property
    def link_activated(self) -> SignalInstance: ...
    @property
    def picture_requested(self) -> SignalInstance: ...
    @property
    def picture_copy_requested(self) -> SignalInstance: ...
    @property
    def quote_requested(self) -> SignalInstance: ...
    @property
    def passage_quoted(self) -> SignalInstance: ...
    @property
    def save_requested(self) -> SignalInstance: ...

    def viewport(self) -> QWidget:
        """The widget that is painted on; coordinates are relative to it."""
        ...

    def edit_message(self, message_id: str) -> None:
        """Open the editor in place of a message of the user."""
        ...

    def allow_question(self) -> bool:
        """Answer yes to a visible question, or move the focus to a hidden one; return False if
        there is none.
        """
        ...

    def show_message_menu(self, entry: MessageEntry, where: QPoint) -> None:
        """Open the menu of a message; `where` in screen coordinates."""
        ...

    def press_region(self, place: RowPosition, item: Item, part: HitRegion) -> None:
        """Perform the action of a part."""
        ...

    def focus_moved(self, place: RowPosition, part: HitRegion | None) -> None:
        """Report a move of the keyboard focus."""
        ...

    def clear_focus(self) -> None:
        """Clear the keyboard focus."""
        ...

    def take_focus(self) -> None:
        """Take the focus back from a field inside the view."""
        ...

    def focus_part(self, message_id: str, key: str, item_key: str = "") -> bool:
        """Move the focus to a part of a message, such as the button that opened a form; to the view
        itself and return False if the part doesn't exist.
        """
        ...

    def attach_form(self, form: QWidget, message_id: str) -> None:
        """Show a form to screen readers as a part of its message, until `detach_form`."""
        ...

    def detach_form(self, form: QWidget) -> None: ...

    def select_all(self) -> None: ...

    def copy(self, *, markdown: bool) -> None:
        """Copy the selection to the clipboard, after loading missing messages."""
        ...
