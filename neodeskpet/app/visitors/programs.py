"""The settings page's port onto the door and the gate for other programs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from neodeskpet.app.visitors.gate import HttpApiServer
from neodeskpet.paths import data_dir, own_command


class ProgramsAdapter:
    """A `ui.settings.ports.IntegrationsPort`."""

    def __init__(self, home: Path, gate: HttpApiServer) -> None:
        self._home = home
        self._gate = gate

    @property
    def address(self) -> str:
        return self._gate.address

    @property
    def fault(self) -> str:
        return self._gate.fault

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        return self._gate.subscribe(observer)

    def make_token(self) -> str:
        return self._gate.make_token()

    def started(self) -> str:
        command, *before = own_command()
        usual = data_dir() == self._home
        folder = [] if usual else ["--data-dir", str(self._home)]
        return _server_config({"command": command, "args": [*before, "mcp", *folder]})

    def reached(self, token: str) -> str:
        headers = {"Authorization": f"Bearer {token}"}
        return _server_config({"type": "http", "url": self._gate.address, "headers": headers})


def _server_config(entry: dict[str, object]) -> str:
    fields = json.dumps(entry, ensure_ascii=False)
    return f'{{\n  "mcpServers": {{\n    "neodeskpet": {fields}\n  }}\n}}'
