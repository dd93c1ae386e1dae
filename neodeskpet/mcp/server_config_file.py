"""The configured servers, in `mcp.json`: the usual table, and which of them are allowed.

The user allows a server in the form that they saw: another command, argument or variable needs a
new permission. The file has placeholders instead of keys. People edit the file by hand: changes are
merged into its current content, and everything else in it stays.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from neodeskpet.core.errors import KnownError, SettingsError
from neodeskpet.core.i18n import N_
from neodeskpet.core.json_text import JsonPath as Way
from neodeskpet.core.json_text import json_layout, path_text, plain_json
from neodeskpet.language import tr
from neodeskpet.mcp.mcp_errors import ConfigUnread
from neodeskpet.mcp.server_config import MOST_SERVERS, ServerConfig, read_entry, read_lenient
from neodeskpet.platform.private_files import FileWriter, ImmediateWriter
from neodeskpet.settings.config_files import ConfigFile, SettingsNotSaved

_log = logging.getLogger(__name__)

FILE_NAME = "mcp.json"
_LIMIT = 8_000_000
_TABLE, _ALLOWED = "mcpServers", "allowed"
_MANAGED = ("command", "args", "env", "cwd", "url", "headers", "type", "disabled")
"""The keys of an entry that are written here. `_OTHER_NAMES` are the equivalents of other
programs.
"""
_OTHER_NAMES = ("serverUrl", "httpUrl", "environment", "http_headers", "transport", "enabled")


class ServersBroken(SettingsError):
    code = "mcp_file_broken"
    what = N_("The MCP servers in {file} can't be read, so none is used.")
    hint = N_("Correct the file. It is copied before it is overwritten.")


class ServersRestored(ServersBroken):
    code = "mcp_file_restored"
    what = N_("The MCP servers in {file} can't be read, so the last good copy is used.")


class EntriesUnread(SettingsError):
    code = "mcp_entries_unread"
    what = N_("Some entries in {file} can't be used as MCP servers. They stay in the file.")
    hint = N_("Correct them there.")


class ServerConfigFile:
    """The servers by name, in order; each change is saved. Call `read` first. `fault` is the
    problem with the file, None if there is none.
    """

    def __init__(
        self,
        path: Path,
        writer: FileWriter | None = None,
        on_fault: Callable[[KnownError], None] | None = None,
    ) -> None:
        """`on_fault` is called on the loop if reading or writing fails."""
        self._path = path
        self._file = ConfigFile(path, _LIMIT)
        self._writer = writer or ImmediateWriter()
        self._on_fault = on_fault
        self.fault: KnownError | None = None
        self.configs: dict[str, ServerConfig] = {}
        self._allowed: dict[str, str] = {}

    def read(self) -> None:
        """Read the file, or its last good copy if it can't be read."""
        try:
            text = self._file.read()
            document = _document(text)
        except (FileNotFoundError, NotADirectoryError):
            return
        except (OSError, ValueError) as error:
            self._recover(str(error))
            return
        self._take(document, text)
        self._file.save_good_copy(text)

    def _recover(self, reason: str) -> None:
        good = self._file.good_copy()
        kind = ServersBroken
        if good is not None:
            try:
                self._take(_document(good), good)
                kind = ServersRestored
            except ValueError:
                _log.warning("The last good copy of %s can't be read", self._path)
        self._tell(kind(reason, file=str(self._path)))

    def _take(self, document: Mapping[str, Any], text: str) -> None:
        """Use the servers of the document that `text` contains."""
        table = document.get(_TABLE)
        entries = list(table.items()) if isinstance(table, dict) else []
        faults: list[tuple[Way, str]] = []
        if not isinstance(table, dict | None):
            faults.append(((_TABLE,), tr("not a table")))
        self.configs = {}
        for name, entry in entries:
            if len(self.configs) >= MOST_SERVERS:
                left = str(len(entries) - MOST_SERVERS)
                faults.append(((_TABLE, name), tr("{count} more than allowed", count=left)))
                break
            config = _read(name, entry)
            if isinstance(config, ServerConfig):
                self.configs[config.name] = config
            else:
                faults.append(((_TABLE, name), config))
        allowed = document.get(_ALLOWED)
        if isinstance(allowed, Mapping):
            self._allowed = {str(name): str(mark) for name, mark in allowed.items()}
        if faults:
            layout = json_layout(plain_json(text))
            lines = [
                f"{tr('line {line}', line=str(layout.line(way)))}, {path_text(way)}: {reason}"
                for way, reason in faults
            ]
            self._tell(EntriesUnread("\n".join(lines), file=str(self._path)))

    def _tell(self, fault: KnownError) -> None:
        _log.warning("%s", fault)
        self.fault = fault
        if self._on_fault is not None:
            self._writer.tell(partial(self._on_fault, fault))

    def is_allowed(self, name: str) -> bool:
        """Return whether the user allowed the current configuration."""
        return self._allowed.get(name) == self.configs[name].fingerprint()

    def allow(self, name: str) -> None:
        self._allowed = {**self._allowed, name: self.configs[name].fingerprint()}
        self._save()

    def update(self, config: ServerConfig) -> None:
        """Add the server, or replace the one with the same name."""
        self.configs = {**self.configs, config.name: config}
        self._save()

    def delete(self, name: str) -> None:
        self.configs = {key: one for key, one in self.configs.items() if key != name}
        self._allowed = {key: mark for key, mark in self._allowed.items() if key != name}
        self._save(removed=name)

    def free_name(self, wanted: str) -> str:
        """Return `wanted`, with a number if the name is taken."""
        name, number = wanted, 2
        while name in self.configs:
            name, number = f"{wanted} {number}", number + 1
        return name

    def _save(self, removed: str = "") -> None:
        self._writer.run(partial(self._write, dict(self.configs), dict(self._allowed), removed))

    def _write(
        self, configs: Mapping[str, ServerConfig], allowed: Mapping[str, str], removed: str
    ) -> None:
        try:
            before, document = self._present()
            table = document.get(_TABLE)
            if not isinstance(table, dict):
                table = document[_TABLE] = {}
            for name in [one for one in table if one.strip()[:100] == removed]:
                del table[name]
            for config in configs.values():
                _put(table, config)
            document[_ALLOWED] = {name: mark for name, mark in allowed.items() if name in configs}
            text = self._file.write_values(before, document)
        except OSError as error:
            fault = SettingsNotSaved(str(error), file=str(self._path))
            _log.warning("%s", fault)
            if self._on_fault is not None:
                self._writer.tell(partial(self._on_fault, fault))
            return
        self._file.save_good_copy(text)

    def _present(self) -> tuple[str, dict[str, Any]]:
        """Return the file's text and document. An unreadable file is copied aside.

        Raises OSError.
        """
        try:
            text = self._file.read()
            return text, _document(text)
        except (FileNotFoundError, NotADirectoryError):
            return "", {}
        except ValueError:
            self._file.copy_broken()
            return "", {}


def _document(text: str) -> dict[str, Any]:
    """Parse the document. Raises ValueError with the line and the reason."""
    document = read_lenient(text) if text.strip() else {}
    if not isinstance(document, dict):
        raise ValueError(tr("line {line}", line="1") + ": {")
    return document


def _read(name: str, entry: object) -> ServerConfig | str:
    """Return the server, or why the entry is invalid."""
    if not isinstance(entry, Mapping):
        return tr("not a table")
    try:
        return read_entry(name, entry)
    except ConfigUnread as error:
        return tr(error.params.get("reason", error.what))


def _put(table: dict[str, Any], config: ServerConfig) -> None:
    """Put a server into the table. An equivalent entry stays as it was written."""
    name = next((one for one in table if one.strip()[:100] == config.name), config.name)
    before = table.get(name)
    if isinstance(before, Mapping):
        if _read(name, before) == config:
            return
        kept = {k: v for k, v in before.items() if k not in (*_MANAGED, *_OTHER_NAMES)}
        table[name] = {**config.as_json(), **kept}
    else:
        table[name] = config.as_json()
