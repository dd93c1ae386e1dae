"""The settings page of MCP servers: a card for each server, and buttons that add servers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QBoxLayout,
    QFileDialog,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
)

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error, tr
from neodeskpet.mcp.config_discovery import FoundServer
from neodeskpet.mcp.secret_placeholders import hide_secrets, masked_config
from neodeskpet.mcp.server import ServerView
from neodeskpet.mcp.server_config import ServerConfig, command_line_of, read_servers
from neodeskpet.settings.setting_fields import SectionInfo
from neodeskpet.ui.dialog_folders import DialogFolders, FolderKind
from neodeskpet.ui.settings.folding_card import FoldingCardList
from neodeskpet.ui.settings.mcp_server_card import McpServerCard
from neodeskpet.ui.settings.mcp_server_form import McpServerForm
from neodeskpet.ui.settings.settings_page import SettingsPage
from neodeskpet.ui.settings.settings_row import ROW_PADDING, SettingsRow, scroll_into_view
from neodeskpet.ui.settings.settings_search import SettingsPort, search_text
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme, scale_to_font
from neodeskpet.ui.widgets.controls import CONTROL_HEIGHT
from neodeskpet.ui.widgets.labels import ElidedLabel, PlainLabel, set_tooltip


class McpServersPort(Protocol):
    """The MCP servers. Coroutines raise KnownError."""

    def servers(self) -> Sequence[ServerView]: ...

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` after each change of a server. Return a function that ends this."""
        ...

    async def add(self, configs: Sequence[ServerConfig]) -> Sequence[str]:
        """Add these servers and return their names. None of them is started."""
        ...

    async def change(self, config: ServerConfig) -> None: ...

    async def allow(self, name: str) -> None:
        """Start a server after the user has seen what will run and allowed it."""
        ...

    async def switch(self, name: str, on: bool) -> None: ...

    async def restart(self, name: str) -> None: ...

    async def remove(self, name: str) -> None: ...

    async def find(self) -> Sequence[FoundServer]:
        """Return the servers in the configuration of other programs."""
        ...

    async def read_file(self, file: Path) -> Sequence[ServerConfig]: ...


SECTION = SectionInfo(
    "servers",
    N_("MCP servers"),
    N_("Programs and services of others that bring tools. Each asks you before it first starts."),
    "link",
    (),
)
_WORDS = (
    SECTION.title,
    N_("Tools"),
    N_("Add a server"),
    "mcpServers",
    "Model Context Protocol",
    "npx",
    "uvx",
    "stdio",
    "HTTP",
    "OAuth",
    "服务器",
    "工具",
)


