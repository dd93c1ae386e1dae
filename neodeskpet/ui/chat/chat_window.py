"""The chat window: header, conversation, composer, and the list of conversations at the left.

It contains no logic. Actions of the user leave as signals of the header, the sidebar, the composer
or the window; content comes in through `set_…` and the parts themselves. Closing hides the window;
a running turn continues.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Protocol, cast

from PySide6.QtCore import QEvent, QMimeData, QObject, QRect, Qt, Signal, SignalInstance
from PySide6.QtGui import (
    QCloseEvent,
    QDesktopServices,
    QDragEnterEvent,
    QDropEvent,
    QKeyEvent,
    QKeySequence,
    QPixmap,
    QResizeEvent,
    QShortcut,
)
from PySide6.QtWidgets import QFrame, QStackedWidget, QVBoxLayout, QWidget

from neodeskpet.conversation.export_chats.export_format import FILE_ENDINGS
from neodeskpet.core.i18n import N_
from neodeskpet.language import tr
from neodeskpet.ui.chat.chat_commands import COMMANDS, EXPORT_ALL_PREFIX, EXPORT_PREFIX
from neodeskpet.ui.chat.chat_header import ChatHeader
from neodeskpet.ui.chat.composer.composer import Composer
from neodeskpet.ui.chat.composer.dropped_content import is_attachable
from neodeskpet.ui.chat.drop_zone import DropZone
from neodeskpet.ui.chat.find.find_bar import FindBar
from neodeskpet.ui.chat.notice_bars import (
    ExportBar,
    InterruptedImportBar,
    LinkConfirmationBar,
    OpenUrl,
    SafeModeBar,
)
from neodeskpet.ui.chat.sidebar.conversation_row import SIDEBAR_WIDTH as SIDEBAR
from neodeskpet.ui.chat.sidebar.sidebar import Sidebar
from neodeskpet.ui.chat.view.scroller import SCROLLBAR
from neodeskpet.ui.chat.welcome_page import WelcomePage
from neodeskpet.ui.commands import bind_shortcuts
from neodeskpet.ui.dialog_folders import DialogFolders
from neodeskpet.ui.theme import Theme, apply_window_theme
from neodeskpet.ui.widgets.tab_order import ReadingOrderWindow, cycle_focus
from neodeskpet.ui.widgets.undo_bar import UndoBar
from neodeskpet.ui.windows.window_geometry import bring_to_front

if TYPE_CHECKING:
    from neodeskpet.ui.chat.find.date_popup import DatePopup
    from neodeskpet.ui.chat.program_questions import ProgramQuestionCard

TITLE = N_("{name} – NeoDeskPet Chat")
MIN_SIZE = (320, 360)
WIDE_WIDTH = 720
_FIND_WIDTH = 440
_FIND_GAP = 8


class ConversationView(Protocol):
    """What the window needs from the view of a conversation, besides being a QWidget."""

    link_activated: SignalInstance
    composer_requested: SignalInstance

    def set_theme(self, theme: Theme) -> None: ...

    def set_portrait(self, picture: QPixmap, resting: QPixmap | None = None) -> None: ...

    def retranslate(self) -> None: ...

    def go_to_question(self) -> bool:
        """Move the focus to a question that waits for an answer; return False if there is none."""
        ...

    def allow_question(self) -> bool:
        """Answer yes to a question that waits, if it is visible, otherwise move the focus to it;
        return False if there is none.
        """
        ...

    def leave_question(self) -> bool:
        """Leave a question that waits without an answer, or its open form; return False if there is
        none.
        """
        ...

    def close_form(self) -> bool:
        """Close the form with the focus inside the view; return False if there is none."""
        ...

    def has_question(self) -> bool:
        """Whether a question waits for an answer."""
        ...

    def column_edges(self, width: int) -> tuple[int, int]:
        """Return the margins, left and right, of the messages in a view of this width in px."""
        ...


class ChatWindow(ReadingOrderWindow):
    """`view` shows the conversation (`ui.chat.view.ChatView`).

    Signals: `settings_requested(section)` ("" or "service"), `export_requested(kind)` and
    `export_all_requested(kind)` (a key of FILE_ENDINGS), `import_requested()`, `print_requested()`,
    `find_requested()` and `date_requested()` in the open conversation, `sidebar_toggled(on)`,
    `hidden()`. `composer`, `sidebar`, `header` and `safe_mode_bar` have their own.
    """

    settings_requested = Signal(str)
    export_requested = Signal(str)
    export_all_requested = Signal(str)
    import_requested = Signal()
    print_requested = Signal()
    find_requested = Signal()
    date_requested = Signal()
    day_chosen = Signal(object)
    sidebar_toggled = Signal(bool)
    hidden = Signal()
    program_question_changed = Signal()
    """The card shows another question of a program, or none."""

    def __init__(
        self,
        view: QWidget,
        theme: Theme,
        *,
        open_url: OpenUrl = QDesktopServices.openUrl,
        now: Callable[[], float] = time.time,
    ) -> None:
        super().__init__()
        self.setObjectName("chat")
        self.setMinimumSize(*MIN_SIZE)
        self.setAcceptDrops(True)
        self.view = view
        self._port = cast(ConversationView, view)
        self.header = ChatHeader(theme)
        self.composer = Composer(theme)
        self.links = LinkConfirmationBar(theme, open_url=open_url)
        self.safe_mode_bar = SafeModeBar(theme)
        self.interrupted_bar = InterruptedImportBar(theme)
        self.find_bar = FindBar(theme)
        self._dates: DatePopup | None = None
        self._program_questions: ProgramQuestionCard | None = None
        self.export_bar = ExportBar(theme, open_url=open_url)
        self.undo = UndoBar(theme)
        self.folders = DialogFolders(self)
        self.welcome = WelcomePage(theme)
        self._page: QWidget | None = None
        self._empty = False
        self._pages = QStackedWidget()
        self._pages.addWidget(view)
        self._pages.addWidget(self.welcome)
        self._main = QFrame(self)
        self._shade = _DimOverlay(self)
        self.sidebar = Sidebar(theme, self, now=now)
        self.drop_zone = DropZone(theme, self)
        self._wanted = False
        self._actions = self._make_actions()
        self.commands = [replace(one, run=self._actions.get(one.id)) for one in COMMANDS]
        self._lay_out()
        self._connect()
        self._name = ""
        self.set_name(tr("Companion"))
        self.set_theme(theme)
        self.resize(560, 760)
        self.show_sidebar(False)

    def confirm_link(self, address: str) -> None:
        """Show the full address and ask whether to open it, without blocking."""
        self.links.show_address(address)

    def set_portrait(self, picture: QPixmap, resting: QPixmap | None = None) -> None:
        """Show the companion's face in the header and beside its messages; `resting` is the picture
        for the older ones.
        """
        self.header.set_portrait(picture)
        self.welcome.set_portrait(picture)
        self._port.set_portrait(picture, resting)

    @property
    def dates(self) -> DatePopup:
        """The choice of a day to go to, created when it is first needed: its calendar takes a
        megabyte.
        """
        if self._dates is None:
            from neodeskpet.ui.chat.find.date_popup import DatePopup

            self._dates = DatePopup(self.theme, self)
            self._dates.chosen.connect(self.day_chosen)
        return self._dates

    @property
    def program_questions(self) -> ProgramQuestionCard:
        """The card with the questions of other programs, created when the first one comes."""
        if self._program_questions is None:
            from neodeskpet.ui.chat.program_questions import ProgramQuestionCard

            card = self._program_questions = ProgramQuestionCard(self.theme)
            card.changed.connect(self.program_question_changed)
            card.left.connect(self.composer.field.setFocus)
            box = self._main.layout()
            assert isinstance(box, QVBoxLayout)
            box.insertWidget(box.indexOf(self.composer), card)
            self._pages.setMinimumHeight(1)  # the messages give way to a question
            self._align_columns()
        return self._program_questions

    @property
    def program_question_area(self) -> tuple[str, QRect]:
        """The key of the program's question that is shown, and its place on the screen; "" for
        none.
        """
        card = self._program_questions
        if card is None or not card.isVisible():
            return "", QRect()
        return card.shown_key, QRect(card.mapToGlobal(card.rect().topLeft()), card.size())

    def show_page(self, page: QWidget | None) -> None:
        """Show `page` (the guide) in place of the conversation; None shows the conversation."""
        if self._page is not None and self._page is not page:
            self._pages.removeWidget(self._page)
            self._page.setParent(None)
        self._page = page
        if page is not None and self._pages.indexOf(page) < 0:
            self._pages.addWidget(page)
        self._turn_page()

    def set_empty(self, empty: bool) -> None:
        """Show the companion and suggestions if the conversation has no message."""
        self._empty = empty
        self._turn_page()

    def set_name(self, name: str) -> None:
        """Set the companion's name."""
        self._name = name
        self.setWindowTitle(tr(TITLE, name=name))
        self.header.set_name(name)
        self.welcome.set_name(name)

    def show_sidebar(self, shown: bool) -> None:
        """Open or close the list of conversations. In a wide window it is beside the conversation;
        in a narrow one it covers the conversation and takes the keyboard focus.
        """
        changed = shown != self._wanted
        self._wanted = shown
        self._place()
        if shown and self.width() < WIDE_WIDTH:
            self.sidebar.list.setFocus()
        if changed:
            self.sidebar_toggled.emit(shown)

    def is_sidebar_visible(self) -> bool:
        return self._wanted

    def present(self) -> None:
        """Bring the window to the front and focus the composer."""
        bring_to_front(self)
        self.composer.field.setFocus()

    def set_theme(self, theme: Theme) -> None:
        for _ in self.set_theme_in_steps(theme):
            pass

    def set_theme_in_steps(self, theme: Theme) -> Iterator[None]:
        """Apply the theme in steps: all at once would block the UI thread for several frames."""
        self.theme = theme
        # A sheet of the pane itself would make Qt process all its widgets a second time.
        pane = f"#chatMain {{ background: {theme.window}; border: none; }}"
        apply_window_theme(self, theme, pane)
        yield
        self._port.set_theme(theme)
        self._align_columns()
        self.header.set_theme(theme)
        yield
        self.composer.set_theme(theme)
        self.sidebar.set_theme(theme)
        yield
        bars = (self.safe_mode_bar, self.interrupted_bar, self.links, self.export_bar, self.undo)
        for part in (*bars, self.find_bar, self.welcome, self._shade, self.drop_zone):
            part.set_theme(theme)
        for late in (self._dates, self._program_questions):
            if late is not None:
                late.set_theme(theme)

    def retranslate(self) -> None:
        self.setWindowTitle(tr(TITLE, name=self._name))
        bars = (self.safe_mode_bar, self.interrupted_bar, self.links, self.export_bar, self.undo)
        for part in (
            self.header,
            *bars,
            self.composer,
            self.find_bar,
            self.sidebar,
            self.welcome,
            self._port,
        ):
            part.retranslate()
        for late in (self._dates, self._program_questions):
            if late is not None:
                late.retranslate()

    def set_running(self, running: bool) -> None:
        """Set whether a turn is running: Esc stops it then, whatever has the focus."""
        self.composer.set_running(running)
        self._stop.setEnabled(running)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle the keys that no other widget used: Esc closes the list over a narrow
        conversation, printable keys go to the composer.
        """
        keyboard = Qt.KeyboardModifier
        commands = keyboard.ControlModifier | keyboard.MetaModifier | keyboard.AltModifier
        if event.key() == Qt.Key.Key_Escape:
            self._escape()
        elif event.text().isprintable() and event.text() and not event.modifiers() & commands:
            self.composer.insert(event.text())
        else:
            super().keyPressEvent(event)

    def _stop_reply(self) -> None:
        """Stop the reply. In a form Esc closes the form instead, and on a question that waits it
        leaves it open.
        """
        card = self._program_questions
        if self._port.close_form() or (card is not None and card.leave()):
            return
        if not (self._is_focus_in_view() and self._port.leave_question()):
            self.composer.stop_requested.emit()
        elif not self.view.isAncestorOf(self.focusWidget()):
            self.composer.field.setFocus()

    def _is_focus_in_view(self) -> bool:
        focused = self.focusWidget()
        return focused is not None and (focused is self.view or self.view.isAncestorOf(focused))

    def _allow_or_send(self) -> None:
        """Say yes to the question that waits. Where two wait, which one is meant is unknown: the
        focus moves to the nearer one.
        """
        card = self._program_questions
        if card is not None and self._port.has_question() and card.take_focus():
            return
        if not (self._port.allow_question() or (card is not None and card.allow())):
            self.composer.submit()

    def go_to_question(self) -> None:
        """Move the focus to a question that waits, from one to another if there are two."""
        card = self._program_questions
        if card is None or not (self._is_focus_in_view() and card.take_focus()):
            found = self._port.go_to_question()
            if not found and card is not None:
                card.take_focus()

    def _escape(self) -> None:
        if self._wanted and self.width() < WIDE_WIDTH:
            self._leave_sidebar()
        else:
            self.find_bar.close_search()

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.hidden.emit()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files and pictures anywhere in the window; the drop zone covers it from now on."""
        if is_attachable(event.mimeData()):
            event.acceptProposedAction()
            self.drop_zone.show_over_chat()

    def dropEvent(self, event: QDropEvent) -> None:
        """Accept a drop before the drop zone has received a mouse move."""
        if is_attachable(event.mimeData()):
            event.acceptProposedAction()
            self._take_drop(event.mimeData())

    def _take_drop(self, source: QMimeData) -> None:
        self.drop_zone.hide()
        self.composer.content_dropped.emit(source)
        self.composer.field.setFocus()

    def focusNextPrevChild(self, forwards: bool) -> bool:
        if self._shade.isVisible():  # the list covers the conversation
            return cycle_focus(self.sidebar, forwards=forwards)
        return super().focusNextPrevChild(forwards)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _lay_out(self) -> None:
        self._main.setObjectName("chatMain")
        box = QVBoxLayout(self._main)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(0)
        box.addWidget(self.header)
        box.addWidget(self.safe_mode_bar)
        box.addWidget(self.interrupted_bar)
        self.find_bar.setParent(self._main)  # it covers the messages, so they don't move
        box.addWidget(self._pages, 1)
        box.addWidget(self.links)
        box.addWidget(self.export_bar)
        box.addWidget(self.undo)
        box.addWidget(self.composer)

    def _connect(self) -> None:
        self._pages.installEventFilter(self)
        self.find_bar.installEventFilter(self)
        self._port.link_activated.connect(self.confirm_link)
        self._port.composer_requested.connect(self.composer.field.setFocus)
        self.welcome.suggested.connect(self.composer.submitted)
        self.drop_zone.dropped.connect(self._take_drop)
        self.composer.field.drag_entered.connect(self.drop_zone.show_over_chat)
        self._stop = QShortcut(QKeySequence(Qt.Key.Key_Escape), self)
        self._stop.activated.connect(self._stop_reply)
        self._stop.setEnabled(False)
        self.composer.field.escaped.connect(self._escape)
        self.composer.field.allowed.connect(self._allow_or_send)
        self.header.picker.closed.connect(self.composer.field.setFocus)
        self.header.sidebar_pressed.connect(lambda: self.show_sidebar(not self._wanted))
        self.header.chosen.connect(self._do)
        self.sidebar.closed.connect(self._leave_sidebar)
        self.sidebar.opened.connect(self.close_overlay_sidebar)
        self.sidebar.new_requested.connect(self.close_overlay_sidebar)
        self._shade.pressed.connect(self._leave_sidebar)
        bind_shortcuts(self.commands, self)

    def _turn_page(self) -> None:
        conversation = self.welcome if self._empty else self.view
        self._pages.setCurrentWidget(self._page or conversation)

    def _make_actions(self) -> dict[str, Callable[[], object]]:
        """Return the function of each command."""
        return {
            "new": self.sidebar.new_requested.emit,
            "conversations": self._go_to_list,
            "sidebar": lambda: self.show_sidebar(not self._wanted),
            "rename": self._rename,
            "find": self.find_requested.emit,
            "question": self.go_to_question,
            "next": partial(self.find_bar.step_requested.emit, 1),
            "previous": partial(self.find_bar.step_requested.emit, -1),
            "find_all": self._find_in_all,
            "date": self.date_requested.emit,
            "model": self.header.models_requested.emit,
            **{
                EXPORT_PREFIX + kind: partial(self.export_requested.emit, kind)
                for kind in FILE_ENDINGS
            },
            **{
                EXPORT_ALL_PREFIX + kind: partial(self.export_all_requested.emit, kind)
                for kind in FILE_ENDINGS
            },
            "import": self.import_requested.emit,
            "print": self.print_requested.emit,
            "settings": partial(self.settings_requested.emit, ""),
            "service": partial(self.settings_requested.emit, "service"),
            "close": self.close,
        }

    def _do(self, command: str) -> None:
        self._actions[command]()

    def _go_to_list(self) -> None:
        self.show_sidebar(True)
        self.sidebar.list.setFocus()

    def _rename(self) -> None:
        self.show_sidebar(True)
        self.sidebar.rename_current()

    def _find_in_all(self) -> None:
        self.show_sidebar(True)
        self.sidebar.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.sidebar.search.selectAll()

    def _leave_sidebar(self) -> None:
        self.show_sidebar(False)
        self.sidebar.search.clear()
        self.composer.field.setFocus()

    def close_overlay_sidebar(self) -> None:
        """Close the list of conversations if it covers the conversation."""
        if self.width() < WIDE_WIDTH:
            self.show_sidebar(False)
        self.composer.field.setFocus()

    def _align_columns(self) -> None:
        """Let the message field and the questions share their edges with the messages."""
        edges = self._port.column_edges(self._main.width())
        self.composer.set_edges(*edges)
        if self._program_questions is not None:
            taken = self.header.sizeHint().height() + self.composer.sizeHint().height()
            self._program_questions.set_room(*edges, self._main.height() - taken)

    def _place(self) -> None:
        over = self.width() < WIDE_WIDTH
        side = min(SIDEBAR, self.width() - 48)
        left = side if self._wanted and not over else 0
        self._main.setGeometry(left, 0, self.width() - left, self.height())
        self._align_columns()
        self._place_find_bar()
        self._shade.setGeometry(self.rect())
        self._shade.setVisible(self._wanted and over)
        self.sidebar.setGeometry(0, 0, side, self.height())
        self.sidebar.setVisible(self._wanted)
        if self._wanted and over:
            self._shade.raise_()
            self.sidebar.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the find bar at the upper edge of the messages when the bars above them change."""
        if watched is self._pages and event.type() in (QEvent.Type.Move, QEvent.Type.Resize):
            self._place_find_bar()
        elif watched is self.find_bar and event.type() == QEvent.Type.Show:
            self._place_find_bar()
            self.find_bar.raise_()
        return super().eventFilter(watched, event)

    def _place_find_bar(self) -> None:
        room = self._main.width() - 2 * _FIND_GAP - SCROLLBAR
        width = min(room, max(_FIND_WIDTH, self.find_bar.minimumSizeHint().width()))
        left = self._main.width() - SCROLLBAR - _FIND_GAP - width
        height = self.find_bar.sizeHint().height()
        self.find_bar.setGeometry(left, self._pages.y() + _FIND_GAP, width, height)


class _DimOverlay(QFrame):
    """Dims the conversation below the list; a press closes the list."""

    pressed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        self.setStyleSheet(f"_DimOverlay {{ background: {theme.shadow}; border: none; }}")

    def mousePressEvent(self, event: object) -> None:
        self.pressed.emit()
