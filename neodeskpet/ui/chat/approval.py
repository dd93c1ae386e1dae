"""What a card needs to know about a call that asks for permission, and the texts of its answers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Protocol

from neodeskpet.core.blocks import ToolUse
from neodeskpet.core.grant_scope import Constraint, Grant, ScopeKind
from neodeskpet.core.unicode_text import show_hidden_chars
from neodeskpet.language import tr


class ApprovalInfo(Protocol):
    """About a call that asks."""

    def grants(self, call: ToolUse) -> Sequence[Grant]:
        """What "always" could mean for it, the narrowest first."""
        ...

    def schema(self, call: ToolUse) -> Mapping[str, object]:
        """The JSON Schema of its arguments; empty where that isn't known."""
        ...

    def argument_error(self, message_id: str, index: int, arguments: Mapping[str, object]) -> str:
        """Why the tool would refuse these arguments; "" if it takes them."""
        ...


class NoApprovalInfo:
    """A view that stands alone."""

    def grants(self, call: ToolUse) -> Sequence[Grant]:
        return (Grant(call.name),)

    def schema(self, call: ToolUse) -> Mapping[str, object]:
        return {}

    def argument_error(self, message_id: str, index: int, arguments: Mapping[str, object]) -> str:
        return ""


_LONGEST = 28


def grant_button_text(grant: Grant) -> str:
    """ "Always in docs", "Always for git"; short, for a button."""
    if not grant.bounds:
        return tr("Always, even after text of others") if grant.untrusted else tr("Always")
    names = [_short(_last(bound)) for bound in grant.bounds]
    joined = " → ".join(dict.fromkeys(names))
    match grant.bounds[0].reach:
        case ScopeKind.FOLDER:
            return tr("Always in {folder}", folder=joined)
        case ScopeKind.HOST if grant.untrusted:
            return tr("Always at {host}, even after text of others", host=joined)
        case ScopeKind.HOST:
            return tr("Always at {host}", host=joined)
        case _:
            return tr("Always for {value}", value=joined)


def grant_limits_text(grant: Grant) -> str:
    """ "path in /home/me/docs"; whole, for a list. "" where nothing bounds it."""
    bounds = [_whole(bound) for bound in grant.bounds]
    return ", ".join([*bounds, *([tr("even after text of others")] if grant.untrusted else [])])


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
