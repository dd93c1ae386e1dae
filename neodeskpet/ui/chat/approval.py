"""What a tool card needs about a call that asks for permission, and the labels of the answers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Protocol

from neodeskpet.core.blocks import ToolUse
from neodeskpet.core.grant_scope import Constraint, Grant, ScopeKind
from neodeskpet.core.unicode_text import show_hidden_chars
from neodeskpet.language import tr


class ApprovalInfo(Protocol):
    """Information about a call that asks for permission."""

    def grants(self, call: ToolUse) -> Sequence[Grant]:
        """Return the possible meanings of "always", the narrowest first."""
        ...

    def schema(self, call: ToolUse) -> Mapping[str, object]:
        """Return the JSON Schema of the arguments; empty if unknown."""
        ...

    def argument_error(self, message_id: str, index: int, arguments: Mapping[str, object]) -> str:
        """Return why the tool would refuse these arguments; "" if it accepts them."""
        ...


class NoApprovalInfo:
    """The `ApprovalInfo` of a view without an engine."""

    def grants(self, call: ToolUse) -> Sequence[Grant]:
        return (Grant(call.name),)

    def schema(self, call: ToolUse) -> Mapping[str, object]:
        return {}

    def argument_error(self, message_id: str, index: int, arguments: Mapping[str, object]) -> str:
        return ""


_LONGEST = 28


def grant_button_text(grant: Grant) -> str:
    """Return a short button label, such as "Always in docs" or "Always for git"."""
    if not grant.bounds:
        return tr("Always, even after untrusted text") if grant.untrusted else tr("Always")
    names = [_short(_last(bound)) for bound in grant.bounds]
    joined = " → ".join(dict.fromkeys(names))
    match grant.bounds[0].reach:
        case ScopeKind.FOLDER:
            return tr("Always in {folder}", folder=joined)
        case ScopeKind.HOST if grant.untrusted:
            return tr("Always at {host}, even after untrusted text", host=joined)
        case ScopeKind.HOST:
            return tr("Always at {host}", host=joined)
        case _:
            return tr("Always for {value}", value=joined)


def grant_limits_text(grant: Grant) -> str:
    """Return the limits in full, such as "path in /home/me/docs"; "" if there are none."""
    bounds = [_whole(bound) for bound in grant.bounds]
    return ", ".join([*bounds, *([tr("even after untrusted text")] if grant.untrusted else [])])


def _whole(bound: Constraint) -> str:
    value = show_hidden_chars(bound.value)
    match bound.reach:
        case ScopeKind.FOLDER:
            return tr("{argument} in {folder}", argument=bound.argument, folder=value)
        case ScopeKind.HOST:
            return tr("{argument} at {host}", argument=bound.argument, host=value)
        case _:
            return f"{bound.argument}: {value}"


def _last(bound: Constraint) -> str:
    if bound.reach is ScopeKind.FOLDER:
        return re.split(r"[\\/]", bound.value)[-1]
    return bound.value


def _short(text: str) -> str:
    text = show_hidden_chars(text)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
