"""Windows as a model reads them.

    <Window id="notes"><description>…</description><content>…</content><actions>
    <action id="add" params="{text:string, tag?:string}" mode="sync">Add a note</action>
    </actions></Window>

(in one line), a compact one as `<Window id="log_3" compact="true">[7] notes.add -> ok</Window>`.
Content is data: it is escaped, so it closes nothing, and marks in it are broken, so they call
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from html import escape

from neodeskpet.core.context import estimate_tokens
from neodeskpet.core.foreign import escape_markers
from neodeskpet.core.toolspec import Mode
from neodeskpet.core.windows.params import action_signature
from neodeskpet.core.windows.window import CLOSE_ACTION, AppWindow, WindowAction

MOST_CONTENT_CHARACTERS = 6_000
"""Characters of a content that are told."""
_KEPT = 512
"""Texts that are remembered as they are told: most windows are the same in the next round."""


def render_window(window: AppWindow) -> str:
    """The whole window, as it is now."""
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
    """What came of calls, as a compact window that isn't open."""
    return f'<Window id="log_{number}" compact="true">{_text(text)}</Window>'


def fit_windows(windows: Sequence[AppWindow], budget: int) -> list[AppWindow]:
    """Those that are told within `budget` tokens, in their order (the oldest first): unimportant
    ones are left out before important ones, the oldest first, and pinned ones never.
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
    told = _attribute(params)
    return f'<action id="{name}" params="{told}" mode="{mode}">{_text(description)}</action>'


@lru_cache(maxsize=_KEPT)
def _text(text: str) -> str:
    return escape(escape_markers(text), quote=False)


@lru_cache(maxsize=_KEPT)
def _attribute(text: str) -> str:
    return " ".join(escape(escape_markers(text), quote=False).replace('"', "&quot;").split())


def _cut(text: str) -> str:
    more = len(text) - MOST_CONTENT_CHARACTERS
    return text if more <= 0 else f"{text[:MOST_CONTENT_CHARACTERS]}… ({more} more characters)"
