"""The HTTP port for other programs runs while it is enabled; a failure is shown."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path

from neodeskpet.app.external_api import HttpApiServer
from neodeskpet.external_api.local_protocol import OfferedTool, ToolAnswer
from neodeskpet.settings.store import SettingsStore


class Empty:
    async def tools(self) -> Sequence[OfferedTool]:
        return []

    async def call(self, who: str, tool: str, arguments: Mapping[str, object]) -> ToolAnswer:
        return ToolAnswer("")


def test_a_port_in_use_is_reported(tmp_path: Path) -> None:
    async def live(taken: int) -> None:
        settings = SettingsStore(tmp_path / "settings.json")
        gate = HttpApiServer(settings, Empty())
        told: list[str] = []
        gate.subscribe(lambda: told.append(gate.fault))
        settings.change("programs", "port", taken)
        settings.change("programs", "http", True)
        await gate.apply_settings()
        assert (gate.address, gate.fault) == ("", ""), "no token, no port"
        token = gate.make_token()
        assert token not in (tmp_path / "settings.json").read_text()
        await gate.apply_settings()
        assert not gate.address
        assert "in use" in told[-1]
        settings.change("programs", "allowed", False)
        await gate.apply_settings()
        assert not told[-1]
        await gate.aclose()

    with socket.create_server(("127.0.0.1", 0)) as other:
        asyncio.run(live(other.getsockname()[1]))
