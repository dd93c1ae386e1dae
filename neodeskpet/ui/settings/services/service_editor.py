"""The form of one service: name, address, key, models, test, and what few people need.

What is written is in force at once. What can't be is said under its field, and the old value holds.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from neodeskpet.core.i18n import N_
from neodeskpet.language import tr
from neodeskpet.llm.catalog.catalog_editing import change_endpoint
from neodeskpet.llm.catalog.model_catalog import Endpoint, Upload
from neodeskpet.llm.local.model_file import is_model_file
from neodeskpet.llm.protocols.protocol_list import PROTOCOLS
from neodeskpet.ui.icons import icon
from neodeskpet.ui.settings.services.endpoint_test import EndpointTestRow
from neodeskpet.ui.settings.services.key_row import KeyRow
from neodeskpet.ui.settings.services.service_card import PROTOCOL_NAMES
from neodeskpet.ui.settings.services.service_models import ServiceModels
from neodeskpet.ui.settings.services.upload_form import UPLOAD_SEARCH_TEXTS, UploadForm
from neodeskpet.ui.settings.settings_ports import CatalogPort, edit_catalog
from neodeskpet.ui.settings.settings_row import SettingsRow
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.controls import ComboBox, MultiLineField, TextEntry
from neodeskpet.ui.widgets.labels import set_tooltip

_NUMBERS = ("requests_per_minute", "tokens_per_minute", "priority")
_BASIC = {
    "name": (N_("Name"), ""),
    "base_url": (N_("Address"), N_("As the service gives it; with or without /v1.")),
}
_ADVANCED = {
    "requests_per_minute": (N_("Requests a minute"), N_("At most; empty for no limit.")),
    "tokens_per_minute": (N_("Tokens a minute"), N_("At most; empty for no limit.")),
    "priority": (
        N_("Priority"),
        N_("Of services with the same model the one with the lowest number is asked first."),
    ),
    "proxy": (N_("Proxy"), N_("For this service alone, such as http://127.0.0.1:8080.")),
    "key_variable": (
        N_("Key variable"),
        N_("An environment variable that holds the key, if it isn't kept here."),
    ),
}
_HEADERS = (
    N_("Headers"),
    N_("Added to every request, one a line: “Name: value”. Keys don't belong here."),
)

SEARCH_TEXTS = (
    *(text for part in (_BASIC, _ADVANCED) for text, _ in part.values()),
    *UPLOAD_SEARCH_TEXTS,
    _HEADERS[0],
    N_("Protocol"),
    N_("Key"),
    N_("Models"),
    N_("Test"),
)
"""What a search finds this form by."""


class ServiceEditor(QWidget):
    """`rows` by the field's name. `renamed(str)`, `moved(int)`, `removed()`."""

    renamed = Signal(str)
    moved = Signal(int)
    removed = Signal()

    def __init__(self, port: CatalogPort, name: str, theme: Theme) -> None:
        super().__init__()
        self.name = name
        self._port = port
        self.rows: dict[str, SettingsRow] = {}
        self.entries: dict[str, TextEntry] = {}
        self.protocol = ComboBox(theme)
        self.key = KeyRow(port.endpoint(name), theme)
        self.models = ServiceModels(port, name, theme)
        self.trial = EndpointTestRow(port, name, theme, self.key.wait_until_saved)
        self.key.changed.connect(self.trial.test.discard_results)
        self.headers = MultiLineField()
        self.upload = UploadForm(theme, self._change_upload)
        self.more = QPushButton()
        self.more.setCheckable(True)
        self.more.setProperty("quiet", True)
        self.up, self.down, self.remove = QToolButton(), QToolButton(), QPushButton()
        self.remove.setProperty("danger", True)
        self._lay_out(theme)
        self._connect()
        self.set_theme(theme)
        self.retranslate()

    def refresh(self) -> None:
        """Show what is in force; a value that is wrong and being written stays."""
        endpoint = self._endpoint()
        if endpoint is None:
            return
        for name, entry in self.entries.items():
            value = getattr(endpoint, name)
            if not self.rows[name].error_label.text():
                entry.set_value("" if value is None else str(value))
        self.protocol.set_value(endpoint.protocol)
        self.key.set_relevant(not is_model_file(endpoint.base_url))
        lines = (f"{name}: {value}" for name, value in endpoint.headers.items())
        self.headers.set_value("\n".join(lines))
        self.upload.show_upload(endpoint.upload)
        self.models.refresh()
        self.trial.refresh()
        order = [one.name for one in self._port.catalog.endpoints]
        self.up.setEnabled(order[0] != self.name)
        self.down.setEnabled(order[-1] != self.name)

    def cancel(self) -> None:
        """Stop what runs: the form goes."""
        self.key.cancel()
        self.models.cancel()
        self.trial.test.cancel()

    def set_narrow(self, narrow: bool) -> None:
        for row in (*self.rows.values(), self.trial.row):
            row.set_narrow(narrow or row is self.rows["models"])
        for part in (self.models, self.upload):
            part.set_narrow(narrow)

    def set_theme(self, theme: Theme) -> None:
        for row in self.rows.values():
            row.set_theme(theme)
        for part in (self.protocol, self.models, self.trial, self.upload):
            part.set_theme(theme)
        text, muted = QColor(theme.text), QColor(theme.line)
        self.up.setIcon(icon("chevron-up", text, 16, disabled=muted))
        self.down.setIcon(icon("chevron-down", text, 16, disabled=muted))

    def retranslate(self) -> None:
        self.protocol.set_options([(one, tr(PROTOCOL_NAMES.get(one, one))) for one in PROTOCOLS])
        texts = _BASIC | _ADVANCED | {"headers": _HEADERS, "protocol": (N_("Protocol"), "")}
        for name, (title, note) in texts.items():
            self.rows[name].set_texts(tr(title), tr(note))
            self.rows[name].controls[0].setAccessibleName(tr(title))
        self.rows["models"].set_texts(tr("Models"))
        self.models.retranslate()
        self.trial.retranslate()
        self.upload.retranslate()
        self.key.retranslate()
        self.remove.setText(tr("Remove"))
        for button, words in (
            (self.up, tr("Move {name} up", name=self.name)),
            (self.down, tr("Move {name} down", name=self.name)),
            (self.remove, tr("Remove {name}", name=self.name)),
        ):
            button.setAccessibleName(words)
            set_tooltip(button, words)
        self._show_more(self.more.isChecked())
        self.refresh()

    def _lay_out(self, theme: Theme) -> None:
        box = QVBoxLayout(self)
        box.setContentsMargins(14, 4, 14, 14)
        box.setSpacing(12)
        for name in _BASIC:
            box.addWidget(self._row(name, theme))
            if name == "name":
                self.rows["protocol"] = SettingsRow(theme, self.protocol)
                box.addWidget(self.rows["protocol"])
        self.rows["key"] = self.key
        self.rows["models"] = SettingsRow(theme, self.models)
        self.rows["models"].set_narrow(True)  # a list wants the whole width
        box.addWidget(self.key)
        box.addWidget(self.rows["models"])
        box.addWidget(self.trial)
        box.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        self._seldom = QWidget()
        seldom = QVBoxLayout(self._seldom)
        seldom.setContentsMargins(0, 0, 0, 0)
        seldom.setSpacing(12)
        for name in _ADVANCED:
            seldom.addWidget(self._row(name, theme))
        self.rows["headers"] = SettingsRow(theme, self.headers)
        seldom.addWidget(self.rows["headers"])
        seldom.addWidget(self.upload)
        box.addWidget(self._seldom)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addStretch()
        for button in (self.up, self.down, self.remove):
            foot.addWidget(button)
        box.addLayout(foot)

    def _row(self, name: str, theme: Theme) -> SettingsRow:
        entry = TextEntry()
        entry.typed.connect(lambda text: self._write(name, text))
        self.entries[name] = entry
        self.rows[name] = SettingsRow(theme, entry)
        return self.rows[name]

    def _connect(self) -> None:
        self.protocol.chosen.connect(lambda value: self._change("protocol", protocol=value))
        self.headers.typed.connect(self._write_headers)
        self.more.toggled.connect(self._show_more)
        self.up.clicked.connect(lambda: self.moved.emit(-1))
        self.down.clicked.connect(lambda: self.moved.emit(1))
        self.remove.clicked.connect(self.removed)

    def _show_more(self, more: bool) -> None:
        self._seldom.setVisible(more)
        self.more.setText(tr("Fewer settings") if more else tr("More settings"))

    def _endpoint(self) -> Endpoint | None:
        return self._port.catalog.endpoint(self.name)

    def _write(self, field: str, text: str) -> None:
        value: object = text
        if field in _NUMBERS:
            try:
                value = int(text) if text else None
            except ValueError:
                self.rows[field].set_error(tr("This must be a whole number."))
                return
            if value is None and field == "priority":
                value = Endpoint.model_fields["priority"].default
        self._change(field, **{field: value})

    def _write_headers(self, text: str) -> None:
        pairs = [line.partition(":") for line in text.splitlines() if line.strip()]
        if not all(colon and name.strip() for name, colon, _ in pairs):
            self.rows["headers"].set_error(tr("Every line needs the form “Name: value”."))
            return
        headers = {name.strip(): value.strip() for name, _, value in pairs}
        self._change("headers", headers=headers)

    def _change(self, row: str, **changes: object) -> None:
        before = self.name
        name = changes.get("name")
        if isinstance(name, str) and name:
            self.name = name  # first: who hears of the change asks for it by its new name
            self.renamed.emit(name)
        wrong = edit_catalog(
            self._port, lambda catalog: change_endpoint(catalog, before, **changes)
        )
        self.rows[row].set_error(wrong)
        if wrong and self.name != before:
            self.name = before
            self.renamed.emit(before)
        if not wrong and row in ("name", "base_url"):
            self._rebind()

    def _change_upload(self, upload: Upload | None) -> str:
        return edit_catalog(
            self._port, lambda catalog: change_endpoint(catalog, self.name, upload=upload)
        )

    def _rebind(self) -> None:
        """Key, models and test are asked for under the present name and address."""
        self.key.set_service(self._port.endpoint(self.name))
        self.models.set_service(self.name)
        self.trial.set_service(self.name)
        self.retranslate()
