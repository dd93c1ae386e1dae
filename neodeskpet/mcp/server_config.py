"""The configuration of an MCP server, and the formats in which people and other programs write it.

The usual format is `{"mcpServers": {NAME: {"command": …, "args": […], "env": {…}}}}`. Others name
the table differently, omit the frame, contain comments, or use TOML; and a user may paste just a
command or an address. Pure: nothing is looked up here.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import PurePosixPath, PureWindowsPath
from typing import Literal, cast
from urllib.parse import urlsplit

from neodeskpet.core.i18n import N_
from neodeskpet.core.json_text import nests_deeper, plain_json, read_json
from neodeskpet.mcp.mcp_errors import ConfigUnread

Transport = Literal["stdio", "http", "sse"]

MOST_SERVERS = 100
"""Most servers that are read at once."""
_LONGEST = 32_000
"""Most characters of one value; the limits of the systems are not higher."""

_TABLES = (
    ("mcpServers",),
    ("servers",),
    ("mcp", "servers"),
    ("mcp", "mcpServers"),
    ("mcp_servers",),
    ("context_servers",),
    ("mcp",),
)
"""The tables in which programs store servers: the usual one, VS Code, its settings, Codex, Zed,
opencode.
"""


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """One server. `command` is a local program, else `url` is an address. Keys in `env` and
    `headers` may be placeholders (`secret_placeholders.py`). A server that is not `on` isn't
    started.
    """

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str = ""
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    transport: Transport = "stdio"
    on: bool = True

    def fingerprint(self) -> str:
        """Return a digest of command, arguments, variables and address. The server's name and
        whether it is on don't count.
        """
        what = {key: value for key, value in asdict(self).items() if key not in ("name", "on")}
        return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()

    def as_json(self) -> dict[str, object]:
        """Return the entry for a table of servers."""
        out: dict[str, object] = {}
        if self.command:
            out = {"command": self.command, "args": list(self.args)}
        else:
            out = {"type": self.transport, "url": self.url}
        for key in ("env", "cwd", "headers"):
            if value := getattr(self, key):
                out[key] = dict(value) if isinstance(value, Mapping) else value
        if not self.on:
            out["disabled"] = True
        return out


def read_servers(text: str) -> list[ServerConfig]:
    """Return the servers that `text` describes, each name once. Raises ConfigUnread with the
    reason.
    """
    text = text.strip().lstrip("\ufeff")
    if not text:
        raise ConfigUnread(reason=N_("It is empty."))
    if text[0] in '{["' or text.startswith(("//", "/*")):
        return _from_document(_read_document(text))
    if "=" in text and text.lstrip().startswith("["):
        return _from_document(_read_toml(text))
    return [_from_line(text)]


def read_toml(text: str) -> list[ServerConfig]:
    """Return the servers of a TOML file. Raises ConfigUnread."""
    return _from_document(_read_toml(text))


def write_servers(configs: Iterable[ServerConfig]) -> dict[str, object]:
    """Return the servers in the usual format."""
    return {"mcpServers": {one.name: one.as_json() for one in configs}}


# Documents


def read_lenient(text: str) -> object:
    """Read JSON with comments and trailing commas. Raises ValueError with the line of the fault."""
    try:
        return read_json(plain_json(text))
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno}: {error.msg}") from error


def read_entry(name: str, entry: Mapping[str, object]) -> ServerConfig:
    """Read one entry of a table of servers. Raises ConfigUnread."""
    return _from_entry(name, entry)


def _read_document(text: str) -> object:
    """Read JSON with comments and trailing commas; examples in READMEs may lack the outer
    braces.
    """
    if text.startswith('"'):
        text = "{" + text.rstrip(",") + "}"
    if nests_deeper(text):
        raise ConfigUnread(reason=N_("It is nested too deeply."))
    try:
        return read_lenient(text)
    except ValueError as error:
        if text.startswith("[") and "=" in text:
            return _read_toml(text)
        raise ConfigUnread(str(error), reason=N_("It isn't JSON.")) from None


def _read_toml(text: str) -> object:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigUnread(str(error), reason=N_("It isn't TOML.")) from None


def _from_document(document: object) -> list[ServerConfig]:
    if not isinstance(document, Mapping):
        raise ConfigUnread(reason=N_("It isn't a table of servers."))
    for way in _TABLES:
        found = _follow(document, way)
        if isinstance(found, Mapping) and _has_servers(found):
            return _from_table(found)
    if _is_server(document):
        return [_from_entry("", document)]
    if _has_servers(document):
        return _from_table(document)
    raise ConfigUnread(reason=N_("It contains no server with a command or an address."))


def _follow(document: Mapping[str, object], way: tuple[str, ...]) -> object:
    found: object = document
    for step in way:
        found = found.get(step) if isinstance(found, Mapping) else None
    return found


def _is_server(value: object) -> bool:
    return isinstance(value, Mapping) and any(
        key in value for key in ("command", "url", "serverUrl", "httpUrl")
    )


def _has_servers(table: Mapping[str, object]) -> bool:
    return any(_is_server(one) for one in table.values())


def _from_table(table: Mapping[str, object]) -> list[ServerConfig]:
    return [
        _from_entry(str(name), cast("Mapping[str, object]", entry))
        for name, entry in list(table.items())[:MOST_SERVERS]
        if _is_server(entry)
    ]


def _from_entry(name: str, entry: Mapping[str, object]) -> ServerConfig:
    command, args = _command(entry)
    url = next((_text(entry[key]) for key in ("url", "serverUrl", "httpUrl") if key in entry), "")
    config = ServerConfig(
        name=name.strip()[:100],
        command=command,
        args=args,
        env=_pairs(entry.get("env", entry.get("environment"))),
        cwd=_text(entry.get("cwd", "")),
        url="" if command else url.strip(),
        headers=_pairs(entry.get("headers", entry.get("http_headers"))),
        transport=_transport(entry, bool(command)),
        on=entry.get("disabled") is not True and entry.get("enabled") is not False,
    )
    return with_name(config) if not config.name else _checked(config)


def _command(entry: Mapping[str, object]) -> tuple[str, tuple[str, ...]]:
    """Return the program and its arguments; some formats write both as one list, or the program as
    an object.
    """
    command = entry.get("command", "")
    if isinstance(command, Mapping):
        return _command({"args": command.get("args", ()), "command": command.get("path", "")})
    rest = entry.get("args", ())
    words = [_text(one) for one in rest] if isinstance(rest, list | tuple) else [_text(rest)]
    if isinstance(command, list):
        first, *more = [_text(one) for one in command] or [""]
        return first, (*more, *words)
    return _text(command).strip(), tuple(words)


def _transport(entry: Mapping[str, object], has_command: bool) -> Transport:
    if has_command:
        return "stdio"
    kind = str(entry.get("type", entry.get("transport", ""))).casefold()
    return "sse" if kind == "sse" else "http"


def _pairs(value: object) -> dict[str, str]:
    if not isinstance(value, Mapping):
        return {}
    return {_text(name): _text(one) for name, one in value.items() if one is not None}


def _text(value: object) -> str:
    """Return a value as text; numbers and booleans as in JSON."""
    text = value if isinstance(value, str) else json.dumps(value)
    if len(text) > _LONGEST or "\0" in text:
        raise ConfigUnread(reason=N_("A value in it is too long."))
    return text


# A line, or the fields of a form


def from_form(name: str, line: str, variables: str, folder: str) -> ServerConfig:
    """Read the fields of a form: `line` is a command or an address, `variables` are lines
    `NAME=value` (for an address its headers, `Name: value`). Raises ConfigUnread.
    """
    if not line.strip():
        raise ConfigUnread(reason=N_("It is empty."))
    read = _from_line(line.strip())
    pairs = dict(_read_pair(one) for one in variables.splitlines() if one.strip())
    if read.url:
        return replace(read, name=name.strip() or read.name, headers=pairs)
    env = {**read.env, **pairs}
    return replace(read, name=name.strip() or read.name, env=env, cwd=folder.strip())


def command_line_of(config: ServerConfig) -> str:
    """Return the command with its arguments, or the address, in the form that `from_form` reads."""
    return config.url or shlex.join((config.command, *config.args))


def variable_lines_of(config: ServerConfig) -> str:
    """Return the variables or headers, in the form that `from_form` reads."""
    if config.url:
        return "\n".join(f"{name}: {value}" for name, value in config.headers.items())
    return "\n".join(f"{name}={value}" for name, value in config.env.items())


def _read_pair(line: str) -> tuple[str, str]:
    found = re.match(r"\s*([^\s=:]+)\s*[=:]\s*(.*)$", line)
    if found is None:
        raise ConfigUnread(line[:100], reason=N_("Write one variable per line: NAME=value."))
    return found[1], found[2].strip()


def _from_line(text: str) -> ServerConfig:
    """Read a pasted command or address."""
    if "\n" in text or len(text) > _LONGEST:
        raise ConfigUnread(reason=N_("It isn't JSON."))
    if re.match(r"https?://\S+$", text, re.IGNORECASE):
        return with_name(ServerConfig("", url=text, transport="http"))
    words = _split_words(text.removeprefix("$ "))
    env: dict[str, str] = {}
    while words and (pair := re.match(r"([A-Za-z_]\w*)=(.*)", words[0], re.DOTALL)):
        env[pair[1]] = pair[2]
        del words[0]
    if not words or not re.match(r"[\w@./~:\\-]+$", words[0]):
        raise ConfigUnread(reason=N_("It isn't a command."))
    return with_name(ServerConfig("", command=words[0], args=tuple(words[1:]), env=env))


def _split_words(text: str) -> list[str]:
    """Split a command line as a shell does; Windows paths keep their backslashes."""
    lexer = shlex.shlex(text, posix=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    if re.search(r"\b[A-Za-z]:\\", text):
        lexer.escape = ""
    try:
        return list(lexer)
    except ValueError as error:
        raise ConfigUnread(str(error), reason=N_("It isn't a command.")) from None


def with_name(config: ServerConfig) -> ServerConfig:
    """Return `config` with a name, derived from its package or host if it has none."""
    return _checked(replace(config, name=config.name or _guess_name(config)))


def _guess_name(config: ServerConfig) -> str:
    if config.url:
        host = urlsplit(config.url).hostname or ""
        parts = [one for one in host.split(".") if one not in ("www", "mcp", "api", "com")]
        return parts[0] if parts else "server"
    words = [one for one in config.args if one and not one.startswith("-")]
    runner = _base(config.command) in ("npx", "uvx", "bunx", "pipx", "uv", "docker", "node")
    python = _base(config.command).startswith("python")
    package = next((one for one in words if one != "run"), "") if runner or python else ""
    name = _base((package or config.command).split("@latest")[0])
    name = re.sub(r"^(?:mcp[-_]server[-_]|server[-_]|mcp[-_])|[-_]mcp(?:[-_]server)?$", "", name)
    return re.sub(r"[@=<>].*$", "", name) or "server"


def _base(path: str) -> str:
    name = PureWindowsPath(PurePosixPath(path).name).name
    return re.sub(r"\.(exe|cmd|bat|py|js|mjs|ts)$", "", name, flags=re.IGNORECASE)


def _checked(config: ServerConfig) -> ServerConfig:
    if not config.command and not re.match(r"https?://[^/\s]+", config.url, re.IGNORECASE):
        raise ConfigUnread(reason=N_("It contains no server with a command or an address."))
    return config
