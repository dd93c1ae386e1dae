"""What mouse, keys, screen readers and the menu need of the view they act on."""

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
    """The `ChatView` as its hands see it. The signals are described there."""

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
        """What is painted on; coordinates are in it."""
        ...

    def edit_message(self, message_id: str) -> None:
        """Let the person write their message anew, in its place."""
        ...

    def show_message_menu(self, entry: MessageEntry, where: QPoint) -> None:
        """What can be done with a whole message; `where` on the screen."""
        ...

    def press_region(self, place: RowPosition, item: Item, part: HitRegion) -> None:
        """A part was pressed, by whatever hand."""
        ...

    def focus_moved(self, place: RowPosition, part: HitRegion | None) -> None:
        """The keyboard points at something else now."""
        ...

    def clear_focus(self) -> None:
        """The keyboard points at nothing."""
        ...

    def take_focus(self) -> None:
        """The keyboard comes back here, from a field that lay on it."""
        ...

    def select_all(self) -> None: ...

    def copy(self, *, markdown: bool) -> None:
        """Put the selection on the clipboard; what isn't loaded is asked for first."""
        ...
