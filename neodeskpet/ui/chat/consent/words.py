"""What an answer means, in words."""

from __future__ import annotations

import re

from neodeskpet.core.scope import Constraint, Grant, ScopeKind
from neodeskpet.core.visible import show_hidden_chars
from neodeskpet.language import tr

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
