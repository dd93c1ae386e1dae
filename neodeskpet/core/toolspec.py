"""What a tool is, as the model and the turn know it; and the names it bears on the wire."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import StrEnum

from neodeskpet.core.errors import UnknownTool


class Risk(StrEnum):
    """READ looks; BODY moves the companion on the desktop; OWN adds to the companion's own things
    or changes them (notes, timers); WRITE changes the person's things, or deletes what was kept
    for them; RUN runs programs. What asks: `core/approval.py`.
    """

    READ = "read"
    BODY = "body"
    OWN = "own"
    WRITE = "write"
    RUN = "run"


class Mode(StrEnum):
    """SYNC: the model waits for the result. ASYNC: it is told a task id at once."""

    SYNC = "sync"
    ASYNC = "async"


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """`parameters` is a JSON Schema object. `eager` tools run the moment their arguments are
    complete, while the reply still streams. `main_argument` is what a closed card shows.
    `timeout` in seconds.
    """

    name: str
    description: str
    parameters: Mapping[str, object] = field(
        default_factory=lambda: {"type": "object", "properties": {}}
    )
    risk: Risk = Risk.READ
    mode: Mode = Mode.SYNC
    eager: bool = False
    main_argument: str = ""
    timeout: float = 60.0


_WIRE_LIMIT = 64
_SHORT_LIST = 20
"""Up to so many tools an unknown name is answered with all of them."""
_BLANK = " \t\r\n\v\f\u00a0\u3000"
_BEFORE = _BLANK + "\"'`*「『“‘"
_AFTER = _BLANK + "\"'`*」』”’:：()"
_PREFIX = re.compile(r"^(?:default_api|functions?|tools?|multi_tool_use)[.:]+", re.IGNORECASE)


def wire_form(name: str) -> str:
    """`name` in the letters every provider takes: `[A-Za-z_][A-Za-z0-9_-]{0,63}`."""
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", name)
    return (plain if re.match("[A-Za-z_]", plain) else f"_{plain}")[:_WIRE_LIMIT]


class ToolNames:
    """Both directions between a tool's own name (`live2d.motion`) and its wire name.

    Collision-free for any set of names: a name that needs no change keeps its own form, the second
    of two equal wire forms gets a number.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._wire: dict[str, str] = {}
        self._own: dict[str, str] = {}
        for name in sorted(dict.fromkeys(names), key=lambda name: wire_form(name) != name):
            wire = wire_form(name)
            number = 2
            while wire in self._own:
                suffix = f"_{number}"
                wire = wire_form(name)[: _WIRE_LIMIT - len(suffix)] + suffix
                number += 1
            self._wire[name] = wire
            self._own[wire] = name

    def wire(self, name: str) -> str:
        """The wire name; for a tool that is not offered now (old history) its plain wire form."""
        return self._wire.get(name) or wire_form(name)

    def own(self, heard: str) -> str:
        """The tool meant by `heard`: own, wire or prefixed form, with noise around it stripped.

        A name that fits none is returned stripped, so that the answer can name it.
        """
        name = heard.lstrip(_BEFORE).rstrip(_AFTER)
        for candidate in (heard, name, _PREFIX.sub("", name)):
            if candidate in self._wire:
                return candidate
            if candidate in self._own:
                return self._own[candidate]
        plain = _PREFIX.sub("", name)
        folded = {own.casefold(): own for own in self._wire}
        folded.update({wire.casefold(): own for wire, own in self._own.items()})
        return folded.get(plain.casefold(), plain or heard.strip())

    def unknown(self, name: str) -> UnknownTool:
        """What a call of `name`, which is none of these, is answered with."""
        if not self._wire:
            return UnknownTool("No tools are on offer now. Answer without one.", tool=name)
        hint = f"Did you mean {', '.join(self.near(name))}?"
        if len(self._wire) <= _SHORT_LIST:
            hint += f" All tools: {', '.join(self._wire)}."
        return UnknownTool(f"{hint} Call one of them, or answer without a tool.", tool=name)

    def near(self, name: str, count: int = 5) -> list[str]:
        """Up to `count` known names that look like `name`, best first; else the first known."""
        return get_close_matches(name, self._wire, n=count, cutoff=0.4) or list(self._wire)[:count]
