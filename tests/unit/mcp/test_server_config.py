"""MCP servers as people and programs write them."""

import json

import pytest

from neodeskpet.mcp.mcp_errors import ConfigUnread
from neodeskpet.mcp.server_config import ServerConfig, read_servers, read_toml, write_servers

TIME = {"command": "uvx", "args": ["mcp-server-time"]}
TIME_READ = ServerConfig("time", "uvx", ("mcp-server-time",))


@pytest.mark.parametrize(
    "document",
    [
        {"mcpServers": {"time": TIME}},
        {"servers": {"time": {"type": "stdio", **TIME}}},
        {"editor.fontSize": 12, "mcp": {"servers": {"time": TIME}}},
        {"context_servers": {"time": {"source": "custom", **TIME}}},
        {"context_servers": {"time": {"command": {"path": "uvx", "args": ["mcp-server-time"]}}}},
        {"mcp": {"time": {"type": "local", "command": ["uvx", "mcp-server-time"]}}},
        {"time": TIME},
    ],
)
def test_the_tables_of_several_programs_are_read(document: object) -> None:
    assert read_servers(json.dumps(document)) == [TIME_READ]


def test_examples_of_readmes_are_read_with_comments_and_without_braces() -> None:
    text = """
    // put this into your settings
    "time": {
      "command": "uvx", /* from uv */
      "args": ["mcp-server-time", "--url=https://example.com//x",],
    },
    """
    (server,) = read_servers(text.replace("// put this into your settings", ""))
    assert server.args == ("mcp-server-time", "--url=https://example.com//x")
    assert read_servers('// hi\n{"mcpServers": {"time": {"command": "uvx", "args": [],}}}') == [
        ServerConfig("time", "uvx")
    ]


def test_all_settings_of_a_server_are_read() -> None:
    (local, remote, old) = read_servers(
        json.dumps(
            {
                "mcpServers": {
                    "local": {
                        "command": "node",
                        "args": ["a.js", 3],
                        "env": {"PORT": 8080, "LOUD": True, "NONE": None},
                        "cwd": "/srv",
                        "disabled": True,
                    },
                    "remote": {"type": "http", "url": "https://a.b/mcp", "headers": {"X": "y"}},
                    "old": {"type": "sse", "url": "https://a.b/sse", "enabled": False},
                    "prose": "no server",
                }
            }
        )
    )
    assert local == ServerConfig(
        "local", "node", ("a.js", "3"), {"PORT": "8080", "LOUD": "true"}, "/srv", on=False
    )
    assert (remote.transport, remote.url) == ("http", "https://a.b/mcp")
    assert remote.headers == {"X": "y"}
    assert (old.transport, old.on) == ("sse", False)


@pytest.mark.parametrize(
    ("line", "name", "words"),
    [
        (
            "uvx mcp-server-time --local-timezone=UTC",
            "time",
            ("mcp-server-time", "--local-timezone=UTC"),
        ),
        (
            "npx -y @modelcontextprotocol/server-everything",
            "everything",
            ("-y", "@modelcontextprotocol/server-everything"),
        ),
        ("npx -y @scope/weather-mcp@latest", "weather", ("-y", "@scope/weather-mcp@latest")),
        ("python3 -m mcp_server_git", "git", ("-m", "mcp_server_git")),
        ("docker run -i mcp/fetch", "fetch", ("run", "-i", "mcp/fetch")),
        ("$ /opt/my-server.exe 'a b'", "my-server", ("a b",)),
    ],
)
def test_a_command_is_read_and_named_after_its_program(
    line: str, name: str, words: tuple[str, ...]
) -> None:
    (server,) = read_servers(line)
    assert (server.name, server.args) == (name, words)


def test_variables_before_a_command_are_its_environment() -> None:
    (server,) = read_servers("TOKEN=abc MODE='a b' uvx thing")
    assert server.command == "uvx"
    assert server.env == {"TOKEN": "abc", "MODE": "a b"}


def test_an_address_is_a_web_server() -> None:
    (server,) = read_servers("https://mcp.example.com/mcp")
    assert server == ServerConfig("example", url="https://mcp.example.com/mcp", transport="http")
    assert read_servers("http://127.0.0.1:3000/mcp")[0].name == "127"


def test_a_lone_entry_gets_a_name() -> None:
    assert read_servers(json.dumps(TIME)) == [TIME_READ]


def test_toml_is_read() -> None:
    text = '[mcp_servers.time]\ncommand = "uvx"\nargs = ["mcp-server-time"]\n'
    assert read_servers(text) == read_toml(text) == [TIME_READ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("  ", "It is empty."),
        ("{", "It isn't JSON."),
        ("[1, 2]", "It isn't a table of servers."),
        ("[a]\nb = ", "It isn't TOML."),
        ('{"a": 1}', "It contains no server with a command or an address."),
        (
            '{"mcpServers": {"a": {"url": "file:///etc/passwd"}}}',
            "It contains no server with a command or an address.",
        ),
        ("it's", "It isn't a command."),
        ("two\nlines", "It isn't JSON."),
        ("{" * 100 + "}" * 100, "It is nested too deeply."),
        ('{"command": "a\\u0000b"}', "A value in it is too long."),
    ],
)
def test_invalid_entries_are_refused_with_a_reason(text: str, reason: str) -> None:
    with pytest.raises(ConfigUnread) as refused:
        read_servers(text)
    assert refused.value.params["reason"] == reason


def test_a_written_entry_is_read_again() -> None:
    servers = [
        ServerConfig("a", "x", ("1",), {"K": "v"}, "/tmp", on=False),
        ServerConfig("b", url="https://b.c/d", headers={"H": "i"}, transport="sse"),
    ]
    assert read_servers(json.dumps(write_servers(servers))) == servers


def test_the_fingerprint_is_that_of_the_started_command() -> None:
    config = ServerConfig("a", "x", ("1",), {"K": "v"})
    same = ServerConfig("b", "x", ("1",), {"K": "v"}, on=False)
    others = [
        ServerConfig("a", "y", ("1",), {"K": "v"}),
        ServerConfig("a", "x", ("2",), {"K": "v"}),
        ServerConfig("a", "x", ("1",), {"K": "w"}),
        ServerConfig("a", "x", ("1",), {"K": "v"}, "/"),
    ]
    assert same.fingerprint() == config.fingerprint()
    assert config.fingerprint() not in {one.fingerprint() for one in others}
