"""The scope of "always": all calls of a tool, or those within the scope of one call.

A tool declares which of its arguments define the scope, and how they are read. An argument that
can't be read with certainty has no scope: such a call is never covered and always asks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never
from urllib.parse import urlsplit


class ScopeKind(StrEnum):
    """The part of an argument that defines the scope. VALUE: all of it. FOLDER: the folder of a
    file with an absolute path, and its subfolders. HOST: host and port of a web address. UNBOUNDED:
    a call with this argument always asks.
    """

    VALUE = "value"
    FOLDER = "folder"
    HOST = "host"
    UNBOUNDED = "command"
    COMMAND = UNBOUNDED
    """The former name, kept for users' tool files and saved grants: the program of a command line.
    Programs run other programs, so this was no real limit.
    """


@dataclass(frozen=True, slots=True)
class Constraint:
    """`argument` must stay within `value`, read as `reach` defines."""

    argument: str
    reach: ScopeKind
    value: str


@dataclass(frozen=True, slots=True)
class Grant:
    """An "always" of the user for the tool with this id (`ToolSpec.id`), within all `bounds`;
    without bounds, for any arguments. `form` is the digest of a foreign tool at that time
    (`ToolSpec.form`): a tool that its source has changed is not covered. `untrusted`: the answer
    was given while untrusted text was being read, so it also applies while such text is being read.
    """

    tool: str
    bounds: tuple[Constraint, ...] = ()
    form: str = ""
    untrusted: bool = False


class PathUnknown(Exception):
    """The path could not be resolved in time."""


RealPath = Callable[[str], str | None]
"""Resolves a path to an absolute one and follows links; None for a path that no tool would use. May
raise PathUnknown.
"""


def _unresolved(path: str) -> str | None:
    return path


def constraints_of(
    scope: Mapping[str, ScopeKind], arguments: Mapping[str, object], real: RealPath = _unresolved
) -> tuple[Constraint, ...] | None:
    """Return the narrowest bounds of a call; None if its scope is uncertain."""
    bounds = []
    for argument, reach in scope.items():
        if arguments.get(argument) is None:
            continue
        value = read_scope_value(reach, arguments[argument], real)
        if value is None:
            return None
        bounds.append(Constraint(argument, reach, value))
    return tuple(bounds) or None


def covers(granted: tuple[Constraint, ...], asked: tuple[Constraint, ...]) -> bool:
    """Return whether `granted` includes every call within `asked`. Both must bound the same
    arguments.
    """
    wide = {(bound.argument, bound.reach): bound.value for bound in granted}
    narrow = {(bound.argument, bound.reach): bound.value for bound in asked}
    return wide.keys() == narrow.keys() and all(
        _within(key[1], narrow[key], value) for key, value in wide.items()
    )


def _within(reach: ScopeKind, inner: str, outer: str) -> bool:
    if reach is ScopeKind.FOLDER:
        separator = "\\" if "\\" in outer else "/"
        return inner == outer or inner.startswith(outer + separator)
    return inner == outer


def read_scope_value(reach: ScopeKind, value: object, real: RealPath = _unresolved) -> str | None:
    """Return the part of `value` that defines the scope; None if it is uncertain."""
    match reach:
        case ScopeKind.VALUE:
            return _plain(value)
        case ScopeKind.FOLDER:
            whole = real(value) if isinstance(value, str) else None
            return None if whole is None else _folder(whole)
        case ScopeKind.HOST:
            return _host(value) if isinstance(value, str) else None
        case ScopeKind.UNBOUNDED | ScopeKind.COMMAND:
            return None
        case _:
            assert_never(reach)


def _plain(value: object) -> str | None:
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) else None


_UNPRINTED = re.compile(r"[\x00-\x1f\x7f]")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


def _folder(path: str) -> str | None:
    """ "/home/me/docs/a.txt" → "/home/me/docs". Accepts only absolute paths without "..", and never
    a whole disk.
    """
    if _UNPRINTED.search(path):
        return None
    if _DRIVE.match(path):
        return _joined(path[0].upper() + ":", re.split(r"[\\/]", path[3:]), "\\")
    if "\\" in path:
        return None
    if path.startswith("~/"):
        return _joined("~", path[2:].split("/"), "/")
    return _joined("", path[1:].split("/"), "/") if path.startswith("/") else None


def _joined(root: str, steps: list[str], separator: str) -> str | None:
    folders = [step for step in steps[:-1] if step not in ("", ".")]
    loose = separator == "\\" and any(step.rstrip(". ") != step for step in (*folders, steps[-1]))
    if not folders or ".." in steps or loose:  # Windows drops dots and spaces at the end of a name
        return None
    return separator.join((root, *folders))


_PORTS = {"http": 80, "https": 443}
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|[0-9a-f:.]+")


def _host(address: str) -> str | None:
    if _UNPRINTED.search(address) or re.search(r"[\s\\]", address):
        return None
    try:
        parts = urlsplit(address)
        name, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    plain = _HOST.fullmatch(name) and parts.scheme in _PORTS and "@" not in parts.netloc
    if not plain:
        return None
    name = f"[{name}]" if ":" in name else name
    return name if port in (None, _PORTS[parts.scheme]) else f"{name}:{port}"
