"""Finds MCP servers in the configurations of other programs on this computer. It runs when the user
asks for it, and only offers the servers: nothing is added, changed or started.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from neodeskpet.mcp.mcp_errors import ConfigUnread
from neodeskpet.mcp.server_config import ServerConfig, read_servers, read_toml
from neodeskpet.platform.private_files import NotRegular, TooLarge, read_regular

_log = logging.getLogger(__name__)

_MOST_BYTES = 20_000_000

_AT_HOME = (
    ("Claude Code", ".claude.json"),
    ("Cursor", ".cursor/mcp.json"),
    ("Windsurf", ".codeium/windsurf/mcp_config.json"),
    ("Gemini CLI", ".gemini/settings.json"),
    ("Qwen Code", ".qwen/settings.json"),
    ("Codex", ".codex/config.toml"),
    ("Kiro", ".kiro/settings/mcp.json"),
    ("LM Studio", ".lmstudio/mcp.json"),
    ("opencode", ".config/opencode/opencode.json"),
    ("Zed", ".config/zed/settings.json"),
)
_AMONG_SETTINGS = (
    ("Claude Desktop", "Claude/claude_desktop_config.json"),
    ("VS Code", "Code/User/mcp.json"),
    ("VS Code", "Code/User/settings.json"),
    ("VSCodium", "VSCodium/User/mcp.json"),
    ("Trae", "Trae/User/mcp.json"),
    ("Cline", "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
)


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A server that `program` has in `file`."""

    program: str
    file: Path
    config: ServerConfig


def settings_folder(home: Path, platform: str, environ: Mapping[str, str]) -> Path:
    """Return the folder in which programs store their settings on this system."""
    if platform == "win32":
        return Path(environ.get("APPDATA") or home / "AppData/Roaming")
    if platform == "darwin":
        return home / "Library/Application Support"
    return Path(environ.get("XDG_CONFIG_HOME") or home / ".config")


def config_file_places(
    home: Path, platform: str, environ: Mapping[str, str]
) -> list[tuple[str, Path]]:
    """Return the configuration files to check, each with its program."""
    folder = settings_folder(home, platform, environ)
    return [
        *((program, folder / file) for program, file in _AMONG_SETTINGS),
        *((program, home / file) for program, file in _AT_HOME),
    ]


def find_servers(
    home: Path | None = None,
    platform: str = sys.platform,
    environ: Mapping[str, str] | None = None,
) -> Sequence[FoundServer]:
    """Return the servers of all programs; a file that can't be read is skipped. Reads files: call
    it in a thread.
    """
    where = config_file_places(
        home or Path.home(), platform, os.environ if environ is None else environ
    )
    return [
        FoundServer(program, file, config)
        for program, file in where
        for config in _servers_in(file)
    ]


def _servers_in(file: Path) -> Sequence[ServerConfig]:
    try:
        return read_file(file)
    except FileNotFoundError:
        return []
    except (OSError, ConfigUnread) as error:
        _log.info("No servers of tools in %s: %s", file, error)
        return []


def read_file(file: Path) -> Sequence[ServerConfig]:
    """Return the servers in a file. Raises OSError or ConfigUnread."""
    try:
        text = read_regular(file, _MOST_BYTES).decode("utf-8", "replace")
    except (NotRegular, TooLarge):
        raise ConfigUnread(file.name) from None
    return read_toml(text) if file.suffix == ".toml" else read_servers(text)
