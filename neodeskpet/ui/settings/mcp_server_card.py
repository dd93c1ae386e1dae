"""The card of one MCP server: its state and switch; when opened, its command, its tools and its
log.
"""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from neodeskpet.core.i18n import N_
from neodeskpet.core.unicode_text import show_hidden_chars
from neodeskpet.language import format_error, tr
from neodeskpet.mcp.mcp_errors import SignInNeeded
from neodeskpet.mcp.secret_placeholders import masked_config
from neodeskpet.mcp.server import ServerState, ServerView
from neodeskpet.mcp.server_config import ServerConfig, command_line_of, variable_lines_of
from neodeskpet.ui.settings.folding_card import Colour, FoldingCard
from neodeskpet.ui.settings.mcp_server_form import McpServerForm
from neodeskpet.ui.theme import Theme, scale_to_font, ui_font
from neodeskpet.ui.widgets.controls import Switch
from neodeskpet.ui.widgets.labels import ErrorLabel, PlainLabel, set_tooltip

_LOG_MS = 1000
_TOOLS = 40
"""The largest number of tools that are listed."""

_STATES: dict[ServerState, tuple[str, str, Colour]] = {
    ServerState.OFF: ("–", N_("off"), "muted"),
    ServerState.NOT_ALLOWED: ("?", N_("waiting for approval"), "asks"),
    ServerState.STARTING: ("…", N_("is starting"), "muted"),
    ServerState.READY: ("✓", N_("runs"), "done"),
    ServerState.CRASHED: ("✕", N_("doesn't run"), "failed"),
}


class McpServerCard(FoldingCard):
    """The card. `opened(bool)`, `switched(bool)`, `allowed()`, `restarted()`, `removed()` and
    `changed(ServerConfig)` report the user's actions.
    """

    switched = Signal(bool)
    allowed = Signal()
    restarted = Signal()
    removed = Signal()
    changed = Signal(object)

    def __init__(self, theme: Theme) -> None:
        self.switch = Switch(theme)
        self.body: McpServerDetails | None = None
        super().__init__(theme, self.switch)
        self.switch.clicked.connect(self.switched)

    def show_server(self, view: ServerView) -> None:
        sign, _, colour = _STATES[view.state]
        config = masked_config(view.config)
        words = [state_text(view)]
        if view.state is ServerState.READY:
            words.append(_count(view))
        self.set_state_icon(sign, colour)
        self.head.title.set_text(config.name)
        self.head.about.set_text(" · ".join((*words, command_line_of(config))))
        self.head.setAccessibleName(", ".join((config.name, *words)))
        set_tooltip(self.head, command_line_of(config))
        self.switch.setChecked(view.config.on)
        self.switch.setAccessibleName(tr("Use {name}", name=config.name))
        if self.body is not None:
            self.body.show_server(view)

    def open(self, view: ServerView | None) -> None:
        """Show the details of `view`; None closes the card."""
        self.body = None if view is None else McpServerDetails(view, self._theme)
        self.set_content(self.body)
        if self.body is not None:
            for ours, its in (
                (self.allowed, self.body.allowed),
                (self.restarted, self.body.restarted),
                (self.removed, self.body.removed),
                (self.changed, self.body.changed),
            ):
                its.connect(ours)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        if self.body is not None:
            self.body.set_theme(theme)


