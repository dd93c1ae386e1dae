"""The message view: one scroll area over all items of a conversation, without widgets for blocks.

The owner sets the heads (`open_conversation`), then provides the messages requested by
`messages_wanted` (`add_loaded_messages`), and the events of a turn (`apply`). The view emits
actions of the user as signals and opens nothing itself. The cost of a delta is bounded: only the
open piece is parsed, only visible items are laid out, and only changes are painted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QLineEdit, QWidget

from neodeskpet.core.blocks import Message, MessageHead, MessageState, Role, ShownPath, ToolUse
from neodeskpet.core.errors import Action
from neodeskpet.core.turn.turn_events import (
    TextAppended,
    TurnEnded,
    TurnEvent,
    TurnStarted,
)
from neodeskpet.language import tr
from neodeskpet.ui.chat.argument_form import ArgumentForm
from neodeskpet.ui.chat.items.item import (
    ApprovalInfo,
    Citation,
    HitRegion,
    Item,
    PointedRegion,
    Scene,
)
from neodeskpet.ui.chat.items.item_style import ItemStyle
from neodeskpet.ui.chat.items.text_documents import DocumentCache
from neodeskpet.ui.chat.items.text_items import MarkdownItem
from neodeskpet.ui.chat.items.user_message import INSPECT_ACTION, ActionNames
from neodeskpet.ui.chat.items.wide_items import FormulaItem
from neodeskpet.ui.chat.view.accessibility import ViewAccessibility, install
from neodeskpet.ui.chat.view.animations import AnimationTimer, SlideAnimation
from neodeskpet.ui.chat.view.context_menu import open_menu, open_message_menu
from neodeskpet.ui.chat.view.decorations import ColumnFrame
from neodeskpet.ui.chat.view.inline_forms import CardForms, MessageEditing
from neodeskpet.ui.chat.view.item_actions import ItemActions
from neodeskpet.ui.chat.view.keyboard_navigation import KeyboardNavigation
from neodeskpet.ui.chat.view.message_column import END_ANCHOR, MessageColumn, RowPosition
from neodeskpet.ui.chat.view.message_entry import MessageEntry
from neodeskpet.ui.chat.view.message_loader import MessageLoader
from neodeskpet.ui.chat.view.mouse_input import MouseInput, Viewport
from neodeskpet.ui.chat.view.reply_announcer import ReplyAnnouncer
from neodeskpet.ui.chat.view.row_painter import RowPainter
from neodeskpet.ui.chat.view.scroller import SCROLLBAR, Scroller
from neodeskpet.ui.chat.view.text_selection import TextSelection
from neodeskpet.ui.rendering.code_highlighter import Highlighter
from neodeskpet.ui.rendering.formula_cache import FormulaCache
from neodeskpet.ui.theme import Theme

_MAX_LOADED, _KEPT = 240, 160
"""When more messages are loaded than the first, only the second number stays loaded."""


class ChatView(QAbstractScrollArea):
    """The message view.

    Signals: `messages_wanted(ids)`, messages that came into view and aren't loaded;
    `action_requested(message id, action)` for buttons of notices and messages;
    `approval_given(message id, block index, ConsentAnswer, reason)`; `arguments_edited(message id,
    block index, arguments)` to run the call with these arguments; `undo_requested(message id, block
    index)`; `detach_requested(call)` to continue the call in the background;
    `stop_requested(call)` to stop the call alone;
    `run_again_requested(message id, call)`; `retry_requested(message id)`, and
    `retry_with_requested(message id)` with another model; `version_requested(message id, by)`, a
    relative version; `delete_requested(message id, with all that follows)`;
    `branch_requested(message id)`, a new conversation from there; `editing_started(MessageEditor,
    Images)`, whose pictures the owner loads, and `message_edited(message id, text)`;
    `composer_requested()`: the part with the focus was used and disappears, so that the user
    continues in the composer; `link_activated(address)`, http, https or mailto, to be confirmed by
    the user;
    `picture_requested(Image)` to show it large, `picture_copy_requested(Image)`,
    `quote_requested(Image)` to reply to it; `passage_quoted(Markdown)`, the selection to reply to;
    `save_requested(code, language)`, to save a file.
    """

    messages_wanted = Signal(list)
    action_requested = Signal(str, str)
    approval_given = Signal(str, int, object, str)
    arguments_edited = Signal(str, int, object)
    undo_requested = Signal(str, int)
    detach_requested = Signal(object)
    stop_requested = Signal(object)
    run_again_requested = Signal(str, object)
    retry_requested = Signal(str)
    retry_with_requested = Signal(str)
    version_requested = Signal(str, int)
    delete_requested = Signal(str, bool)
    branch_requested = Signal(str)
    editing_started = Signal(object, list)
    message_edited = Signal(str, str)
    composer_requested = Signal()
    link_activated = Signal(str)
    picture_requested = Signal(object)
    picture_copy_requested = Signal(object)
    quote_requested = Signal(object)
    passage_quoted = Signal(str)
    save_requested = Signal(str, str)

    def __init__(
        self,
        theme: Theme,
        parent: QWidget | None = None,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        install()
        super().__init__(parent)
        self.setViewport(Viewport(lambda: self._pointer.mouse_left()))
        viewport = self.viewport()
        look = ItemStyle(theme)
        # Content
        self.scene = Scene(
            style=look,
            documents=DocumentCache(look),
            highlighter=Highlighter(self),
            clock=clock,
            picture=lambda _digest: None,
            main_argument=lambda _name: "",
            tool_title=lambda name: name,
            ask_paint=viewport.update,
            is_newest=lambda message_id: self.column.ends_with(message_id),
            versions=lambda message_id: self.column.versions_of(message_id),
            formulas=FormulaCache(self),
        )
        self._reading = ReplyAnnouncer(lambda name: self.scene.tool_title(name))
        self.scene.formulas.drawn.connect(self._show_drawn)
        self.column = MessageColumn(look, clock)
        self.selection = TextSelection(self.column, self.scene)
        self._loader = MessageLoader(
            self, self.scene, self.actions_of, lambda: self.column.width, self._loaded
        )
        self._copying: bool | None = None
        # Display
        self.scroller = Scroller(self, self.column, self.scene)
        self.slide = SlideAnimation(self, viewport.update)
        self.animation_timer = AnimationTimer(viewport, self.column, self.scene, self.scroller)
        self._painter = RowPainter(
            self.column, self.scene, self.scroller, self.selection, self.slide
        )
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        viewport.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        viewport.setAutoFillBackground(False)
        # Input
        self.access = ViewAccessibility(self, self)
        self._item_actions = ItemActions(self)
        self.card_forms = CardForms(self)
        self.message_editing = MessageEditing(self)
        self._pointer = MouseInput(self)
        self._keys = KeyboardNavigation(self)
        self.scroller.messages_requested.connect(self.messages_wanted)
        for one in (self._item_actions, self.card_forms, self.message_editing):
            self.scroller.arranged.subscribe(one.update_positions)
        self.access.install_interface()
        for used in (
            self.approval_given,
            self.arguments_edited,
            self.retry_requested,
            self.message_edited,
        ):
            used.connect(self._leave_to_composer)

    @property
    def item_style(self) -> ItemStyle:
        return self.scene.style

    # Conversation

    def open_conversation(self, heads: Sequence[MessageHead]) -> None:
        """Show the end of another conversation. Visible messages are requested."""
        self._forget()
        self.message_editing.cancel()
        self.column.set_heads(heads)
        self.scroller.rearrange(END_ANCHOR, 0)
        self.viewport().update()
        self.access.update_children()

    def _forget(self) -> None:
        self.selection.clear()
        self._loader.cancel()
        self.scroller.reset()
        self._copying = None
        self.scene.hover = self.scene.focus = None
        self.scene.hovered_message = self.scene.focused_message = ""
        self.scene.documents.clear(self.item_style)

    def add_loaded_messages(self, messages: Sequence[Message]) -> None:
        """Add requested messages. Ids that no longer belong here are skipped. The newest come
        first; the rest is loaded in later iterations of the event loop.
        """
        self._loader.load(messages)

    def _loaded(self, entries: Sequence[MessageEntry]) -> None:
        anchor = self.scroller.anchor()
        first: int | None = None
        for entry in entries:
            number = self.column.number_of(entry.id)
            if number is None or self.column.entries[number] is not None:
                continue
            self.column.set_entry(entry)
            top = self.column.message_top(number)
            first = top if first is None else min(first, top)
        self.scroller.rearrange(anchor, first)
        self._unload_far()
        self.access.update_children()
        if self._copying is not None and not self.selection.missing_ids():
            markdown, self._copying = self._copying, None
            self.copy(markdown=markdown)

    def _unload_far(self) -> None:
        """Unload messages that are far from the visible ones: a conversation of a whole day would
        take more memory with each message. They are loaded again when they come near.
        """
        if self.column.loaded_count() <= _MAX_LOADED:
            return
        if self.scene.marks.needle or self.selection.ordered_ends() is not None:
            return
        visible = self.scroller.visible_places()
        if visible:
            first, last = visible[0].message, visible[-1].message
            self.scroller.mark_missing(self.column.unload_far(first, last, _KEPT))

    def add_message(self, message: Message) -> None:
        """Add a new message at the end, or replace one. The user's own message is scrolled to."""
        if message.role is Role.USER:
            self.scroller.follows_end = True
        anchor = self.scroller.anchor()
        number = self.column.set_entry(self._entry_of(message))
        self.scroller.rearrange(anchor, self.column.message_top(number))
        self.access.update_children()

    def update_message(self, message: Message) -> None:
        """Replace the message if it belongs here: the loader can't load one that a turn
        is writing.
        """
        if self.column.number_of(message.id) is not None:
            self.add_message(message)

    def show_path(
        self, path: ShownPath, messages: Sequence[Message], *, fresh: bool = False
    ) -> None:
        """Show other messages below the message `path.after`; `messages` are the loaded first ones.
        Messages above keep their place, and so does what is in view; `fresh`: new messages are
        scrolled to. A path from a message that isn't here is ignored.
        """
        above = self.column.number_of(path.after)
        if path.after and above is None:
            return
        number = 0 if above is None else above + 1
        seat = self._seat(number)
        arrow = self.scene.focus.key if self.scene.focus is not None else ""
        anchor = self.scroller.anchor()
        self.selection.clear()
        self.clear_focus()
        self.scene.hover = None
        self.column.replace_below(number, path.heads)
        self.scroller.mark_missing(head.id for head in path.heads)
        for message in messages:
            if self.column.number_of(message.id) is not None:
                self.column.set_entry(self._entry_of(message))
        if fresh:
            self.scroller.follows_end = True
            self.scroller.rearrange(END_ANCHOR, 0)
        elif seat is None or number >= len(self.column.heads):
            self.scroller.rearrange(anchor, 0)
        else:
            self._sit(self.column.heads[number].id, seat)
        self.viewport().update()
        self.access.update_children()
        if arrow.startswith("version.") and number < len(self.column.heads):
            self._focus_version(number, arrow)

    def _seat(self, number: int) -> tuple[bool, int] | None:
        """Return the position of message `number` in the viewport: of its top, or of its bottom
        (True) if only that is visible; None if it isn't visible.
        """
        if number >= len(self.column.heads):
            return None
        entry = self.column.entries[number]
        top = self.column.message_top(number) - self.scroller.top
        if 0 <= top < self.scroller.viewport_height:
            return False, top
        rows = len(entry.items) if entry is not None else 0
        foot = (
            self.column.row_top(RowPosition(number, rows - 1)) - self.scroller.top if rows else -1
        )
        return (True, foot) if 0 <= foot < self.scroller.viewport_height else None

    def _sit(self, message_id: str, seat: tuple[bool, int]) -> None:
        hold = self.scroller.keep_bottom if seat[0] else self.scroller.keep_top
        hold(message_id, seat[1])

    def _focus_version(self, number: int, key: str) -> None:
        """Keep the keyboard focus on the pressed arrow, or on the other one at the end."""
        entry = self.column.entries[number]
        version, count = self.column.versions_of(self.column.heads[number].id)
        words = tr("Version {number} of {count}", number=str(version), count=str(count))
        self.access.announce(words)
        for row, item in enumerate(entry.items if entry is not None else ()):
            arrows = [p for p in item.hit_regions(self.scene) if p.key.startswith("version.")]
            for part in sorted(arrows, key=lambda part: part.key != key)[:1]:
                self.scene.focused_message = self.column.heads[number].id
                self.scene.focus = PointedRegion(item, part.key)
                self.focus_moved(RowPosition(number, row), part)

    def edit_message(self, message_id: str) -> None:
        """Open the editor in place of a message of the user."""
        self.message_editing.start(message_id)

    def show_message_menu(self, entry: MessageEntry, where: QPoint) -> None:
        """Open the menu of a message; `where` in screen coordinates."""
        open_message_menu(self, entry, where)

    def set_summary_end(self, until: str) -> None:
        """Mark the last message that a summary covers, "" for none."""
        before, self.scene.summarised_until = self.scene.summarised_until, until
        if before == until:
            return
        self._recompose((before, until))

    def set_citations(self, cited: Mapping[str, Sequence[Citation]]) -> None:
        """Set the sources of each message that has any, by message id."""
        before, self.scene.citations = self.scene.citations, cited
        changed = [key for key in before.keys() | cited.keys() if before.get(key) != cited.get(key)]
        if changed:
            self._recompose(changed)

    def _recompose(self, messages: Sequence[str]) -> None:
        """Recreate the items of these messages after annotations changed."""
        anchor = self.scroller.anchor()
        for message_id in messages:
            number, entry = self.column.number_of(message_id), self.column.entry(message_id)
            if number is not None and entry is not None:
                entry.rebuild_items()
                self.column.refresh(number)
        self.scroller.rearrange(anchor, 0)

    @property
    def is_empty(self) -> bool:
        """Whether the conversation has no message."""
        return not self.column.heads

    def message_text(self, message_id: str) -> str:
        """Return the message's text as Markdown; "" if it isn't loaded."""
        entry = self.column.entry(message_id)
        return entry.markdown if entry is not None else ""

    def go_to(self, message_id: str) -> bool:
        """Scroll to a message and mark it; return whether it is here."""
        if self.column.number_of(message_id) is None:
            return False
        self.clear_focus()
        self.scroller.follows_end = False
        self.scroller.keep_top(message_id, self.scene.style.theme.message_gap)
        self.setFocus()
        self.scene.focused_message = message_id
        self.viewport().update()
        return True

    def show_picture(self, digest: str, description: str | None = None) -> None:
        """Update a picture after it was loaded or described; the view keeps its position."""
        for number, entry in enumerate(self.column.entries):
            if entry is not None and entry.show_picture(digest, description):
                anchor = self.scroller.anchor()
                self.column.refresh(number)
                self.scroller.rearrange(anchor, self.column.message_top(number))

    def _show_drawn(self, waiters: set[MarkdownItem | FormulaItem]) -> None:
        """Show drawn formulas in place of their source."""
        anchor = self.scroller.anchor()
        for waiter in waiters:
            waiter.redraw(self.scene)
        self.scroller.rearrange(anchor, 0)

    def _entry_of(self, message: Message) -> MessageEntry:
        return MessageEntry(message, self.scene, self.actions_of(message.role))

    def actions_of(self, role: Role) -> ActionNames:
        """Return the small buttons of messages of this role."""
        copy = ("copy", tr("Copy"))
        more = ("more", tr("More…"))
        if role is Role.USER:
            return (copy, ("edit", tr("Edit")), more)
        inspect = (INSPECT_ACTION, tr("What happened in this turn"))
        go_on = (Action.CONTINUE.value, tr("Continue"))
        return (copy, ("retry", tr("Retry")), go_on, inspect, more)

    # Turn

    def apply(self, batch: Sequence[tuple[str, TurnEvent]]) -> None:
        """Show a turn's events, in order. Visible changes are painted before this returns."""
        anchor = self.scroller.anchor()
        changed: dict[str, MessageEntry] = {}
        for message_id, event in batch:
            entry = self._entry_for(message_id, event)
            if entry is not None:
                entry.apply(event)
                changed[message_id] = entry
            self._note(message_id, event)
        first: int | None = None
        for message_id in changed:
            number = self.column.number_of(message_id)
            top = self.column.refresh(number) if number is not None else None
            if top is not None:
                first = top if first is None else min(first, top)
        if changed:
            self.slide.stop()
            self.scroller.rearrange(anchor, first, at_once=True)
        self._report(batch)

    def _report(self, batch: Sequence[tuple[str, TurnEvent]]) -> None:
        """Report the events to assistive technology."""
        if not QAccessible.isActive():
            return
        if any(isinstance(event, TurnStarted | TurnEnded) for _, event in batch):
            self.access.update_children()
        for message_id, event in batch:
            self.access.events.follow(message_id, event)

    def _note(self, message_id: str, event: TurnEvent) -> None:
        """Handle the effects of an event besides painting: the animation timer and
        announcements.
        """
        match event:
            case TextAppended():
                self.animation_timer.text_arrived()
            case TurnEnded():
                self._unload_far()
            case _:
                pass
        if QAccessible.isActive():
            said = self._reading.announcement_for(message_id, event)
            # The bubble reads a question out while the chat is hidden.
            if said is not None and (self.isVisible() or not said.urgent):
                self.access.announce(said.text, urgent=said.urgent)

    def _entry_for(self, message_id: str, event: TurnEvent) -> MessageEntry | None:
        """Return the entry that an event belongs to, created when its turn starts. None while it
        isn't loaded: loading it later includes the event's effect.
        """
        entry = self.column.entry(message_id)
        if entry is not None or self.column.number_of(message_id) is not None:
            return entry
        if not isinstance(event, TurnStarted):
            return None
        message = Message(message_id, Role.ASSISTANT, (), MessageState.RUNNING, self.scene.clock())
        entry = self._entry_of(message)
        self.column.set_entry(entry)
        return entry

    # Appearance

    def set_theme(self, theme: Theme) -> None:
        before = self.item_style.theme
        anchor = self.scroller.anchor()
        look = ItemStyle(theme)
        self.scene.style = self.column.style = look
        self.scene.documents.clear(look)
        self.card_forms.set_theme(theme)
        self.message_editing.set_theme(theme)
        if before.font_px != theme.font_px:
            for entry in self.column.entries:
                for item in entry.items if entry is not None else ():
                    item.invalidate()
            self.scroller.viewport_resized()
        self.scroller.rearrange(anchor, 0)
        self.viewport().update()

    def set_portrait(self, picture: QPixmap, resting: QPixmap | None = None) -> None:
        """Set the companion's face beside the newest message. Older ones show `resting` (by default
        the first face that was set).
        """
        if self._painter.portraits.set_pictures(picture, resting):
            self.viewport().update()
        else:
            self._update_newest_portrait()

    def _update_newest_portrait(self) -> None:
        """Repaint only the portrait: it changes several times a second, unlike the text."""
        if not self.column.heads:
            self.viewport().update()
            return
        frame = self.scroller.frame
        size = frame.portrait
        top = self.column.row_top(RowPosition(len(self.column.heads) - 1, 0)) - self.scroller.top
        left = frame.left - frame.gutter
        self.viewport().update(left, top - 6, size + 2, size + 4)

    def set_reduced_motion(self, reduced: bool) -> None:
        self.scene.reduced = reduced
        self.animation_timer.stop()
        self.viewport().update()

    def set_picture_source(self, picture: Callable[[str], QPixmap | None]) -> None:
        """Set the function that returns a picture by its digest."""
        self.scene.picture = picture
        self.viewport().update()

    def set_undoable(self, can_undo: Callable[[ToolUse], bool]) -> None:
        """Set which calls show an undo button."""
        self.scene.can_undo = can_undo

    def set_detachable(self, can_leave: Callable[[ToolUse], bool]) -> None:
        """Set which running calls can be moved to the background."""
        self.scene.can_detach = can_leave

    def set_stoppable(self, can_stop: Callable[[ToolUse], bool]) -> None:
        """Set which running calls show a button that stops them."""
        self.scene.can_stop = can_stop

    def set_repeatable(self, can_repeat: Callable[[ToolUse], bool]) -> None:
        """Set which finished calls show a button that runs them again."""
        self.scene.can_repeat = can_repeat

    def column_edges(self, width: int) -> tuple[int, int]:
        """Return the distances of messages and portraits from both sides of a view
        `width` px wide.
        """
        frame = ColumnFrame.for_room(max(200, width - SCROLLBAR), self.item_style)
        return frame.left - frame.gutter, width - frame.left - frame.width

    def set_approval_info(self, consent: ApprovalInfo) -> None:
        """Set the source of information about calls that ask for permission."""
        self.scene.approval = consent

    def set_main_argument_names(self, named: Mapping[str, str]) -> None:
        """Set the argument that a closed card shows, by tool name (`ToolSpec.main_argument`)."""
        self.scene.main_argument = lambda name: named.get(name, "")
        self.viewport().update()

    def set_portrait_source(self, face_of: Callable[[str], QPixmap | None]) -> None:
        """Set the function that returns the portrait for a message by the text it begins with; None
        for the companion.
        """
        self._painter.portrait_of = face_of

    def set_tool_titles(self, title: Callable[[str], str]) -> None:
        """Set the function that returns the display name of a tool in the current language."""
        self.scene.tool_title = title

    def set_name(self, name: str) -> None:
        """Set the name of the character, which screen readers announce before each reply."""
        self.scene.name = name
        self._painter.portraits.name = name

    def set_expression_names(self, name: Callable[[str, str], str]) -> None:
        """Set the function that returns the display name of an expression or motion in a
        language.
        """
        self.scene.expression_name = name

    def set_gestures(self, names: Iterable[str]) -> None:
        """Set the tools whose calls are shown as gestures, by a small mark."""
        self.scene.is_gesture = frozenset(names).__contains__

    def set_changing_tools(self, names: Iterable[str]) -> None:
        """Set the tools whose calls change something; these calls are never grouped."""
        self.scene.is_change = frozenset(names).__contains__

    def retranslate(self) -> None:
        """Update all texts to the current language."""
        anchor = self.scroller.anchor()
        self.scene.documents.clear(self.item_style)
        for number, entry in enumerate(self.column.entries):
            if entry is not None:
                entry.retranslate(self.actions_of(entry.role))
                self.column.refresh(number)
        self.scroller.position_button()
        self.scroller.rearrange(anchor, 0)
        self.viewport().update()

    # Selection and input

    def select_all(self) -> None:
        self.selection.select_all()
        self.viewport().update()

    def selected_text(self) -> str:
        """Return the selection as plain text."""
        return self.selection.text(markdown=False)

    def selected_markdown(self) -> str:
        """Return the selection as Markdown: whole pieces with their source, parts as plain text."""
        return self.selection.text(markdown=True)

    def copy(self, *, markdown: bool) -> None:
        """Copy the selection to the clipboard, after loading missing messages."""
        missing = self.selection.missing_ids()
        if missing:
            self._copying = markdown
            self.messages_wanted.emit(missing)
            return
        text = self.selected_markdown() if markdown else self.selected_text()
        if text:
            QGuiApplication.clipboard().setText(text)

    def press_region(self, place: RowPosition, item: Item, part: HitRegion) -> None:
        """Perform the action of a pressed part."""
        self._item_actions.perform(place, item, part)

    def focus_moved(self, place: RowPosition, part: HitRegion | None) -> None:
        """Report a move of the keyboard focus."""
        self.access.focus(place, part)

    def clear_focus(self) -> None:
        """Clear the keyboard focus."""
        message, self.scene.focused_message = self.scene.focused_message, ""
        if self.scene.focus is not None or message:
            self.scene.focus = None
            self.viewport().update()

    def take_focus(self) -> None:
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def focus_part(self, message_id: str, key: str, item_key: str = "") -> bool:
        """Move the focus to a part of a message; to the view itself and return False if the part
        doesn't exist.
        """
        self.take_focus()
        return self._keys.focus_part(message_id, key, item_key)

    def attach_form(self, form: QWidget, message_id: str) -> None:
        """Show a form to screen readers as a part of its message, until `detach_form`."""
        self.access.attach_form(form, message_id)

    def detach_form(self, form: QWidget) -> None:
        self.access.detach_form(form)

    def _leave_to_composer(self) -> None:
        """The answered question, or the button of an old version, has gone or will go."""
        if self.hasFocus() or self._has_focused_field():
            self.clear_focus()
            self.composer_requested.emit()

    # Events

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self.viewport()) as painter:
            self._painter.paint(painter, event.rect())
        self.animation_timer.update()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.scroller.scrolled()

    def resizeEvent(self, event: QResizeEvent) -> None:
        anchor = self.scroller.anchor()
        self.scroller.viewport_resized()
        self.scroller.position_button()
        self.scroller.rearrange(anchor, None)
        self.viewport().update()
        super().resizeEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.scroller.viewport_resized()
        self.scroller.rearrange(self.scroller.anchor(), None)

    def hideEvent(self, event: QHideEvent) -> None:
        self.animation_timer.stop()
        super().hideEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.scroller.position_button()
            self.viewport().update()
        super().changeEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pointer.press(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._pointer.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pointer.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._pointer.release(event)

    @property
    def reason_field(self) -> QLineEdit:
        """The field for the reason of a denial. Hidden unless requested."""
        return self._item_actions.reason_field

    @property
    def argument_form(self) -> ArgumentForm | None:
        """The open form for the arguments of a call, if any."""
        return self._item_actions.form

    def wheelEvent(self, event: QWheelEvent) -> None:
        if not self._pointer.wheel_sideways(event):
            super().wheelEvent(event)
        self._pointer.hover(event.position())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._keys.handle_key(event):
            super().keyPressEvent(event)

    def go_to_question(self) -> bool:
        """Move the focus to the question that waits for an answer; return False if there
        is none.
        """
        found = self._keys.focus_question()
        if found:
            self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return found

    def allow_question(self) -> bool:
        """Answer yes to the question that waits, if it is visible as a whole, otherwise move the
        focus to it; return False if there is none.
        """
        return self._keys.allow_question() or self.go_to_question()

    def has_question(self) -> bool:
        """Whether a question waits for an answer."""
        return self._keys.has_question()

    def leave_question(self) -> bool:
        """Close the form or the line for a reason of the question that waits; without one, leave
        the question itself. Return False if none waits.
        """
        if self._item_actions.leave_question():
            return True
        if not self._keys.has_question():
            return False
        self.clear_focus()
        return True

    def close_form(self) -> bool:
        """Close the form with the focus; the focus goes back to the button that opened it. Return
        False if the focus is in no form.
        """
        if not self._has_focused_field():
            return False
        return (
            self._item_actions.leave_question()
            or self.card_forms.cancel_focused()
            or self.message_editing.leave()
        )

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._show_focus(False)
        super().focusOutEvent(event)

    def _show_focus(self, visible: bool) -> None:
        if self.scene.focus_visible != visible:
            self.scene.focus_visible = visible
            self.viewport().update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._show_focus(True)
        reasons = {Qt.FocusReason.TabFocusReason: False, Qt.FocusReason.BacktabFocusReason: True}
        if event.reason() in reasons and self._keys.current_stop is None:
            self._keys.focus_in(last=reasons[event.reason()])
        super().focusInEvent(event)

    def _has_focused_field(self) -> bool:
        """Whether the focus is in a field inside the view."""
        focused = QApplication.focusWidget()
        return focused is not None and self.viewport().isAncestorOf(focused)

    def focusNextPrevChild(self, forwards: bool) -> bool:
        if not self._has_focused_field() and self._keys.move_focus(1 if forwards else -1):
            return True
        self.clear_focus()
        return super().focusNextPrevChild(forwards)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        point, where = QPointF(event.pos()), event.globalPos()
        here = self._keys.current_stop
        if event.reason() is QContextMenuEvent.Reason.Keyboard and here is not None:
            box = self.scroller.row_rect(here.row)
            point, where = QPointF(box.topLeft()), self.viewport().mapToGlobal(box.topLeft())
        open_menu(self, point, self._pointer.link_at(point), where)
