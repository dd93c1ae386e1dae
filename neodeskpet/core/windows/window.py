"""A window of an app, as the model sees it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from neodeskpet.core.toolspec import Mode

CLOSE_ACTION = "close"
"""The action that every closable window has; no app declares one of this name."""

_ID = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}")


@dataclass(frozen=True, slots=True)
class WindowOptions:
    """`closable`: by the model; the person can close all but the pinned. `close_after`: it closes
    when one of its actions has succeeded. `compact`: shown without description and actions.
    `pinned`: always there. `important`: left out after the others where not all fit. `appended`: it
    changes often, so it is told at the end, where a change costs no more than itself; the others
    keep their place before the conversation.
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
    """`description` is the app's own words, `content` is data: text of anybody."""

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
