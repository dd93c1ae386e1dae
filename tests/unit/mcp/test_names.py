"""Names of foreign tools, of programs and of packages; and when a server is restarted."""

import itertools

import pytest

from neodeskpet.core.toolspec import wire_name
from neodeskpet.mcp.server_connection import Backoff
from neodeskpet.mcp.server_environment import package_of, program_of
from neodeskpet.mcp.server_tools import free_name, server_part, tool_name


def test_an_ordinary_name_is_unchanged() -> None:
    assert tool_name("time", "get_current_time") == "mcp.time.get_current_time"
    assert tool_name("my-server", "files.read") == "mcp.my-server.files.read"


def test_tool_names_are_unique_over_all_servers() -> None:
    servers = ["a", "a.b", "a b", "a_b", "天气", "股票", "", "x" * 40, "x" * 41]
    tools = ["b", "b.c", "b c", "b_c", "查询", "搜索", "", "y" * 90, "y" * 91, "a/b", "note.add"]
    names = [tool_name(*pair) for pair in itertools.product(servers, tools)]
    assert len(set(names)) == len(names)
    assert all(name.startswith("mcp.") and name.isascii() for name in names)
    assert all("." not in server_part(server) for server in servers)
    assert all(wire_name(name) for name in names)


def test_a_tool_of_ours_is_renamed_in_favour_of_the_servers_own() -> None:
    assert free_name("read_resource", []) == "read_resource"
    assert free_name("read_resource", ["read_resource", "read_resource_"]) == "read_resource__"


@pytest.mark.parametrize(
    ("command", "program", "package"),
    [
        ("npx", "npx", "Node.js (nodejs.org)"),
        ("C:\\Program Files\\nodejs\\npx.cmd", "npx", "Node.js (nodejs.org)"),
        ("/opt/bin/uvx", "uvx", "uv (docs.astral.sh/uv)"),
        ("my-server", "my-server", ""),
    ],
)
def test_the_package_of_a_program(command: str, program: str, package: str) -> None:
    assert (program_of(command), package_of(command)) == (program, package)


def test_a_crashing_server_is_restarted_later_each_time_and_then_not_at_all() -> None:
    backoff = Backoff()
    waits = []
    for _ in range(7):
        backoff = backoff.after(0.5)
        waits.append(backoff.wait)
    assert waits == [1.0, 3.0, 10.0, 30.0, 60.0, None, None]


def test_after_a_long_run_the_count_starts_again() -> None:
    assert Backoff(crashes=5).after(61.0).wait == 1.0
    assert Backoff().wait is None
