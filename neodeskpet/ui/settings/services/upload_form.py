"""The rows of a service's editor for uploading pictures before a request."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QVBoxLayout, QWidget

from neodeskpet.core.i18n import N_
from neodeskpet.language import tr
from neodeskpet.llm.catalog.model_catalog import Upload
from neodeskpet.ui.settings.settings_row import SettingsRow
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.controls import MultiLineField, TextEntry

_ADDRESS = (
    N_("Picture upload"),
    N_(
        "For services that only accept the address of a picture: pictures are uploaded here "
        "first. Empty: pictures are sent in the request."
    ),
)
_DETAILS = {
    "field": (N_("Form field"), N_("The field of the form that holds the picture, mostly “file”.")),
    "result": (
        N_("Address in the answer"),
        N_("Where the answer (JSON) has the picture's address, such as url or data.0.url."),
    ),
    "key_variable": (
        N_("Key variable for uploads"),
        N_("An environment variable with the key, if uploads need another key."),
    ),
}
_FIELDS = (
    N_("More form fields"),
    N_("Sent with every picture, one a line: “name: value”. Keys don't belong here."),
)

UPLOAD_SEARCH_TEXTS = (_ADDRESS[0], *(title for title, _ in _DETAILS.values()), _FIELDS[0])
"""The texts by which a search finds these rows."""

_SCHEMES = ("http", "https")


class UploadForm(QWidget):
    """`change(upload)` stores the new value (None: no upload) and returns its error, "" if there is
    none.
    """

    def __init__(self, theme: Theme, change: Callable[[Upload | None], str]) -> None:
        super().__init__()
        self._change = change
        self._upload: Upload | None = None
        self.address = TextEntry()
        self.entries = {name: TextEntry() for name in _DETAILS}
        self.fields = MultiLineField()
        self.rows = {"url": SettingsRow(theme, self.address)}
        self.rows |= {name: SettingsRow(theme, entry) for name, entry in self.entries.items()}
        self.rows["fields"] = SettingsRow(theme, self.fields, wide=True)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(12)
        for row in self.rows.values():
            box.addWidget(row)
        self.address.typed.connect(self._write_address)
        for name, entry in self.entries.items():
            entry.typed.connect(lambda text, name=name: self._write(name, text))
        self.fields.typed.connect(self._write_fields)
        self.show_upload(None)

    def show_upload(self, upload: Upload | None) -> None:
        """Show the current values; an invalid value that the user is writing stays."""
        self._upload = upload
        if not self.rows["url"].error_label.text():
            self.address.set_value(upload.url if upload is not None else "")
        for name, entry in self.entries.items():
            if not self.rows[name].error_label.text():
                entry.set_value(getattr(upload, name) if upload is not None else "")
        pairs = upload.fields.items() if upload is not None else ()
        self.fields.set_value("\n".join(f"{name}: {value}" for name, value in pairs))
        for name, row in self.rows.items():
            row.set_relevant(name == "url" or upload is not None)

    def set_narrow(self, narrow: bool) -> None:
        for row in self.rows.values():
            row.set_narrow(narrow)

    def set_theme(self, theme: Theme) -> None:
        for row in self.rows.values():
            row.set_theme(theme)

    def retranslate(self) -> None:
        for name, (title, note) in ({"url": _ADDRESS} | _DETAILS | {"fields": _FIELDS}).items():
            self.rows[name].set_texts(tr(title), tr(note))
            self.rows[name].controls[0].setAccessibleName(tr(title))

    def _write_address(self, text: str) -> None:
        scheme, _, rest = text.partition("://")
        if text and not (rest and scheme in _SCHEMES):
            example = "https://example.com/v1/files"
            self.rows["url"].set_error(tr("This must be an address such as {url}.", url=example))
            return
        kept = self._upload.model_dump() if self._upload is not None else {}
        self._put("url", Upload(**(kept | {"url": text})) if text else None)

    def _write(self, name: str, text: str) -> None:
        value = text or Upload.model_fields[name].default
        if self._upload is not None:
            self._put(name, self._upload.model_copy(update={name: value}))

    def _write_fields(self, text: str) -> None:
        pairs = [line.partition(":") for line in text.splitlines() if line.strip()]
        if not all(colon and name.strip() for name, colon, _ in pairs):
            self.rows["fields"].set_error(tr("Every line needs the form “Name: value”."))
        elif self._upload is not None:
            fields = {name.strip(): value.strip() for name, _, value in pairs}
            self._put("fields", self._upload.model_copy(update={"fields": fields}))

    def _put(self, row: str, upload: Upload | None) -> None:
        wrong = self._change(upload)
        self.rows[row].set_error(wrong)
        if not wrong:
            self.show_upload(upload)
