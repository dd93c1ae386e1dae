"""A window of an app as data, and its text for a model.

The content is untrusted data: it is escaped, so that it can't close tags or act as a call.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape

from neodeskpet.core.app_windows.action_parameters import action_signature
from neodeskpet.core.token_budget import estimate_tokens
from neodeskpet.core.toolspec import Mode
from neodeskpet.core.untrusted import escape_markers

CLOSE_ACTION = "close"
"""The action of every closable window; apps can't declare an action with this name."""

_ID = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}")


@dataclass(frozen=True, slots=True)
class WindowOptions:
    """`closable`: the model can close it; the user can close every window that isn't pinned.
    `close_after`: it closes after one of its actions has succeeded. `compact`: shown without
    description and actions. `pinned`: always open. `important`: left out last if not all windows
    fit. `appended`: it changes often, so it comes at the end of the request, where a change leaves
    the text before it in the provider's cache; other windows come before the conversation.
    """

    closable: bool = True
    close_after: bool = False
    compact: bool = False
    pinned: bool = False
    important: bool = False
    appended: bool = False


@dataclass(frozen=True, slots=True)
class WindowAction:
    """`parameters` is a JSON Schema object of named parameters."""

    id: str
    description: str
    parameters: Mapping[str, object] = field(default_factory=dict)
    mode: Mode = Mode.SYNC

    def __post_init__(self) -> None:
        if not _ID.fullmatch(self.id) or self.id == CLOSE_ACTION:
            raise ValueError(f"An action can't be named {self.id!r}")


@dataclass(frozen=True, slots=True)
class AppWindow:
    """`description` is the app's own text, `content` is untrusted data."""

    id: str
    title: str
    description: str
    content: str
    actions: tuple[WindowAction, ...] = ()
    options: WindowOptions = field(default_factory=WindowOptions)

    def __post_init__(self) -> None:
        if not _ID.fullmatch(self.id):
            raise ValueError(f"A window can't be named {self.id!r}")
        ids = [action.id for action in self.actions]
        if len(set(ids)) < len(ids):
            raise ValueError(f"The window {self.id} has two actions of one name")


MOST_CONTENT_CHARACTERS = 6_000
"""Highest number of characters of content for the model."""
_KEPT = 512
"""Number of cached texts: most windows are unchanged in the next round."""


def render_window(window: AppWindow) -> str:
    """Return the text of the window."""
    content = _text(_cut(window.content))
    if window.options.compact:
        return f'<Window id="{window.id}" compact="true">{content}</Window>'
    actions = "".join(_action(action) for action in window.actions)
    if window.options.closable:
        actions += _action_line(CLOSE_ACTION, "{}", Mode.SYNC, "Close this window.")
    return (
        f'<Window id="{window.id}"><description>{_text(window.description)}</description>'
        f"<content>{content}</content><actions>{actions}</actions></Window>"
    )


def log_window(number: int, text: str) -> str:
    """Return the results of calls as a compact window that isn't open."""
    return f'<Window id="log_{number}" compact="true">{_text(text)}</Window>'


def fit_windows(windows: Sequence[AppWindow], budget: int) -> list[AppWindow]:
    """Return the windows that fit into `budget` tokens, in order (the oldest first). Unimportant
    windows are left out before important ones, older ones first, and pinned ones never.
    """
    costs = {window.id: estimate_tokens(render_window(window)) for window in windows}
    left_out: set[str] = set()
    total = sum(costs.values())
    for window in _least_first(windows):
        if total <= budget:
            break
        left_out.add(window.id)
        total -= costs[window.id]
    return [window for window in windows if window.id not in left_out]


def _least_first(windows: Sequence[AppWindow]) -> Iterable[AppWindow]:
    loose = [window for window in windows if not window.options.pinned]
    return sorted(loose, key=lambda window: window.options.important)


def _action(action: WindowAction) -> str:
    return _action_line(
        action.id, action_signature(action.parameters), action.mode, action.description
    )


def _action_line(name: str, params: str, mode: Mode, description: str) -> str:
    notation = _attribute(params)
    return f'<action id="{name}" params="{notation}" mode="{mode}">{_text(description)}</action>'


@lru_cache(maxsize=_KEPT)
def _text(text: str) -> str:
    return escape(escape_markers(text), quote=False)


@lru_cache(maxsize=_KEPT)
def _attribute(text: str) -> str:
    return " ".join(escape(escape_markers(text), quote=False).replace('"', "&quot;").split())


def _cut(text: str) -> str:
    more = len(text) - MOST_CONTENT_CHARACTERS
    return text if more <= 0 else f"{text[:MOST_CONTENT_CHARACTERS]}… ({more} more characters)"
