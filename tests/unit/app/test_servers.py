"""The page of MCP servers and its service."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from neodeskpet.app.engine import Engine
from neodeskpet.app.mcp_servers import ServersAdapter
from neodeskpet.core.grant_scope import Grant
from neodeskpet.core.tool_settings import ToolRule
from neodeskpet.mcp.config_discovery import FoundServer
from neodeskpet.mcp.mcp_errors import ConfigUnread
from neodeskpet.mcp.server import ServerState
from neodeskpet.mcp.server_config import ServerConfig
from tests.unit.app.engines import with_engine

ECHO = ServerConfig("echo", "no-such-program", ("a",))
TOOL = "mcp%20echo/mcp.echo.say"


def trust(engine: Engine) -> None:
    settings = engine.settings
    settings.change("mode", "always_allowed", (Grant(TOOL), Grant("note.add")))
    settings.change("mode", "tool_rules", {TOOL: ToolRule(), "note.add": ToolRule()})
    settings.change("mode", "source_rules", {"mcp echo": ToolRule(), "mcp echo 2": ToolRule()})
    settings.change("mode", "met_tools", {"mcp echo": (TOOL,)})


def trusted(engine: Engine) -> list[object]:
    mode = engine.settings.settings.mode
    return [
        *(grant.tool for grant in mode.always_allowed),
        *mode.tool_rules,
        *mode.source_rules,
        *mode.met_tools,
    ]


OTHERS = ["note.add", "note.add", "mcp echo 2"]


def test_permissions_are_removed_with_the_server(tmp_path: Path) -> None:
    async def work(engine: Engine) -> None:
        port = ServersAdapter(engine)
        await port.add([ECHO])
        trust(engine)
        await port.change(ECHO)
        assert TOOL in trusted(engine)
        await port.change(ServerConfig("echo", "another-program"))
        assert trusted(engine) == OTHERS
        trust(engine)
        await port.remove("echo")
        assert trusted(engine) == OTHERS
        assert port.servers() == []

    with_engine(tmp_path, work)


def test_a_server_is_allowed_switched_and_restarted(tmp_path: Path) -> None:
    async def work(engine: Engine) -> None:
        port = ServersAdapter(engine)
        heard: list[int] = []
        port.subscribe(lambda: heard.append(1))
        await port.add([ECHO])
        await port.switch("echo", False)
        assert port.servers()[0].state is ServerState.OFF
        await port.allow("echo")
        await port.restart("echo")
        assert port.servers()[0].state is ServerState.OFF
        assert heard

    with_engine(tmp_path, work)


def test_files_and_other_programs_are_read_separately(tmp_path: Path) -> None:
    async def work(engine: Engine) -> None:
        found = [FoundServer("Zed", tmp_path, ECHO)]
        port = ServersAdapter(engine, find=lambda: found)
        assert await port.find() == found
        assert [one.name for one in await port.read_file(file)] == ["a"]
        with pytest.raises(ConfigUnread, match="none"):
            await port.read_file(tmp_path / "none.json")

    file = tmp_path / "some.json"
    file.write_text(json.dumps({"mcpServers": {"a": {"command": "x"}}}))
    with_engine(tmp_path / "home", work)
