from __future__ import annotations

import asyncio
import json
import sqlite3
from pathlib import Path

import pytest

from neodeskpet.cli.doctor_checks import (
    check_companion,
    check_database,
    check_display,
    check_folder,
    check_keys,
    check_services,
    check_settings,
    check_sync,
    installed_versions,
    sound_result,
)
from neodeskpet.core.errors import SettingsError
from neodeskpet.llm.catalog.catalog_file import CatalogFile
from neodeskpet.llm.catalog.model_catalog import FILE_NAME, catalog_of_service
from neodeskpet.llm.endpoint_test.endpoint_advice import StepOutcome
from neodeskpet.settings.secrets import ENVIRONMENT, Secrets
from neodeskpet.settings.settings_model import VoiceSettings
from neodeskpet.settings.store import SettingsStore
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE as STORE_FILE
from neodeskpet.storage.conversation_store import SqliteStore
from neodeskpet.voice.sound_devices import SoundDevices
from tests.support.postgres import PASSWORD, postgres

GOOD, FAULT, FAILED, ABSENT = (
    StepOutcome.GOOD,
    StepOutcome.FAULT,
    StepOutcome.FAILED,
    StepOutcome.ABSENT,
)


def test_the_versions_and_packages() -> None:
    row = installed_versions()
    assert row.outcome is GOOD
    assert row.facts["qt"] != "?"


@pytest.mark.parametrize(
    ("outputs", "inputs", "chosen", "outcome", "detail"),
    [
        (("A",), ("B",), VoiceSettings(), GOOD, "Null sink"),
        (("A",), ("B",), VoiceSettings(output_device="A", input_device="B"), GOOD, "Null sink"),
        ((), ("B",), VoiceSettings(), ABSENT, "Connect a speaker"),
        (("A",), (), VoiceSettings(), ABSENT, "Connect a microphone"),
        (("A",), ("B",), VoiceSettings(output_device="C"), FAULT, "C is chosen, but not connected"),
        (("A",), ("B",), VoiceSettings(input_device="A"), FAULT, "A is chosen, but not connected"),
    ],
)
def test_missing_sound_devices(
    outputs: tuple[str, ...],
    inputs: tuple[str, ...],
    chosen: VoiceSettings,
    outcome: StepOutcome,
    detail: str,
) -> None:
    row = sound_result(SoundDevices("Null sink", outputs, inputs), chosen)
    assert (row.outcome, row.detail[: len(detail)]) == (outcome, detail)


def test_a_computer_without_sound() -> None:
    row = sound_result(SoundDevices("", (), ()), VoiceSettings())
    assert row.outcome is ABSENT
    assert "sound service" in row.detail


def test_a_writable_folder(tmp_path: Path) -> None:
    assert check_folder(tmp_path).outcome in (GOOD, FAULT)
    assert list(tmp_path.iterdir()) == []
    missing = check_folder(tmp_path / "missing")
    assert (missing.outcome, missing.text) == (FAILED, str(tmp_path / "missing"))


def test_unreadable_settings_are_reported() -> None:
    assert check_settings("settings", "Settings", None).outcome is GOOD
    row = check_settings("settings", "Settings", SettingsError("line 3: oops", file="f.json"))
    assert row.outcome is FAULT
    assert "line 3: oops" in row.text


def test_where_the_services_come_from(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    settings = SettingsStore(tmp_path / "settings.json", environ={})
    assert check_services(CatalogFile(path), settings).outcome is ABSENT
    settings.change("service", "protocol", "openai")
    settings.change("service", "base_url", "http://x")
    assert check_services(CatalogFile(path), settings).text == "as in the settings"
    CatalogFile(path).save(catalog_of_service("openai", "http://x", "m"))
    assert check_services(CatalogFile(path), settings).text == "1 model"
    path.write_text("{", encoding="utf-8")
    row = check_services(CatalogFile(path), settings)
    assert (row.outcome, "line 1" in row.text) == (FAULT, True)


def test_the_database(tmp_path: Path) -> None:
    path = tmp_path / STORE_FILE
    assert check_database(path).outcome is ABSENT

    async def make() -> None:
        store = await SqliteStore.open(path)
        await store.create_conversation("x")
        await store.aclose()

    asyncio.run(make())
    row = check_database(path)
    assert (row.outcome, row.text) == (GOOD, "0 messages")
    path.write_bytes(b"nothing of the kind" * 100)
    assert check_database(path).outcome is FAILED


def test_a_database_with_a_broken_page(tmp_path: Path) -> None:
    path = tmp_path / STORE_FILE
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE messages (text)")
    connection.executemany("INSERT INTO messages VALUES (?)", [("x" * 500,)] * 200)
    connection.commit()
    connection.close()
    data = bytearray(path.read_bytes())
    data[8192:12288] = b"\xff" * 4096
    path.write_bytes(bytes(data))
    assert check_database(path).outcome is FAILED


def test_where_keys_are_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NEODESKPET_API_KEY", raising=False)
    row = asyncio.run(check_keys(tmp_path))
    place = row.facts["place"]
    assert (row.outcome is FAULT) == (place == "memory")
    monkeypatch.setenv("NEODESKPET_API_KEY", "sk-never-shown")
    (tmp_path / "secrets.json").write_text(json.dumps({"key": "sk-in-a-file"}), encoding="utf-8")
    row = asyncio.run(check_keys(tmp_path))
    assert row.detail == "NEODESKPET_API_KEY is set"
    assert row.facts["place"] == ("file" if place == "memory" else place)
    assert "sk-" not in repr(row)


@pytest.mark.parametrize(
    ("environ", "system", "outcome"),
    [
        ({"DISPLAY": ":0"}, "linux", GOOD),
        ({"DISPLAY": ":0", "WAYLAND_DISPLAY": "w"}, "linux", GOOD),
        ({"WAYLAND_DISPLAY": "w"}, "linux", FAILED),
        ({}, "linux", ABSENT),
        ({}, "win32", GOOD),
    ],
)
def test_displays(environ: dict[str, str], system: str, outcome: StepOutcome) -> None:
    assert check_display(environ, system).outcome is outcome


def test_a_missing_figure(tmp_path: Path) -> None:
    (row,) = asyncio.run(check_companion(tmp_path / "nothing", tmp_path / "cache"))
    assert row.outcome is FAILED


def test_the_sync_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = SettingsStore(tmp_path / "settings.json", environ={})
    settings.change("sharing", "address", postgres().new_database())
    monkeypatch.setenv(ENVIRONMENT, PASSWORD)
    row = check_sync(settings, Secrets(tmp_path / "secrets.json"))
    assert row.outcome is GOOD and "PostgreSQL" in row.text
    monkeypatch.setenv(ENVIRONMENT, "wrong")
    row = check_sync(settings, Secrets(tmp_path / "secrets.json"))
    assert row.outcome is FAILED and "password" in row.text
