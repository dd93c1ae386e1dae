"""The description of a tool for the model and the turn, its name on the wire, and the interface by
which a turn runs tools.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import Enum, StrEnum, auto
from hashlib import sha256
from typing import Protocol
from urllib.parse import quote

from neodeskpet.core.call_arguments import coerce_value
from neodeskpet.core.data_labels import DataSource, Labels, SourceKind, labels_of
from neodeskpet.core.errors import UnknownTool
from neodeskpet.core.grant_scope import ScopeKind
from neodeskpet.core.i18n import N_, Reason
from neodeskpet.core.tool_result import CallPreview, ToolResult

Progress = Callable[[float | None, str], None]
"""A running tool calls it with a fraction (0..1 or None) and a short text. Thread-safe."""

APP_SOURCE = "app"
"""The name of the source of the tools that come with the app."""


class Risk(StrEnum):
    """What a tool may do. `core/approval.py` decides which calls ask the user.

    READ only reads. SENSITIVE_READ reads what the user has not given to the companion (clipboard,
    screen). GESTURE moves the companion on the desktop. APP_DATA adds or changes data of the app
    (notes, timers). WRITE changes data of the user, or deletes data of the app. RUN runs programs.

    The values are stored with permissions. PRIVATE, BODY and OWN are the former names; files in the
    user's `tools/` folder use them.
    """

    READ = "read"
    SENSITIVE_READ = "private"
    GESTURE = "body"
    APP_DATA = "own"
    WRITE = "write"
    RUN = "run"
    PRIVATE = "private"
    BODY = "body"
    OWN = "own"


class Disclosure(Enum):
    """What a call sends to somebody else. ADDRESS: a web address, in the arguments with
    `ScopeKind.HOST`; WHOLE_ADDRESS: including its fragment. CONTENT: all arguments. The arguments
    of a foreign tool always reach its server.
    """

    NOTHING = auto()
    ADDRESS = auto()
    WHOLE_ADDRESS = auto()
    CONTENT = auto()


class Mode(StrEnum):
    """SYNC: the model waits for the result. ASYNC: the model gets a task id at once, and the work
    continues in the background. EITHER: the argument `background` of the call decides.
    """

    SYNC = "sync"
    ASYNC = "async"
    EITHER = "either"


BACKGROUND_ARGUMENT = "background"
"""The argument of an EITHER tool that selects the mode."""
_LONGEST_TASK = 6 * 3600.0
"""Highest seconds of a background task."""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """`parameters` is a JSON Schema object. `eager` tools run as soon as their arguments are
    complete, while the reply still streams. `main_argument` is shown on a closed card. `timeout` is
    in seconds. `title` is the display name, English and marked with `N_`; it isn't shown for
    foreign tools. `scope` lists the arguments that define what a call affects: "always" can be
    limited to it (`core/grant_scope.py`). `outside`: results contain text of others (pages, files,
    programs) and are marked as untrusted (`core/untrusted.py`). `reads` is the source that the tool
    reads, `sends` is what a call discloses to somebody else, `later` names the arguments that a
    model acts on later, if the first of them is given. The information-flow policy
    (`core/information_flow.py`) uses these three.

    `can_always_allow`: False for actions that can't be undone (commands, permanent deletion): every
    call asks, and "always" is not offered.

    The toolbox fills in `source` and `own_name`: the origin of the tool and its name there, because
    `name` must be unique among all tools on offer. `claims` are further statements of a foreign
    source ("only reads"), which are never trusted.
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
    title: str = ""
    scope: Mapping[str, ScopeKind] = field(default_factory=dict)
    outside: bool = False
    reads: SourceKind | None = None
    sends: Disclosure = Disclosure.NOTHING
    later: tuple[str, ...] = ()
    can_always_allow: bool = True
    source: str = APP_SOURCE
    own_name: str = ""
    claims: str = ""

    @property
    def foreign(self) -> bool:
        """Whether the tool comes from others; its description is then untrusted text."""
        return self.source != APP_SOURCE

    @property
    def family(self) -> str:
        """The first part of the name: "todo" for `todo.add`."""
        return self.name.partition(".")[0]

    @property
    def brings_foreign(self) -> bool:
        """Whether its results are untrusted text."""
        return self.foreign or self.outside

    @property
    def labels(self) -> Labels:
        """The labels of all results; a single result may have more."""
        if self.foreign:
            return labels_of(DataSource(SourceKind.SERVER, self.source), untrusted=True)
        source = DataSource(self.reads or SourceKind.OTHER)
        return labels_of(source, untrusted=self.outside or source.is_untrusted)

    def in_background(self, arguments: Mapping[str, object]) -> bool:
        """Return whether this call continues after its turn."""
        if self.mode is Mode.EITHER:
            return coerce_value(arguments.get(BACKGROUND_ARGUMENT), {"type": "boolean"}) is True
        return self.mode is Mode.ASYNC

    def time_limit(self, arguments: Mapping[str, object]) -> float:
        """Return the time limit of this call in seconds."""
        return max(self.timeout, _LONGEST_TASK) if self.in_background(arguments) else self.timeout

    @property
    def id(self) -> str:
        """A unique id that stays the same in every run; rules and grants refer to it."""
        own = self.own_name or self.name
        return f"{quote(self.source, safe='')}/{own}" if self.foreign else own

    @property
    def form(self) -> str:
        """A digest of the whole description by a foreign source: a changed description makes
        another tool. "" for the app's own.
        """
        if not self.foreign:
            return ""
        said = (self.description, self.parameters, self.claims, self.risk)
        return sha256(json.dumps(said, sort_keys=True, default=str).encode()).hexdigest()[:32]