class McpServersPage(SettingsPage):
    """Shows a card for each server, and below them the buttons that add servers."""

    def __init__(self, port: SettingsPort, servers: McpServersPort, theme: Theme) -> None:
        self._servers = servers
        self._opened = ""
        self._narrow = False
        self._dialog: QFileDialog | None = None
        self.form: McpServerForm | None = None
        super().__init__(SECTION, port, theme)
        self._work = TaskRunner("servers", failed=self._tell, changed=self._show_busy)
        servers.subscribe(self.refresh)  # never unsubscribed: the port ends with the windows

    def build(self) -> None:
        stack = search_text(_WORDS)
        self._column = FoldingCardList(self._card)
        self.cards = self._column.cards
        self.above_frame.addLayout(self._column.box)
        self.empty = PlainLabel()
        self.add_notice(self.empty)
        self.paste = QPlainTextEdit()
        self.paste.setTabChangesFocus(True)
        self.add = QPushButton()
        self.add.setProperty("primary", True)
        self.from_file = QPushButton()
        self.by_form = QPushButton()
        self.look = QPushButton()
        self.paste_row = SettingsRow(self.theme, self.paste, stack=stack, wide=True)
        both = QVBoxLayout()
        both.setSpacing(8)
        self._ways: list[QBoxLayout] = []  # two lines, because all four in one line are too wide
        for pair in ((self.add, self.from_file), (self.by_form, self.look)):
            line = QHBoxLayout()
            line.setSpacing(8)
            for button in pair:
                line.addWidget(button)
            line.addStretch()  # the buttons are as wide as their texts
            both.addLayout(line)
            self._ways.append(line)
        self.paste_row.below.addLayout(both)
        self.add_row(self.paste_row)
        self._form_box = QVBoxLayout()
        self._form_box.setContentsMargins(ROW_PADDING, 0, ROW_PADDING, 0)
        self.box.addLayout(self._form_box)
        self._found = QVBoxLayout()
        self._found.setSpacing(0)
        self.box.addLayout(self._found)
        self.found: list[SettingsRow] = []
        self.add.clicked.connect(self._add)
        self.from_file.clicked.connect(self._choose)
        self.by_form.clicked.connect(self._open_form)
        self.look.clicked.connect(lambda: self._work.replace("look", self._look))

    def refresh(self) -> None:
        """Show the current servers."""
        views = {view.config.name: view for view in self._servers.servers()}
        self._column.keep(views)
        for name, view in views.items():
            self.cards[name].show_server(view)
        self.set_notice_visible(self.empty, not views)

    def open(self, name: str) -> None:
        """Open the card of this name and close the others; "" closes all."""
        views = {view.config.name: view for view in self._servers.servers()}
        self._opened = name
        for own, card in self.cards.items():
            card.open(views.get(own) if own == name else None)
            if card.body is not None:
                card.body.set_narrow(self._narrow)

    def search(self, query: str) -> int:
        count = super().search(query)
        self._column.search(query, whole=bool(count))
        return count

    def set_narrow(self, narrow: bool) -> None:
        super().set_narrow(narrow)
        self._narrow = narrow
        ways = QBoxLayout.Direction
        for line in self._ways:
            line.setDirection(ways.TopToBottom if narrow else ways.LeftToRight)
        if self.form is not None:
            self.form.set_narrow(narrow)
        for card in self.cards.values():
            if card.body is not None:
                card.body.set_narrow(narrow)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.paste.setFixedHeight(scale_to_font(84, theme))
        self._column.set_theme(theme)
        for row in self.found:
            row.set_theme(theme)
        if self.form is not None:
            self.form.set_theme(theme)

    def retranslate(self) -> None:
        super().retranslate()
        self.empty.setText(tr("There is none yet."))
        self.paste_row.set_texts(
            tr("Add a server"), tr("Nothing is started by that: you see first what would run.")
        )
        self.paste.setPlaceholderText(
            tr("JSON with “mcpServers”, a command such as “uvx mcp-server-time”, or an address")
        )
        self.paste.setAccessibleName(tr("Add a server"))
        self.add.setText(tr("Add"))
        self.from_file.setText(tr("From a file…"))
        self.by_form.setText(tr("Fill in…"))
        self.look.setText(tr("Look in other programs"))
        if self.form is not None:
            self.form.retranslate()
        self.open(self._opened)
        self.refresh()

    async def aclose(self) -> None:
        await super().aclose()
        await self._work.aclose()

    # Cards

    def _card(self, name: str) -> McpServerCard:
        card = McpServerCard(self.theme)
        port = self._servers
        card.opened.connect(lambda wanted: self.open(name if wanted else ""))
        card.switched.connect(lambda on: self._work.start(name, partial(port.switch, name, on)))
        card.allowed.connect(lambda: self._work.start(name, partial(port.allow, name)))
        card.restarted.connect(lambda: self._work.start(name, partial(port.restart, name)))
        card.removed.connect(lambda: self._work.start(name, partial(port.remove, name)))
        card.changed.connect(lambda config: self._work.start(name, partial(self._change, config)))
        return card

    async def _change(self, config: ServerConfig) -> None:
        await self._servers.change(config)
        card = self.cards.get(config.name)
        if card is not None and card.body is not None:
            card.body.close_form()

    # Adding

    def _add(self) -> None:
        try:
            configs = read_servers(self.paste.toPlainText())
        except KnownError as error:
            self._tell(error)
            return
        self._take(configs)

    def _take(self, configs: Sequence[ServerConfig]) -> None:
        self._work.start("add", partial(self._set_up, configs))

    async def _set_up(self, configs: Sequence[ServerConfig]) -> None:
        names = await self._servers.add(configs)
        self.paste.clear()
        self.paste_row.set_error("")
        self._close_form()
        self.refresh()
        if names:
            self.open(names[0])

    def _choose(self) -> None:
        start = str(DialogFolders().start_folder(FolderKind.DOCUMENTS))
        dialog = QFileDialog(self, tr("A file with servers"), start)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters([tr("Settings") + " (*.json *.toml)", tr("All files") + " (*)"])
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda name: self.take_file(Path(name)))
        dialog.open()
        self._dialog = dialog

    def take_file(self, file: Path) -> None:
        """Add the servers that `file` contains."""
        self._work.start("file", partial(self._read_file, file))

    async def _read_file(self, file: Path) -> None:
        await self._set_up(await self._servers.read_file(file))

    def _open_form(self) -> None:
        self._close_form()
        form = self.form = McpServerForm(self.theme)
        form.set_narrow(self._narrow)
        form.saved.connect(lambda config: self._take([config]))
        form.cancelled.connect(self._leave_form)
        self._form_box.addWidget(form)
        form.name.setFocus()
        scroll_into_view(form)

    def _leave_form(self) -> None:
        self._close_form()
        self.by_form.setFocus()

    def _close_form(self) -> None:
        if self.form is not None:
            self._form_box.removeWidget(self.form)
            self.form.hide()
            self.form.deleteLater()
            self.form = None

    # Other programs

    async def _look(self) -> None:
        found = await self._servers.find()
        self._clear_found()
        known = {view.config.fingerprint() for view in self._servers.servers()}
        for one in found:
            if hide_secrets(one.config)[0].fingerprint() not in known:
                self._offer(one)
        if not self.found:
            self.paste_row.set_note(tr("No other program here has servers that aren't set up."))

    def _offer(self, found: FoundServer) -> None:
        config = masked_config(hide_secrets(found.config)[0])
        about = ElidedLabel(f"{found.program} · {command_line_of(config)}")
        about.setMinimumHeight(CONTROL_HEIGHT)
        set_tooltip(about, str(found.file))
        take = QPushButton(tr("Add"))
        take.setAccessibleName(tr("Add {name}", name=config.name))
        row = SettingsRow(self.theme, about, take)
        row.title.setText(config.name)
        self.set_notice_visible(row, True)
        take.clicked.connect(lambda: self._take_found(row, found))
        self.found.append(row)
        self._found.addWidget(row)
        row.join_card(self.frame)

    def _take_found(self, row: SettingsRow, found: FoundServer) -> None:
        self.set_notice_visible(row, False)
        self._take([found.config])

    def _clear_found(self) -> None:
        for row in self.found:
            self._found.removeWidget(row)
            row.hide()
            self.remove_notice(row)
            row.deleteLater()
        self.found = []

    def _tell(self, error: KnownError) -> None:
        self.paste_row.set_error(format_error(error))

    def _show_busy(self) -> None:
        self.add.setEnabled(not self._work.busy("add", "file"))
        self.look.setEnabled(not self._work.busy("look"))
