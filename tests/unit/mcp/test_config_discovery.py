"""MCP servers in the settings of other programs."""

import json
import os
from pathlib import Path

import pytest

from neodeskpet.mcp.config_discovery import (
    config_file_places,
    find_servers,
    read_file,
    settings_folder,
)
from neodeskpet.mcp.mcp_errors import ConfigUnread

TABLE = json.dumps({"mcpServers": {"time": {"command": "uvx", "args": ["mcp-server-time"]}}})


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def test_installed_programs_are_found(tmp_path: Path) -> None:
    write(tmp_path / ".config/Claude/claude_desktop_config.json", TABLE)
    write(tmp_path / ".cursor/mcp.json", '{"mcpServers": {"a": {"url": "https://a.b"}}}')
    write(tmp_path / ".codex/config.toml", '[mcp_servers.git]\ncommand = "uvx"\n')
    write(tmp_path / ".gemini/settings.json", '{"theme": "dark"}')
    write(tmp_path / ".qwen/settings.json", "{broken")
    (tmp_path / ".kiro/settings/mcp.json").mkdir(parents=True)
    found = find_servers(tmp_path, "linux", {})
    assert [(one.program, one.config.name) for one in found] == [
        ("Claude Desktop", "time"),
        ("Cursor", "a"),
        ("Codex", "git"),
    ]
    assert found[0].file == tmp_path / ".config/Claude/claude_desktop_config.json"


def test_each_system_has_its_own_folder() -> None:
    home = Path("/h")
    assert settings_folder(home, "darwin", {}) == home / "Library/Application Support"
    assert settings_folder(home, "win32", {"APPDATA": "/roam"}) == Path("/roam")
    assert settings_folder(home, "win32", {}) == home / "AppData/Roaming"
    assert settings_folder(home, "linux", {"XDG_CONFIG_HOME": "/x"}) == Path("/x")
    assert ("Cursor", home / ".cursor/mcp.json") in config_file_places(home, "linux", {})


def test_only_files_are_read(tmp_path: Path) -> None:
    file = tmp_path / "servers.json"
    write(file, "\ufeff" + TABLE)
    assert [one.name for one in read_file(file)] == ["time"]
    os.mkfifo(tmp_path / "pipe")
    handle = os.open(tmp_path / "pipe", os.O_RDWR)
    try:
        with pytest.raises(ConfigUnread):
            read_file(tmp_path / "pipe")
    finally:
        os.close(handle)
    with pytest.raises(OSError):
        read_file(tmp_path / "none.json")
