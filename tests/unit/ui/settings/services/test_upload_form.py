"""The rows for services that need pictures to be uploaded first."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from neodeskpet.llm.catalog.model_catalog import Upload
from neodeskpet.ui.settings.services.service_editor import ServiceEditor
from neodeskpet.ui.settings.services.upload_form import UploadForm
from neodeskpet.ui.theme import DARK, LIGHT
from neodeskpet.ui.widgets.controls import TextEntry
from tests.unit.ui.settings.doubles import Services, two_services

ADDRESS = "https://files.example/v1/upload"


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return Services(tmp_path, two_services())


@pytest.fixture
def form(qtbot: QtBot, services: Services) -> UploadForm:
    editor = ServiceEditor(services, "one", LIGHT)
    qtbot.addWidget(editor)
    services.subscribe(editor.refresh)
    editor.more.click()
    return editor.upload


def upload(services: Services) -> Upload | None:
    endpoint = services.catalog.endpoint("one")
    assert endpoint is not None
    return endpoint.upload


def write(entry: TextEntry, text: str) -> None:
    entry.setText(text)
    QTest.keyClick(entry, Qt.Key.Key_Return)


def put_fields(form: UploadForm, text: str) -> str:
    form.fields.setPlainText(text)
    form.fields.typed.emit(text)
    return form.rows["fields"].error_label.text()


def test_only_the_address_is_shown_until_it_is_set(form: UploadForm, services: Services) -> None:
    assert [name for name, row in form.rows.items() if not row.isHidden()] == ["url"]
    write(form.address, ADDRESS)
    assert upload(services) == Upload(url=ADDRESS)
    assert not any(row.isHidden() for row in form.rows.values())
    assert form.entries["field"].value() == "file"
    assert form.entries["result"].value() == "url"
    write(form.address, "")
    assert upload(services) is None
    assert form.rows["field"].isHidden()


def test_every_field_is_saved(form: UploadForm, services: Services) -> None:
    write(form.address, ADDRESS)
    write(form.entries["field"], "image")
    write(form.entries["result"], "data.0.url")
    write(form.entries["key_variable"], "UPLOAD_KEY")
    assert put_fields(form, "purpose: vision\n") == ""
    kept = Upload(
        url=ADDRESS,
        field="image",
        fields={"purpose": "vision"},
        result="data.0.url",
        key_variable="UPLOAD_KEY",
    )
    assert upload(services) == kept
    write(form.entries["field"], "")
    write(form.address, "http://127.0.0.1:9/files")
    assert upload(services) == kept.model_copy(
        update={"url": "http://127.0.0.1:9/files", "field": "file"}
    )


def test_errors_are_shown_and_not_saved(form: UploadForm, services: Services) -> None:
    write(form.address, "files.example")
    assert "https://example.com/v1/files" in form.rows["url"].error_label.text()
    assert upload(services) is None
    write(form.address, ADDRESS)
    assert form.rows["url"].error_label.text() == ""
    assert "Name: value" in put_fields(form, "purpose")
    assert "key" in put_fields(form, "api_key: sk-abcdefgh12345678")
    assert upload(services) == Upload(url=ADDRESS)


def test_it_follows_the_width_of_the_window(form: UploadForm, services: Services) -> None:
    form.set_narrow(True)
    form.set_theme(DARK)
    for row in form.rows.values():
        assert row.title.text() and row.controls[0].accessibleName()
