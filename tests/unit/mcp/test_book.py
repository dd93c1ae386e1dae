"""The servers that were set up, on disk."""

import json
from pathlib import Path

import pytest

from neodeskpet.core.errors import KnownError
from neodeskpet.mcp.book import ServerBook
from neodeskpet.mcp.config import ServerConfig
from neodeskpet.settings.settings_errors import SettingsNotSaved

A = ServerConfig("a", "x", ("1",))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "home" / "mcp.json"


def read(file: Path) -> ServerBook:
    book = ServerBook(file)
    book.read()
    return book


def test_servers_and_what_was_allowed_survive(file: Path) -> None:
    book = read(file)
    book.put(A)
    assert not book.is_allowed("a")
    book.allow("a")
    again = read(file)
    assert again.configs == {"a": A}
    assert again.is_allowed("a")
    assert file.stat().st_mode & 0o077 == 0


def test_what_was_changed_asks_again_and_what_was_removed_is_gone(file: Path) -> None:
    book = read(file)
    book.put(A)
    book.allow("a")
    book.put(ServerConfig("a", "x", ("2",)))
    assert not book.is_allowed("a")
    book.put(A)
    book.remove("a")
    assert read(file).configs == {}
    book.put(A)
    assert not read(file).is_allowed("a")


def test_two_servers_of_one_name_get_two(file: Path) -> None:
    book = read(file)
    book.put(A)
    assert book.free_name("a") == "a 2"
    assert book.free_name("b") == "b"


@pytest.mark.parametrize("text", ["{", "{" * 999, '{"mcpServers": {"a": {"command": ""}}}'])
def test_a_file_that_cannot_be_read_is_kept_beside(file: Path, text: str) -> None:
    file.parent.mkdir()
    file.write_text(text)
    assert read(file).configs == {}
    assert (file.parent / "mcp.json.broken").read_text() == text


def test_an_empty_table_is_no_fault(file: Path) -> None:
    file.parent.mkdir()
    file.write_text(json.dumps({"mcpServers": {}, "allowed": []}))
    assert read(file).configs == {}


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")
    faults: list[KnownError] = []
    book = ServerBook(tmp_path / "home" / "mcp.json", on_fault=faults.append)
    book.read()
    book.put(A)
    assert [type(fault) for fault in faults] == [SettingsNotSaved]
    assert book.configs == {"a": A}
