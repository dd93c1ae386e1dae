"""The chat window: head, conversation, composer, and the conversations at the left.

It decides nothing. What the person does leaves as a signal of the header, the sidebar, the
composer or the window; what is to be seen comes in through `set_…` and the parts themselves.
Closing hides the window; a turn goes on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Protocol, cast

from PySide6.QtCore import QMimeData, Qt, Signal, SignalInstance
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

from neodeskpet.conversation.takeout.form import ENDINGS
from neodeskpet.core.wording import N_
from neodeskpet.language import tr
from neodeskpet.ui.chat.commands import ALL_AS, COMMANDS, EXPORT
from neodeskpet.ui.chat.compose.composer import Composer
from neodeskpet.ui.chat.compose.offers import is_attachable
from neodeskpet.ui.chat.drop_zone import DropZone
from neodeskpet.ui.chat.header import Header
from neodeskpet.ui.chat.link_bar import LinkBar, Opener
from neodeskpet.ui.chat.safe_bar import SafeBar
from neodeskpet.ui.chat.saved_bar import SavedBar
from neodeskpet.ui.chat.sidebar.rows import WIDTH as SIDEBAR
from neodeskpet.ui.chat.sidebar.sidebar import Sidebar
from neodeskpet.ui.chat.welcome import Welcome
from neodeskpet.ui.find.bar import FindBar
from neodeskpet.ui.find.dates import DatePopup
from neodeskpet.ui.folders import Folders
from neodeskpet.ui.palette.commands import bind
from neodeskpet.ui.past.interrupted_bar import InterruptedBar
from neodeskpet.ui.theme import Theme, dress
from neodeskpet.ui.widgets.undo_bar import UndoBar
from neodeskpet.ui.windows.place import bring_forward

TITLE = N_("{name} – NeoDeskPet Chat")
LEAST = (320, 360)
WIDE = 720


class View(Protocol):
    """What the window asks of the view of a conversation, which is a QWidget beside."""

    link_activated: SignalInstance

    def set_theme(self, theme: Theme) -> None: ...

    def set_portrait(self, picture: QPixmap, resting: QPixmap | None = None) -> None: ...

    def retranslate(self) -> None: ...


class ChatWindow(QWidget):
    """`view` shows the conversation (`ui.chat.view.ChatView`).

    Signals: `settings_requested(section)` ("" or "service"), `export_requested(kind)` and
    `export_all_requested(kind)` (of `takeout.form.ENDINGS`), `import_requested()`,
    `print_requested()`,
    `find_requested()` and `date_requested()` in the open conversation, `sidebar_toggled(on)`,
    `hidden()`. `composer`, `sidebar`, `header` and `safe_bar` have their own.
    """

    settings_requested = Signal(str)
    export_requested = Signal(str)
    export_all_requested = Signal(str)
    import_requested = Signal()
    print_requested = Signal()
    find_requested = Signal()
    date_requested = Signal()
    sidebar_toggled = Signal(bool)
    hidden = Signal()

    def __init__(
        self,
        view: QWidget,
        theme: Theme,
        *,
        open_url: Opener = QDesktopServices.openUrl,
        now: Callable[[], float] = time.time,
    ) -> None:
        super().__init__()
        self.setObjectName("chat")
        self.setMinimumSize(*LEAST)
        self.setAcceptDrops(True)
        self.view = view
        self._port = cast(View, view)
        self.header = Header(theme)
        self.composer = Composer(theme)
        self.links = LinkBar(theme, open_url=open_url)
        self.safe_bar = SafeBar(theme)
        self.interrupted_bar = InterruptedBar(theme)
        self.find_bar = FindBar(theme)
        self.dates = DatePopup(theme, self)
        self.saved = SavedBar(theme, open_url=open_url)
        self.undo = UndoBar(theme)
        self.folders = Folders(self)
        self.welcome = Welcome(theme)
        self._page: QWidget | None = None
        self._empty = False
        self._pages = QStackedWidget()
        self._pages.addWidget(view)
        self._pages.addWidget(self.welcome)
        self._main = QFrame(self)
        self._shade = _Shade(self)
        self.sidebar = Sidebar(theme, self, now=now)
        self.drop_zone = DropZone(theme, self)
        self._wanted = False
        self._deeds = self._make_deeds()
        self.commands = [replace(one, run=self._deeds.get(one.id)) for one in COMMANDS]
        self._lay_out()
        self._connect()
        self._name = ""
        self.set_name(tr("Companion"))
        self.set_theme(theme)
        self.resize(560, 760)
        self.show_sidebar(False)

    def ask_link(self, address: str) -> None:
        """Show the whole address and ask whether to open it; nothing waits for the answer."""
        self.links.ask(address)

    def set_portrait(self, picture: QPixmap, resting: QPixmap | None = None) -> None:
        """Show the companion's face, in the head and beside its messages; `resting` is that of the
        older ones.
        """
        self.header.set_portrait(picture)
        self.welcome.set_portrait(picture)
        self._port.set_portrait(picture, resting)

    def set_page(self, page: QWidget | None) -> None:
        """Show `page` (the guide) in the place of the conversation; None shows the conversation."""
        if self._page is not None and self._page is not page:
            self._pages.removeWidget(self._page)
            self._page.setParent(None)
        self._page = page
        if page is not None and self._pages.indexOf(page) < 0:
            self._pages.addWidget(page)
        self._turn_page()

    def set_empty(self, empty: bool) -> None:
        """The conversation has no message: show the companion and how to begin instead."""
        self._empty = empty
        self._turn_page()

    def set_name(self, name: str) -> None:
        """The companion's name."""
        self._name = name
        self.setWindowTitle(tr(TITLE, name=name))
        self.header.set_name(name)
        self.welcome.set_name(name)

    def show_sidebar(self, shown: bool) -> None:
        """Open or close the list of conversations. Beside the conversation where there is room,
        over it in a narrow window, where it takes the keyboard: what lies below can't be seen.
        """
        changed = shown != self._wanted
        self._wanted = shown
        self._place()
        if shown and self.width() < WIDE:
            self.sidebar.list.setFocus()
        if changed:
            self.sidebar_toggled.emit(shown)

    def sidebar_shown(self) -> bool:
        return self._wanted

    def present(self) -> None:
        """Show the window in front, ready to write."""
        bring_forward(self)
        self.composer.field.setFocus()

    def set_theme(self, theme: Theme) -> None:
        for _ in self.dress_in_steps(theme):
            pass

    def dress_in_steps(self, theme: Theme) -> Iterator[None]:
        """The window, then what is large in it: all at once would hold it for a few frames."""
        self.theme = theme
        dress(self, theme)
        self._main.setStyleSheet(f"#chatMain {{ background: {theme.window}; border: none; }}")
        yield
        self._port.set_theme(theme)
        self.header.set_theme(theme)
        yield
        self.composer.set_theme(theme)
        self.sidebar.set_theme(theme)
        yield
        bars = (self.safe_bar, self.interrupted_bar, self.links, self.saved, self.undo)
        for part in (*bars, self.find_bar, self.dates, self.welcome, self._shade, self.drop_zone):
            part.set_theme(theme)

    def retranslate(self) -> None:
        self.setWindowTitle(tr(TITLE, name=self._name))
        bars = (self.safe_bar, self.interrupted_bar, self.links, self.saved, self.undo)
        for part in (
            self.header,
            *bars,
            self.composer,
            self.find_bar,
            self.dates,
            self.sidebar,
            self.welcome,
            self._port,
        ):
            part.retranslate()

    def set_running(self, running: bool) -> None:
        """While a turn runs Esc stops it, wherever the focus is."""
        self.composer.set_running(running)
        self._stop.setEnabled(running)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """What nobody in the window wanted: Esc closes the list over a narrow conversation, and
        whoever just writes writes into the composer.
        """
        keyboard = Qt.KeyboardModifier
        commands = keyboard.ControlModifier | keyboard.MetaModifier | keyboard.AltModifier
        if event.key() == Qt.Key.Key_Escape:
            self._escape()
        elif event.text().isprintable() and event.text() and not event.modifiers() & commands:
            self.composer.insert(event.text())
        else:
            super().keyPressEvent(event)

    def _escape(self) -> None:
        if self._wanted and self.width() < WIDE:
            self._leave_sidebar()
        else:
            self.find_bar.leave()

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.hidden.emit()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Files and pictures may be dropped anywhere: what lies over everything from now on takes
        them.
        """
        if is_attachable(event.mimeData()):
            event.acceptProposedAction()
            self.drop_zone.cover()

    def dropEvent(self, event: QDropEvent) -> None:
        """Dropped before the mouse moved on: the window itself is still the place."""
        if is_attachable(event.mimeData()):
            event.acceptProposedAction()
            self._take_drop(event.mimeData())

    def _take_drop(self, source: QMimeData) -> None:
        self.drop_zone.hide()
        self.composer.offered.emit(source)
        self.composer.field.setFocus()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _lay_out(self) -> None:
        self._main.setObjectName("chatMain")
        box = QVBoxLayout(self._main)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(0)
        box.addWidget(self.header)
        box.addWidget(self.safe_bar)
        box.addWidget(self.interrupted_bar)
        box.addWidget(self.find_bar)
        box.addWidget(self._pages, 1)
        box.addWidget(self.links)
        box.addWidget(self.saved)
        box.addWidget(self.undo)
        box.addWidget(self.composer)

    def _connect(self) -> None:
        self._port.link_activated.connect(self.ask_link)
        self.welcome.suggested.connect(self.composer.submitted)
        self.drop_zone.dropped.connect(self._take_drop)
        self.composer.field.hovered.connect(self.drop_zone.cover)
        self._stop = QShortcut(QKeySequence(Qt.Key.Key_Escape), self)
        self._stop.activated.connect(self.composer.stop_requested)
        self._stop.setEnabled(False)
        self.composer.field.escaped.connect(self._escape)
        self.header.picker.closed.connect(self.composer.field.setFocus)
        self.header.sidebar_pressed.connect(lambda: self.show_sidebar(not self._wanted))
        self.header.chosen.connect(self._do)
        self.sidebar.closed.connect(self._leave_sidebar)
        self.sidebar.opened.connect(self.leave_list)
        self.sidebar.new_requested.connect(self.leave_list)
        self._shade.pressed.connect(self._leave_sidebar)
        bind(self.commands, self)

    def _turn_page(self) -> None:
        conversation = self.welcome if self._empty else self.view
        self._pages.setCurrentWidget(self._page or conversation)

    def _make_deeds(self) -> dict[str, Callable[[], object]]:
        """What each command of the table does."""
        return {
            "new": self.sidebar.new_requested.emit,
            "conversations": self._go_to_list,
            "sidebar": lambda: self.show_sidebar(not self._wanted),
            "rename": self._rename,
            "find": self.find_requested.emit,
            "next": partial(self.find_bar.stepped.emit, 1),
            "previous": partial(self.find_bar.stepped.emit, -1),
            "find_all": self._find_in_all,
            "date": self.date_requested.emit,
            "model": self.header.models_wanted.emit,
            **{EXPORT + kind: partial(self.export_requested.emit, kind) for kind in ENDINGS},
            **{ALL_AS + kind: partial(self.export_all_requested.emit, kind) for kind in ENDINGS},
            "import": self.import_requested.emit,
            "print": self.print_requested.emit,
            "settings": partial(self.settings_requested.emit, ""),
            "service": partial(self.settings_requested.emit, "service"),
            "close": self.close,
        }

    def _do(self, command: str) -> None:
        self._deeds[command]()

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

    def leave_list(self) -> None:
        """Something of the list was chosen: one that lies over the conversation closes."""
        if self.width() < WIDE:
            self.show_sidebar(False)
        self.composer.field.setFocus()

    def _place(self) -> None:
        over = self.width() < WIDE
        side = min(SIDEBAR, self.width() - 48)
        left = side if self._wanted and not over else 0
        self._main.setGeometry(left, 0, self.width() - left, self.height())
        self._shade.setGeometry(self.rect())
        self._shade.setVisible(self._wanted and over)
        self.sidebar.setGeometry(0, 0, side, self.height())
        self.sidebar.setVisible(self._wanted)
        if self._wanted and over:
            self._shade.raise_()
            self.sidebar.raise_()


class _Shade(QFrame):
    """Dims the conversation while the list lies over it; a press closes the list."""

    pressed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        self.setStyleSheet(f"_Shade {{ background: {theme.shadow}; border: none; }}")

    def mousePressEvent(self, event: object) -> None:
        self.pressed.emit()
