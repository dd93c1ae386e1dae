"""The form of one MCP server: a command or an address, variables, and a folder."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from neodeskpet.core.errors import KnownError
from neodeskpet.language import format_error, tr
from neodeskpet.mcp.server_config import ServerConfig, command_line_of, from_form, variable_lines_of
from neodeskpet.ui.settings.settings_row import SettingsRow
from neodeskpet.ui.theme import Theme, scale_to_font
from neodeskpet.ui.widgets.controls import TextEntry


class McpServerForm(QWidget):
    """Signals: `saved(ServerConfig)`, `cancelled()`. The name of an existing server can't be
    changed.
    """

    saved = Signal(object)
    cancelled = Signal()

    def __init__(self, theme: Theme, config: ServerConfig | None = None) -> None:
        super().__init__()
        self._config = config
        self.name = TextEntry()
        self.line = TextEntry()
        self.variables = QPlainTextEdit()
        self.variables.setTabChangesFocus(True)
        self.folder = TextEntry()
        self.save = QPushButton()
        self.save.setProperty("primary", True)
        self.leave = QPushButton()
        self.rows = {
            part: SettingsRow(theme, part, wide=part is self.variables)
            for part in (self.name, self.line, self.variables, self.folder)
        }
        self.rows[self.name].set_relevant(config is None)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(10)
        for row in self.rows.values():
            box.addWidget(row)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.save)
        buttons.addWidget(self.leave)
        buttons.addStretch()
        box.addLayout(buttons)
        self.save.clicked.connect(self._save)
        for line in (self.name, self.line, self.folder):
            line.returnPressed.connect(self._save)
        self.leave.clicked.connect(self.cancelled)
        if config is not None:
            self.line.set_value(command_line_of(config))
            self.variables.setPlainText(variable_lines_of(config))
            self.folder.set_value(config.cwd)
        self.set_theme(theme)
        self.retranslate()

    def show_error(self, error: KnownError) -> None:
        """Show an error under the field of the command or address."""
        self.rows[self.line].set_error(format_error(error))

    def set_narrow(self, narrow: bool) -> None:
        for row in self.rows.values():
            row.set_narrow(narrow)

    def set_theme(self, theme: Theme) -> None:
        for row in self.rows.values():
            row.set_theme(theme)
        self.variables.setFixedHeight(scale_to_font(72, theme))

    def retranslate(self) -> None:
        self.rows[self.name].set_texts(tr("Name"), tr("Empty: it is named after what it runs."))
        self.rows[self.line].set_texts(
            tr("Command"), tr("The program with its arguments, or an address (https://…).")
        )
        self.rows[self.variables].set_texts(
            tr("Variables"),
            tr("NAME=value, one a line; for an address its headers. Keys go to the keyring."),
        )
        self.rows[self.folder].set_texts(tr("Folder"), tr("Where it runs. May be empty."))
        for part, row in self.rows.items():
            part.setAccessibleName(row.title.text())
        self.save.setText(tr("Save"))
        self.leave.setText(tr("Cancel"))

    def _save(self) -> None:
        name = self._config.name if self._config else self.name.value()
        try:
            config = from_form(
                name, self.line.value(), self.variables.toPlainText(), self.folder.value()
            )
        except KnownError as error:
            self.show_error(error)
            return
        self.rows[self.line].set_error("")
        self.saved.emit(config)