_WIRE_LIMIT = 64
_SHORT_LIST = 20
"""Up to this number of tools, an unknown name is answered with all their names."""
_BLANK = " \t\r\n\v\f\u00a0\u3000"
_BEFORE = _BLANK + "\"'`*「『“‘"
_AFTER = _BLANK + "\"'`*」』”’:：()"
_PREFIX = re.compile(r"^(?:default_api|functions?|tools?|multi_tool_use)[.:]+", re.IGNORECASE)


def wire_name(name: str) -> str:
    """Return `name` in the characters that every provider accepts:
    `[A-Za-z_][A-Za-z0-9_-]{0,63}`.
    """
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", name)
    return (plain if re.match("[A-Za-z_]", plain) else f"_{plain}")[:_WIRE_LIMIT]


class ToolNames:
    """Maps between the name of a tool (`live2d.motion`) and its wire name, in both directions.

    There are no collisions: a name that is valid on the wire keeps its form, and the second of two
    equal wire names gets a number.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._wire: dict[str, str] = {}
        self._own: dict[str, str] = {}
        for name in sorted(dict.fromkeys(names), key=lambda name: wire_name(name) != name):
            wire = wire_name(name)
            number = 2
            while wire in self._own:
                suffix = f"_{number}"
                wire = wire_name(name)[: _WIRE_LIMIT - len(suffix)] + suffix
                number += 1
            self._wire[name] = wire
            self._own[wire] = name

    def wire(self, name: str) -> str:
        """Return the wire name; for a tool that is not offered now (old history) its plain wire
        form.
        """
        return self._wire.get(name) or wire_name(name)

    def own_name(self, heard: str) -> str:
        """Return the name of the tool meant by `heard`: its own, wire or prefixed form, without
        surrounding noise.

        An unknown name is returned stripped, so that the error can name it.
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
        """Return the error for a call of the unknown tool `name`."""
        if not self._wire:
            none = Reason(N_("No tools are available now."))
            return UnknownTool(reasons=[none], advice="Answer without one.", tool=name)
        near = ", ".join(self.near(name))
        reasons = [Reason(N_("Did you mean {names}?"), {"names": near})]
        if len(self._wire) <= _SHORT_LIST:
            reasons.append(Reason(N_("All tools: {names}."), {"names": ", ".join(self._wire)}))
        advice = "Call one of them, or answer without a tool."
        return UnknownTool(reasons=reasons, advice=advice, tool=name)

    def near(self, name: str, count: int = 5) -> list[str]:
        """Return up to `count` known names similar to `name`, best first; otherwise the first known
        names.
        """
        return get_close_matches(name, self._wire, n=count, cutoff=0.4) or list(self._wire)[:count]


class ToolOffer(Protocol):
    """The tools of one round, as offered when it began: the request, the turn and the execution use
    the same set. Names are unique.
    """

    @property
    def specs(self) -> Sequence[ToolSpec]: ...

    async def run(
        self, name: str, arguments: Mapping[str, object], progress: Progress
    ) -> ToolResult:
        """Run a call. Raises only ToolError; cancelling the task stops the tool."""
        ...

    def check(self, name: str, arguments: Mapping[str, object]) -> None:
        """Check the arguments. Raises ToolError if `run` would refuse them."""
        ...

    async def preview(self, name: str, arguments: Mapping[str, object]) -> CallPreview:
        """Return what `run` would do, as far as the tool can predict it. Never raises."""
        ...


class Toolbox(Protocol):
    """All tools; the set may change while the app runs."""

    def offer(self) -> ToolOffer:
        """Return the tools that are offered now."""
        ...
