"""The file of MCP servers."""

import json
from pathlib import Path

import pytest

from neodeskpet.core.errors import KnownError
from neodeskpet.mcp.server_config import ServerConfig
from neodeskpet.mcp.server_config_file import ServerConfigFile, ServersBroken, ServersRestored
from neodeskpet.settings.config_files import SettingsNotSaved

A = ServerConfig("a", "x", ("1",))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "home" / "mcp.json"


def read(file: Path) -> ServerConfigFile:
    book = ServerConfigFile(file)
    book.read()
    return book


def test_servers_and_permissions_are_stored(file: Path) -> None:
    book = read(file)
    book.update(A)
    assert not book.is_allowed("a")
    book.allow("a")
    again = read(file)
    assert again.configs == {"a": A}
    assert again.is_allowed("a")
    assert file.stat().st_mode & 0o077 == 0


def test_a_changed_server_asks_again_and_a_removed_one_is_gone(file: Path) -> None:
    book = read(file)
    book.update(A)
    book.allow("a")
    book.update(ServerConfig("a", "x", ("2",)))
    assert not book.is_allowed("a")
    book.update(A)
    book.delete("a")
    assert read(file).configs == {}
    book.update(A)
    assert not read(file).is_allowed("a")


def test_a_second_server_of_one_name_gets_another_name(file: Path) -> None:
    book = read(file)
    book.update(A)
    assert book.free_name("a") == "a 2"
    assert book.free_name("b") == "b"


@pytest.mark.parametrize("text", ["{", "{" * 999, "[]"])
def test_an_unreadable_file_is_copied_before_it_is_written(file: Path, text: str) -> None:
    file.parent.mkdir()
    file.write_text(text)
    book = read(file)
    assert book.configs == {} and isinstance(book.fault, ServersBroken)
    assert file.read_text() == text
    book.update(A)
    (copy,) = file.parent.glob("mcp.broken-*.json")
    assert copy.read_text() == text
    file.write_text("{ again")
    book.update(A)
    assert sorted(one.read_text() for one in file.parent.glob("mcp.broken-*.json")) == sorted(
        [text, "{ again"]
    )


def test_a_missing_comma_is_named_with_its_line_and_the_last_valid_servers_are_used(
    file: Path,
) -> None:
    read(file).update(A)
    file.write_text('{"mcpServers": {\n "a": {"command": "x"}\n "b": {"command": "y"}}}')
    faults: list[KnownError] = []
    book = ServerConfigFile(file, on_fault=faults.append)
    book.read()
    assert book.configs == {"a": A}
    assert [type(one) for one in faults] == [ServersRestored]
    assert "line 3" in str(faults[0])


def test_manual_text_stays_after_a_permission(file: Path) -> None:
    servers: dict[str, object] = {
        "a": {"command": "x", "args": ["1"], "note": "mine", "timeout": 5},
        "mistyped": {"comand": "x"},
        "word": "not a table",
    }
    servers |= {f"s{number}": {"command": "x"} for number in range(120)}
    written = {"mcpServers": servers, "inputs": [1], "_note": "keep me"}
    file.parent.mkdir()
    file.write_text(json.dumps(written))
    faults: list[KnownError] = []
    book = ServerConfigFile(file, on_fault=faults.append)
    book.read()
    assert len(book.configs) == 100
    assert "mistyped" in str(faults[0]) and "word" in str(faults[0])
    book.allow("a")
    after = json.loads(file.read_text())
    assert after.pop("allowed").keys() == {"a"}
    assert after == written
    book.update(ServerConfig("a", "other"))
    after = json.loads(file.read_text())
    assert after["mcpServers"]["a"] == {
        "command": "other",
        "args": [],
        "note": "mine",
        "timeout": 5,
    }
    book.delete("s0")
    assert "s0" not in json.loads(file.read_text())["mcpServers"]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        (
            '{\n // mine\n "mcpServers": {\n  "a": {"command": "x",},\n  "b":\n   5,\n'
            '  "c.d": {\n   "comand": "x"}\n }\n}',
            ["line 6, mcpServers.b", "line 7, mcpServers.c.d"],
        ),
        ('{\n\n"mcpServers": []}', ["line 3, mcpServers"]),
    ],
)
def test_a_wrong_entry_is_named_with_its_line(file: Path, text: str, places: list[str]) -> None:
    file.parent.mkdir()
    file.write_text(text)
    fault = read(file).fault
    assert fault is not None
    assert [line.split(": ")[0] for line in fault.detail.splitlines()] == places


def test_manual_changes_in_the_meantime_stay(file: Path) -> None:
    book = read(file)
    book.update(A)
    document = json.loads(file.read_text())
    document["mcpServers"]["by hand"] = {"command": "y"}
    file.write_text(json.dumps(document))
    book.allow("a")
    assert "by hand" in json.loads(file.read_text())["mcpServers"]


def test_comments_are_read_and_stay(file: Path) -> None:
    file.parent.mkdir()
    text = '{\n // my servers\n "mcpServers": {"a": {"command": "x", "args": ["1"],}}}'
    file.write_text(text)
    book = read(file)
    assert book.configs == {"a": A} and book.fault is None
    book.allow("a")
    mark = A.fingerprint()
    assert file.read_text() == text[:-1] + f',\n "allowed": {{\n  "a": "{mark}"\n }}}}'
    assert read(file).is_allowed("a")
    assert list(file.parent.glob("mcp.broken-*.json")) == []


def test_an_entry_that_changes_keeps_its_comments(file: Path) -> None:
    file.parent.mkdir()
    text = '\ufeff{"mcpServers": {\r\n\t"a": {"command": "y", /* why */ "args": ["1"]},\r\n'
    text += '}, "mine": 1.0}'
    file.write_bytes(text.encode())
    read(file).update(A)
    document = text.replace('"y"', '"x"').replace(' "mine": 1.0', ' "mine": 1.0, "allowed": {}')
    assert file.read_bytes().decode() == document


def test_a_symbolic_link_stays_a_link(file: Path, tmp_path: Path) -> None:
    target = tmp_path / "dotfiles.json"
    target.write_text("{}")
    file.parent.mkdir()
    file.symlink_to(target)
    read(file).update(A)
    assert file.is_symlink() and "mcpServers" in target.read_text()


def test_an_empty_table_is_no_error(file: Path) -> None:
    file.parent.mkdir()
    file.write_text(json.dumps({"mcpServers": {}, "allowed": []}))
    assert read(file).configs == {}


def test_a_folder_that_can_not_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")
    faults: list[KnownError] = []
    book = ServerConfigFile(tmp_path / "home" / "mcp.json", on_fault=faults.append)
    book.read()
    book.update(A)
    assert [type(fault) for fault in faults] == [SettingsNotSaved]
    assert book.configs == {"a": A}
