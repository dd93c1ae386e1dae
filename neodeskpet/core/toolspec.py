"""What a tool is, as the model and the turn know it; the names it bears on the wire; and the port
by which a turn has its tools.
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
"""Called by a running tool: fraction 0..1 or None, and a short text. Thread-safe."""

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
    """What of a call reaches somebody else. ADDRESS: a web address, named by the arguments with
    `Reach.HOST`; WHOLE_ADDRESS: with its fragment too. CONTENT: all arguments. The arguments of a
    foreign tool always reach its server.
    """

    NOTHING = auto()
    ADDRESS = auto()
    WHOLE_ADDRESS = auto()
    CONTENT = auto()


class Mode(StrEnum):
    """SYNC: the model waits for the result. ASYNC: it is told a task id at once, and the work goes
    on in the background. EITHER: as the call says, by its argument `background`.
    """

    SYNC = "sync"
    ASYNC = "async"
    EITHER = "either"


BACKGROUND_ARGUMENT = "background"
"""The argument of a tool that can do EITHER."""
_LONGEST_TASK = 6 * 3600.0
"""Seconds that work in the background may take."""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """`parameters` is a JSON Schema object. `eager` tools run the moment their arguments are
    complete, while the reply still streams. `main_argument` is what a closed card shows.
    `timeout` in seconds. `title` is what people call it, English and marked with `N_`; of a foreign
    tool it isn't shown. `scope` names the arguments that say what a call reaches: "always" can be
    answered for what stays within (`core/grant_scope.py`). `outside`: its results hold text of
    others
    (pages, files, programs), which is marked as such (`core/untrusted.py`). `reads` is what it
    looks
    at; `sends` what of a call reaches somebody else; `later` names the arguments that a model acts
    on later, if the first of them is given. The information-flow policy
    (`core/information_flow.py`) decides by these.

    `can_always_allow`: False for what can't be undone (commands, deleting for good): each call is
    asked about on its own, and "always" is not among the answers.

    `source` and `own_name` are filled in by the toolbox: where the tool comes from, and what it is
    called there, for `name` differs from all others on offer. `claims` is what a foreign source
    says of it besides ("only reads"): never believed.
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
        """Whether it comes from others: what it says of itself is foreign text."""
        return self.source != APP_SOURCE

    @property
    def brings_foreign(self) -> bool:
        """Whether what it gives back is foreign text."""
        return self.foreign or self.outside

    @property
    def labels(self) -> Labels:
        """The labels of all its results; a result may have more."""
        if self.foreign:
            return labels_of(DataSource(SourceKind.SERVER, self.source), untrusted=True)
        source = DataSource(self.reads or SourceKind.OTHER)
        return labels_of(source, untrusted=self.outside or source.is_untrusted)

    def in_background(self, arguments: Mapping[str, object]) -> bool:
        """Whether this call outlives its turn."""
        if self.mode is Mode.EITHER:
            return coerce_value(arguments.get(BACKGROUND_ARGUMENT), {"type": "boolean"}) is True
        return self.mode is Mode.ASYNC

    def time_limit(self, arguments: Mapping[str, object]) -> float:
        """How many seconds this call may take."""
        return max(self.timeout, _LONGEST_TASK) if self.in_background(arguments) else self.timeout

    @property
    def id(self) -> str:
        """The same for this tool in each run, and no other's; what rules and grants name."""
        own = self.own_name or self.name
        return f"{quote(self.source, safe='')}/{own}" if self.foreign else own

    @property
    def form(self) -> str:
        """A digest of all that a foreign source says of it: another one, another tool. "" for the
        app's own.
        """
        if not self.foreign:
            return ""
        said = (self.description, self.parameters, self.claims, self.risk)
        return sha256(json.dumps(said, sort_keys=True, default=str).encode()).hexdigest()[:32]


_WIRE_LIMIT = 64
_SHORT_LIST = 20
"""Up to so many tools an unknown name is answered with all of them."""
_BLANK = " \t\r\n\v\f\u00a0\u3000"
_BEFORE = _BLANK + "\"'`*「『“‘"
_AFTER = _BLANK + "\"'`*」』”’:：()"
_PREFIX = re.compile(r"^(?:default_api|functions?|tools?|multi_tool_use)[.:]+", re.IGNORECASE)


def wire_name(name: str) -> str:
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
        """The wire name; for a tool that is not offered now (old history) its plain wire form."""
        return self._wire.get(name) or wire_name(name)

    def own_name(self, heard: str) -> str:
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
            none = Reason(N_("No tools are on offer now."))
            return UnknownTool(reasons=[none], advice="Answer without one.", tool=name)
        near = ", ".join(self.near(name))
        reasons = [Reason(N_("Did you mean {names}?"), {"names": near})]
        if len(self._wire) <= _SHORT_LIST:
            reasons.append(Reason(N_("All tools: {names}."), {"names": ", ".join(self._wire)}))
        advice = "Call one of them, or answer without a tool."
        return UnknownTool(reasons=reasons, advice=advice, tool=name)

    def near(self, name: str, count: int = 5) -> list[str]:
        """Up to `count` known names that look like `name`, best first; else the first known."""
        return get_close_matches(name, self._wire, n=count, cutoff=0.4) or list(self._wire)[:count]


class ToolOffer(Protocol):
    """The tools of one round, as they were on offer when it began: what the request names is what
    the turn knows and what can be run. Names differ from one another.
    """

    @property
    def specs(self) -> Sequence[ToolSpec]: ...

    async def run(
        self, name: str, arguments: Mapping[str, object], progress: Progress
    ) -> ToolResult:
        """Raises ToolError, never anything else; cancelling it stops it."""
        ...

    def check(self, name: str, arguments: Mapping[str, object]) -> None:
        """Raises ToolError where `run` would refuse these arguments."""
        ...

    async def preview(self, name: str, arguments: Mapping[str, object]) -> CallPreview:
        """What `run` would do, as far as the tool can tell. Raises nothing."""
        ...


class Toolbox(Protocol):
    """All tools there are; which they are may change while the app runs."""

    def offer(self) -> ToolOffer:
        """Those on offer now."""
        ...
