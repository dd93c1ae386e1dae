"""The servers that were set up, in `mcp.json`: the usual table, and which of them were allowed.

A server is allowed as it was shown to the person: another command, argument or variable asks
again. Keys aren't in the file; placeholders stand for them.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from neodeskpet.core.errors import KnownError
from neodeskpet.core.json_text import read_json
from neodeskpet.file_thread import AtOnce, Writer
from neodeskpet.files import write_private
from neodeskpet.mcp.config import ServerConfig, read_servers, write_servers
from neodeskpet.mcp.errors import ConfigUnread
from neodeskpet.settings.settings_errors import SettingsNotSaved

_log = logging.getLogger(__name__)

FILE_NAME = "mcp.json"


class ServerBook:
    """The servers by name, in their order; each change is written. Read it before use."""

    def __init__(
        self,
        path: Path,
        writer: Writer | None = None,
        on_fault: Callable[[KnownError], None] | None = None,
    ) -> None:
        """`on_fault` hears, on the loop, what couldn't be written."""
        self._path = path
        self._writer = writer or AtOnce()
        self._on_fault = on_fault
        self.configs: dict[str, ServerConfig] = {}
        self._allowed: dict[str, str] = {}

    def read(self) -> None:
        """From the file. One that can't be read is kept beside (`.broken`)."""
        try:
            text = self._path.read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return
        except OSError as error:
            _log.warning("The MCP servers can't be read: %s", error)
            return
        try:
            document = read_json(text)
            table = document.get("mcpServers") if isinstance(document, dict) else None
            if table:
                self.configs = {one.name: one for one in read_servers(text)}
            allowed = document.get("allowed") if isinstance(document, dict) else None
        except (ValueError, ConfigUnread) as error:
            broken = self._path.with_suffix(self._path.suffix + ".broken")
            self._path.replace(broken)
            _log.warning("The MCP servers can't be read, kept as %s: %s", broken, error)
            return
        if isinstance(allowed, Mapping):
            self._allowed = {str(name): str(mark) for name, mark in allowed.items()}

    def is_allowed(self, name: str) -> bool:
        """Whether the person allowed it as it is now."""
        return self._allowed.get(name) == self.configs[name].fingerprint()

    def allow(self, name: str) -> None:
        self._allowed = {**self._allowed, name: self.configs[name].fingerprint()}
        self._save()

    def put(self, config: ServerConfig) -> None:
        """Add it, or have it instead of that of its name."""
        self.configs = {**self.configs, config.name: config}
        self._save()

    def remove(self, name: str) -> None:
        self.configs = {key: one for key, one in self.configs.items() if key != name}
        self._allowed = {key: mark for key, mark in self._allowed.items() if key != name}
        self._save()

    def free_name(self, wanted: str) -> str:
        """`wanted`, with a number where it is taken."""
        name, number = wanted, 2
        while name in self.configs:
            name, number = f"{wanted} {number}", number + 1
        return name

    def _save(self) -> None:
        self._writer.run(self._write)

    def _write(self) -> None:
        document = {**write_servers(list(self.configs.values())), "allowed": dict(self._allowed)}
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_private(self._path, json.dumps(document, indent=2, ensure_ascii=False))
        except OSError as error:
            fault = SettingsNotSaved(str(error), file=str(self._path))
            _log.warning("%s", fault)
            if self._on_fault is not None:
                self._writer.tell(partial(self._on_fault, fault))