class McpServerDetails(QWidget):
    """The content of an open card. The log is updated while it is visible."""

    allowed = Signal()
    restarted = Signal()
    removed = Signal()
    changed = Signal(object)

    def __init__(self, view: ServerView, theme: Theme) -> None:
        super().__init__()
        self._view = view
        self._theme = theme
        self.runs = PlainLabel()
        self.warning = PlainLabel()
        self.wrong = ErrorLabel()
        self.tools = PlainLabel()
        self.tools.setProperty("muted", True)
        for label in (self.runs, self.warning, self.wrong, self.tools):
            label.setWordWrap(True)
        self.log_title = PlainLabel()
        self.log_title.setProperty("muted", True)
        self.log = QPlainTextEdit(readOnly=True)
        self.log.setTabChangesFocus(True)
        self.log.setUndoRedoEnabled(False)
        self.allow = QPushButton()
        self.allow.setProperty("primary", True)
        self.restart = QPushButton()
        self.edit = QPushButton()
        self.remove = QPushButton()
        self.remove.setProperty("danger", True)
        self.sure = QPushButton()
        self.sure.setProperty("danger", True)
        self.sure.hide()
        self.form: McpServerForm | None = None
        self._narrow = False
        self._lay_out()
        self._connect()
        self._watch = QTimer(self, interval=_LOG_MS)
        self.set_theme(theme)
        self.retranslate()

    def show_server(self, view: ServerView) -> None:
        self._view = view
        unseen = view.state is ServerState.NOT_ALLOWED
        self.runs.setText(launch_text(view.config))
        self.warning.setVisible(unseen)
        self.allow.setVisible(unseen)
        self.restart.setVisible(view.config.on and not unseen)
        self._show_error()
        self._show_tools()
        self.show_log()

    def show_log(self) -> None:
        text = "\n".join(show_hidden_chars(line) for line in self._view.log)
        self.log.setVisible(bool(text))
        self.log_title.setVisible(bool(text))
        if text != self.log.toPlainText():
            bar = self.log.verticalScrollBar()
            follows = bar.value() == bar.maximum()
            self.log.setPlainText(text)
            if follows:
                bar.setValue(bar.maximum())

    def retranslate(self) -> None:
        self.warning.setText(
            tr(
                "It runs with your rights and sees what is sent to it. Start it only if you trust "
                "where it comes from."
            )
            if self._view.config.command
            else tr("It sees what is sent to it. Connect only if you trust it.")
        )
        self.allow.setText(tr("Allow and start"))
        self.restart.setText(tr("Start again"))
        self.edit.setText(tr("Edit"))
        self.remove.setText(tr("Remove…"))
        self.sure.setText(tr("Remove it"))
        self.log_title.setText(tr("Output"))
        self.log.setAccessibleName(tr("Output"))
        if self.form is not None:
            self.form.retranslate()
        self.show_server(self._view)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        small = ui_font(theme, theme.small_px)
        for part in (self.tools, self.log_title, self.log):
            part.setFont(small)
        self.log.setFixedHeight(scale_to_font(110, theme))
        if self.form is not None:
            self.form.set_theme(theme)

    def set_narrow(self, narrow: bool) -> None:
        """Put titles above their controls in the form, now or when it opens."""
        self._narrow = narrow
        if self.form is not None:
            self.form.set_narrow(narrow)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._watch.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._watch.stop()

    def close_form(self) -> None:
        if self.form is not None:
            self._box.removeWidget(self.form)
            self.form.hide()
            self.form.deleteLater()
            self.form = None
            self.edit.show()
            self.edit.setFocus()

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for button in (self.allow, self.restart, self.edit):
            buttons.addWidget(button)
        buttons.addStretch()
        buttons.addWidget(self.sure)
        buttons.addWidget(self.remove)
        self._box = QVBoxLayout(self)
        self._box.setContentsMargins(16, 6, 16, 14)
        self._box.setSpacing(10)
        for part in (self.runs, self.warning, self.wrong, self.tools):
            self._box.addWidget(part)
        self._box.addLayout(buttons)
        self._box.addWidget(self.log_title)
        self._box.addWidget(self.log)

    def _connect(self) -> None:
        self.allow.clicked.connect(self.allowed)
        self.restart.clicked.connect(self.restarted)
        self.edit.clicked.connect(self._edit)
        self.remove.clicked.connect(self._ask_removal)
        self.sure.clicked.connect(self.removed)

    def _edit(self) -> None:
        form = self.form = McpServerForm(self._theme, self._view.config)
        form.set_narrow(self._narrow)
        form.cancelled.connect(self.close_form)
        form.saved.connect(self.changed)
        self.edit.hide()
        self._box.insertWidget(self._box.count() - 2, form)
        form.line.setFocus()

    def _ask_removal(self) -> None:
        asking = not self.sure.isVisible()
        self.sure.setVisible(asking)
        self.remove.setText(tr("Keep it") if asking else tr("Remove…"))

    def _show_error(self) -> None:
        error = self._view.error
        text = "" if error is None else format_error(error)
        self.wrong.set_error(show_hidden_chars(text))
        sign_in = isinstance(error, SignInNeeded)
        self.restart.setText(tr("Sign in") if sign_in else tr("Start again"))

    def _show_tools(self) -> None:
        names = [show_hidden_chars(tool.name) for tool in self._view.listing.tools]
        more = len(names) - _TOOLS
        text = ", ".join(names[:_TOOLS]) + (f" … (+{more})" if more > 0 else "")
        texts = [show_hidden_chars(self._view.listing.about), text]
        self.tools.setText("\n".join(filter(None, texts)))
        self.tools.setVisible(self._view.state is ServerState.READY)


def state_text(view: ServerView) -> str:
    if view.state is ServerState.CRASHED and view.restarting:
        return tr("starts again in a moment")
    return tr(_STATES[view.state][1])


def launch_text(config: ServerConfig) -> str:
    """Return the command that runs, or the address, in full; only keys are hidden."""
    config = masked_config(config)
    if config.url:
        parts = [tr("Connects to: {address}", address=config.url)]
    else:
        parts = [tr("Runs: {command}", command=command_line_of(config))]
    if lines := variable_lines_of(config):
        parts.append(tr("With: {variables}", variables="; ".join(lines.splitlines())))
    if config.cwd:
        parts.append(tr("In the folder {folder}", folder=config.cwd))
    return "\n".join(parts)


def _count(view: ServerView) -> str:
    count = len(view.listing.tools)
    return tr("one tool") if count == 1 else tr("{count} tools", count=str(count))
