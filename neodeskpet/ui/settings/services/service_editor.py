"""The editor of one service: key, model and test; and under "More settings" everything else.

A change is in force at once. An invalid value is reported under its field, and the old value stays.
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

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.core.tool_settings import MODE_NOTES, SERVICE_MODE_NAMES
from neodeskpet.language import format_error, tr
from neodeskpet.llm.catalog.catalog_editing import add_model, change_endpoint, free_name, use_model
from neodeskpet.llm.catalog.known_models import known_model
from neodeskpet.llm.catalog.model_catalog import Endpoint, Upload
from neodeskpet.llm.local.model_file import is_model_file
from neodeskpet.llm.protocols.protocol_list import PROTOCOLS
from neodeskpet.settings.settings_model import DIALECT_NAMES
from neodeskpet.ui.formatting import model_title
from neodeskpet.ui.icons import icon
from neodeskpet.ui.settings.services.endpoint_test import EndpointTestRow
from neodeskpet.ui.settings.services.key_row import KeyRow
from neodeskpet.ui.settings.services.service_card import PROTOCOL_NAMES
from neodeskpet.ui.settings.services.service_model_list import ServiceModelList, known_abilities
from neodeskpet.ui.settings.services.service_models import ServiceModels
from neodeskpet.ui.settings.services.service_presets import PRESETS, name_for, preset_of
from neodeskpet.ui.settings.services.upload_form import UPLOAD_SEARCH_TEXTS, UploadForm
from neodeskpet.ui.settings.settings_ports import (
    CatalogPort,
    EndpointPort,
    EndpointTestVerdict,
    edit_catalog,
)
from neodeskpet.ui.settings.settings_row import SettingsRow
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.accessible import mark_as_fold
from neodeskpet.ui.widgets.controls import ComboBox, MultiLineField, TextEntry
from neodeskpet.ui.widgets.labels import set_tooltip
from neodeskpet.ui.widgets.model_picker import ModelField

_NUMBERS = ("requests_per_minute", "tokens_per_minute", "priority")
_ADDRESS = (N_("Address"), N_("As the service gives it; with or without /v1."))
_ADVANCED = {
    "name": (N_("Name"), ""),
    "protocol": (N_("Protocol"), ""),
    "requests_per_minute": (N_("Requests a minute"), N_("At most; empty for no limit.")),
    "tokens_per_minute": (N_("Tokens a minute"), N_("At most; empty for no limit.")),
    "priority": (
        N_("Priority"),
        N_("If several services have the same model, the lowest number is used first."),
    ),
    "proxy": (N_("Proxy"), N_("For this service only, such as http://127.0.0.1:8080.")),
    "key_variable": (
        N_("Key variable"),
        N_("An environment variable that holds the key, if it isn't stored here."),
    ),
    "headers": (
        N_("Headers"),
        N_("Added to every request, one per line: “Name: value”. Keys don't belong here."),
    ),
}
_TOOL_CALLS = N_("Tool calls")
_TEXT_FORMAT = (
    N_("Text format"),
    N_("How a model writes a call. It applies to all services in text mode."),
)
_MODELS = (
    N_("Models set up"),
    N_("Their abilities, limits and prices can be changed here. All others can be chosen, too."),
)

SEARCH_TEXTS = (
    *(text for text, _ in _ADVANCED.values()),
    *UPLOAD_SEARCH_TEXTS,
    _ADDRESS[0],
    _MODELS[0],
    _TOOL_CALLS,
    _TEXT_FORMAT[0],
    *SERVICE_MODE_NAMES.values(),
    N_("Tool mode"),
    "dialect",
    "function calling",
    N_("Key"),
    N_("Model"),
    N_("Models"),
    N_("Test"),
)
"""The texts by which a search finds this editor."""


class ServiceEditor(QWidget):
    """The rows are in `rows`, by the field's name. `renamed(str)`, `moved(int)`, `removed()`;
    `connected()` after a test in which the service answered.
    """

    renamed = Signal(str)
    moved = Signal(int)
    removed = Signal()
    connected = Signal()

    def __init__(self, port: CatalogPort, name: str, theme: Theme) -> None:
        super().__init__()
        self.name = name
        self._port = port
        self.rows: dict[str, SettingsRow] = {}
        self.entries: dict[str, TextEntry] = {}
        self.offered = ServiceModelList(port, name)
        self.key = KeyRow(port.endpoint(name), theme)
        self.model = ModelField(theme)
        self.trial = EndpointTestRow(self._prepare_test, self._may_test, theme)
        self.protocol = ComboBox(theme)
        self.tool_mode = ComboBox(theme)
        self.text_format = ComboBox(theme)
        self.models = ServiceModels(port, name, self.offered, theme)
        self.headers = MultiLineField()
        self.upload = UploadForm(theme, self._change_upload)
        self.more = QPushButton()
        self.more.setCheckable(True)
        mark_as_fold(self.more)
        self.more.setProperty("quiet", True)
        self.up, self.down, self.remove = QToolButton(), QToolButton(), QPushButton()
        self.remove.setProperty("danger", True)
        self._lay_out(theme)
        self._connect()
        self.trial.set_service(name, port.tested(name))
        self.set_theme(theme)
        self.retranslate()

    def refresh(self) -> None:
        """Show the current values; an invalid value that the user is writing stays."""
        endpoint = self._endpoint()
        if endpoint is None:
            return
        for name, entry in self.entries.items():
            value = getattr(endpoint, name)
            if not self.rows[name].error_label.text():
                entry.set_value("" if value is None else str(value))
        self.protocol.set_value(endpoint.protocol)
        lines = (f"{name}: {value}" for name, value in endpoint.headers.items())
        self.headers.set_value("\n".join(lines))
        self.upload.show_upload(endpoint.upload)
        self._show_tool_calls()
        self._show_model()
        self.models.refresh()
        self._show_basic_rows(endpoint)
        order = [one.name for one in self._port.catalog.endpoints]
        self.up.setEnabled(order[0] != self.name)
        self.down.setEnabled(order[-1] != self.name)

    def start_if_complete(self) -> None:
        """Test a service that was just added, or wait for its key."""
        self.trial.schedule()
        (self.key.entry if self._needs_key() else self.model).setFocus()

    def cancel(self) -> None:
        """Stop everything that runs: the editor is closed."""
        self.key.cancel()
        self.offered.cancel()
        self.trial.cancel()

    def set_narrow(self, narrow: bool) -> None:
        for row in self.rows.values():
            row.set_narrow(narrow)
        for part in (self.models, self.upload):
            part.set_narrow(narrow)

    def set_theme(self, theme: Theme) -> None:
        for row in self.rows.values():
            row.set_theme(theme)
        choices = (self.protocol, self.tool_mode, self.text_format)
        for part in (*choices, self.model, self.models, self.trial, self.upload):
            part.set_theme(theme)
        text, muted = QColor(theme.text), QColor(theme.line)
        self._muted = QColor(theme.muted)
        self.more.setStyleSheet("QPushButton { padding: 4px 4px 4px 0; }")
        self._show_fold_icon()
        self.up.setIcon(icon("chevron-up", text, 16, disabled=muted))
        self.down.setIcon(icon("chevron-down", text, 16, disabled=muted))

    def retranslate(self) -> None:
        self.protocol.set_options([(one, tr(PROTOCOL_NAMES.get(one, one))) for one in PROTOCOLS])
        self.tool_mode.set_options([(one, tr(text)) for one, text in SERVICE_MODE_NAMES.items()])
        self.tool_mode.setAccessibleName(tr(_TOOL_CALLS))
        self.rows["tool_calls"].title.setText(tr(_TOOL_CALLS))
        self.text_format.set_options([(one, tr(text)) for one, text in DIALECT_NAMES.items()])
        texts = {"base_url": _ADDRESS, "text_format": _TEXT_FORMAT} | _ADVANCED
        for name, (title, note) in texts.items():
            self.rows[name].set_texts(tr(title), tr(note))
            self.rows[name].controls[0].setAccessibleName(tr(title))
        self.rows["model"].title.setText(tr("Model"))
        self.model.set_name(tr("Model"))
        self.rows["models"].set_texts(tr(_MODELS[0]), tr(_MODELS[1]))
        for part in (self.key, self.models, self.trial, self.upload):
            part.retranslate()
        self.remove.setText(tr("Remove"))
        for button, words in (
            (self.up, tr("Move {name} up", name=self.name)),
            (self.down, tr("Move {name} down", name=self.name)),
            (self.remove, tr("Remove {name}", name=self.name)),
        ):
            button.setAccessibleName(words)
            set_tooltip(button, words)
        self._show_more(self.more.isChecked())

    def _lay_out(self, theme: Theme) -> None:
        box = QVBoxLayout(self)
        box.setContentsMargins(14, 4, 14, 14)
        box.setSpacing(12)
        self._add_entry(box, "base_url", theme)
        self.rows["key"] = self.key
        self.rows["model"] = SettingsRow(theme, self.model)
        for part in (self.key, self.rows["model"], self.trial):
            box.addWidget(part)
        box.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        self._advanced = QWidget()
        inner = QVBoxLayout(self._advanced)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(12)
        self.rows["models"] = SettingsRow(theme, self.models, wide=True)
        self.rows["tool_calls"] = SettingsRow(theme, self.tool_mode)
        self.rows["text_format"] = SettingsRow(theme, self.text_format)
        for name in ("models", "tool_calls", "text_format"):
            inner.addWidget(self.rows[name])
        for name in _ADVANCED:
            if name == "protocol":
                self.rows[name] = SettingsRow(theme, self.protocol)
            elif name == "headers":
                self.rows[name] = SettingsRow(theme, self.headers, wide=True)
            else:
                self._add_entry(inner, name, theme)
                continue
            inner.addWidget(self.rows[name])
        inner.addWidget(self.upload)
        box.addWidget(self._advanced)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addStretch()
        for button in (self.up, self.down, self.remove):
            foot.addWidget(button)
        inner.addLayout(foot)

    def _add_entry(self, box: QVBoxLayout, name: str, theme: Theme) -> None:
        entry = TextEntry()
        entry.typed.connect(lambda text: self._write(name, text))
        self.entries[name] = entry
        self.rows[name] = SettingsRow(theme, entry)
        box.addWidget(self.rows[name])

    def _connect(self) -> None:
        self.entries["base_url"].textEdited.connect(lambda _: self.trial.clear())
        self.key.edited.connect(self.trial.clear)
        self.key.changed.connect(self._on_key_changed)
        self.model.opened.connect(self.offered.ask)
        self.model.chosen.connect(self._choose_model)
        self.offered.changed.connect(self._show_model)
        self.trial.tested.connect(self._on_tested)
        self.protocol.chosen.connect(self._choose_protocol)
        self.tool_mode.chosen.connect(self._choose_tool_mode)
        self.text_format.chosen.connect(self._choose_text_format)
        self.headers.typed.connect(self._write_headers)
        self.more.toggled.connect(self._show_more)
        self.up.clicked.connect(lambda: self.moved.emit(-1))
        self.down.clicked.connect(lambda: self.moved.emit(1))
        self.remove.clicked.connect(self.removed)

    def _show_more(self, more: bool) -> None:
        self._advanced.setVisible(more)
        self.more.setText(tr("Fewer settings") if more else tr("More settings"))
        self._show_fold_icon()
        self.refresh()

    def _show_fold_icon(self) -> None:
        sign = "chevron-down" if self.more.isChecked() else "chevron-right"
        self.more.setIcon(icon(sign, self._muted, 16))

    def _show_basic_rows(self, endpoint: Endpoint) -> None:
        """Show the address of a service that has no preset, and the key where one can be used."""
        more = self.more.isChecked()
        preset = preset_of(PRESETS, endpoint.protocol, endpoint.base_url)
        self.rows["base_url"].set_relevant(more or not preset.base_url)
        can_have_key = not is_model_file(endpoint.base_url)
        self.key.set_relevant(can_have_key and (more or not preset.keyless))

    def _show_model(self) -> None:
        """Show the service's first model, which answers unless another one is chosen."""
        catalog = self._port.catalog
        first = next((one.id for one in catalog.models if one.endpoint == self.name), "")
        self.model.set_rows(self.offered.rows(first), self.offered.note)
        self.model.set_value(first, model_title(first) or tr("Choose a model…"))
        self.rows["model"].set_note(known_abilities(catalog, self.name, first) if first else "")

    def _show_tool_calls(self) -> None:
        """Show the mode of the service; the text format only in text mode."""
        used = self._port.tool_calls(self.name)
        self.tool_mode.set_value(used.mode)
        self.rows["tool_calls"].set_note(tr(MODE_NOTES.get(used.mode, "")))
        self.text_format.set_value(used.dialect)
        self.rows["text_format"].set_relevant(used.mode == "text")

    def _endpoint(self) -> Endpoint | None:
        return self._port.catalog.endpoint(self.name)

    # The test

    def _needs_key(self) -> bool:
        endpoint = self._endpoint()
        if endpoint is None or endpoint.key_variable or is_model_file(endpoint.base_url):
            return False
        preset = preset_of(PRESETS, endpoint.protocol, endpoint.base_url)
        return bool(preset.base_url) and not preset.keyless

    def _may_test(self) -> bool | None:
        """Return whether address and key are complete; None while the key isn't known."""
        endpoint = self._endpoint()
        if endpoint is None or not endpoint.on or self.key.is_typing:
            return False
        return self.key.has_key if self._needs_key() else True

    async def _prepare_test(self) -> EndpointPort:
        """Store a key that was entered, ask for the models, and choose one if there is none."""
        await self.key.wait_until_saved()
        catalog = self._port.catalog
        first = next((one.id for one in catalog.models if one.endpoint == self.name), "")
        try:
            offered = await self.offered.fetch()
        except KnownError:
            if not first:
                raise
        else:
            chat = [name for name in offered if not known_model(name).embedding]
            if chat and not first:
                first = chat[0]
                self._port.edit(lambda catalog: add_model(catalog, self.name, first))
            self._show_model()
        return self._port.endpoint(self.name, first)

    def _on_tested(self, verdict: EndpointTestVerdict) -> None:
        if verdict in (EndpointTestVerdict.GOOD, EndpointTestVerdict.FAULT):
            self.connected.emit()

    def _on_key_changed(self) -> None:
        if not self.trial.is_busy:  # a test that runs has stored the key itself
            self.trial.schedule()

    # Changes

    def _choose_model(self, name: str) -> None:
        wrong = edit_catalog(self._port, lambda catalog: use_model(catalog, self.name, name))
        self.rows["model"].set_error(wrong)
        if not wrong:
            self.trial.schedule()

    def _choose_protocol(self, protocol: str) -> None:
        if self._change("protocol", protocol=protocol):
            self.trial.schedule()

    def _choose_tool_mode(self, mode: str) -> None:
        try:
            self._port.choose_tool_mode(self.name, mode)
        except KnownError as error:
            self.rows["tool_calls"].set_error(format_error(error))
        else:
            self.rows["tool_calls"].set_error("")
        self._show_tool_calls()

    def _choose_text_format(self, dialect: str) -> None:
        try:
            self._port.choose_text_format(dialect)
        except KnownError as error:
            self.rows["text_format"].set_error(format_error(error))
        else:
            self.rows["text_format"].set_error("")

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
        if field == "base_url" and not is_plausible_address(text):
            self.rows[field].set_error(tr("An address looks like https://api.example.com/v1."))
        elif self._change(field, **{field: value}) and field == "base_url":
            self.trial.schedule()

    def _write_headers(self, text: str) -> None:
        pairs = [line.partition(":") for line in text.splitlines() if line.strip()]
        if not all(colon and name.strip() for name, colon, _ in pairs):
            self.rows["headers"].set_error(tr("Every line needs the form “Name: value”."))
            return
        headers = {name.strip(): value.strip() for name, _, value in pairs}
        self._change("headers", headers=headers)

    def _change(self, row: str, **changes: object) -> bool:
        """Change the service; return whether that was possible. A name that follows from the
        address changes with the address.
        """
        before, endpoint = self.name, self._endpoint()
        if endpoint is not None and before == name_for(endpoint.protocol, endpoint.base_url):
            changed = endpoint.model_copy(update=changes)
            others = {one.name for one in self._port.catalog.endpoints} - {before}
            changes.setdefault(
                "name", free_name(name_for(changed.protocol, changed.base_url), others)
            )
        name = changes.get("name")
        if isinstance(name, str) and name:
            self.name = name  # before the edit: its observers look for the new name
            self.renamed.emit(name)
        wrong = edit_catalog(
            self._port, lambda catalog: change_endpoint(catalog, before, **changes)
        )
        self.rows[row].set_error(wrong)
        if wrong and self.name != before:
            self.name = before
            self.renamed.emit(before)
        if not wrong and (self.name != before or row == "base_url"):
            self._use_new_address()
        return not wrong

    def _change_upload(self, upload: Upload | None) -> str:
        return edit_catalog(
            self._port, lambda catalog: change_endpoint(catalog, self.name, upload=upload)
        )

    def _use_new_address(self) -> None:
        """Use key, models and test of the present name and address."""
        self.key.set_service(self._port.endpoint(self.name))
        self.offered.set_service(self.name)
        self.models.set_service(self.name)
        self.trial.set_service(self.name, self._port.tested(self.name))
        self.retranslate()


def is_plausible_address(address: str) -> bool:
    """Return whether this may be an address. A scheme is optional; only http and https work."""
    if is_model_file(address):
        return True
    scheme, found, rest = address.partition("://")
    if found and (scheme.lower() not in ("http", "https") or not rest):
        return False
    return not any(letter.isspace() for letter in address)
