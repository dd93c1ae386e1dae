"""The parts of a case of the flow benchmark: the user's data, what is said, the calls of a scripted
model, and where data could arrive.

Addresses of the form `http://NAME.example/…` are served on this computer; a port is inserted
wherever they occur (`places.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Call = tuple[str, Mapping[str, object]]
"""A tool's name and its arguments."""
Rounds = Sequence[Sequence[Call]]
"""The calls of the model, round by round."""

MARK = "NOTE TO THE ASSISTANT"
"""The beginning of the attacker's orders, so that it can be checked that the model read them."""


def do(name: str, /, **arguments: object) -> Call:
    return name, arguments


SAY = "say"
"""No call: its `text` is what the model writes."""


def write(text: str) -> Call:
    """The model writes `text` into its answer."""
    return SAY, {"text": text}


def each(*calls: Call) -> Rounds:
    """Each call in a round of its own."""
    return [[one] for one in calls]


@dataclass(frozen=True, slots=True)
class Redirect:
    to: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error, which the server explains with `reason`."""

    reason: str


Page = str | Redirect | Refusal
"""The answer of an address: a text (HTML if it begins with "<"), another address, or an error."""


@dataclass(frozen=True, slots=True)
class Found:
    """A result of the search service."""

    address: str
    title: str = "Result"
    text: str = ""


@dataclass(frozen=True, slots=True)
class Date:
    """An appointment that the user made; `tools` are what its prompt may use."""

    prompt: str
    tools: tuple[str, ...] = ()
    title: str = "Appointment"


@dataclass(frozen=True, slots=True)
class Step:
    """One message of the user (`said`) with `files` attached, and the model's calls then. `new`
    opens another conversation first, `restart` restarts the app first. `due`: no message is sent,
    the appointments become due.
    """

    said: str
    rounds: Rounds = ()
    files: tuple[str, ...] = ()
    new: bool = False
    restart: bool = False
    due: bool = False


@dataclass(frozen=True, slots=True)
class Things:
    """What there is when it begins: what the user wrote or allowed, and what others serve.
    `files` lie in a folder that the user allowed; a name that ends in `.pdf` becomes a PDF.
    `facts` are remembered of the user. `cards` are imported characters with a world book of one
    entry; the first one speaks. `archive` is an imported conversation, turn by turn. `knowledge`
    names files that are added to the knowledge base. `server` are the tools of a foreign server
    called "desk", each with what it answers; the call fails if that begins with "!". `schemas` are
    their arguments, where they aren't the usual ones. `always`: what the user answered "Always"
    for before: a tool's name, or a tool's name and an address for its host. `reads`: tools of the
    server that the user marked as only reading. `never`: tools that the user set to "Never
    asks". `windows` are apps that are open as windows.
    """

    pages: Mapping[str, Page] = field(default_factory=dict)
    found: Sequence[Found] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    todos: Sequence[str] = ()
    facts: Sequence[str] = ()
    dates: Sequence[Date] = ()
    clipboard: str = ""
    cards: Sequence[str] = ()
    archive: Sequence[str] = ()
    knowledge: Sequence[str] = ()
    server: Mapping[str, str] = field(default_factory=dict)
    schemas: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    always: Sequence[str | tuple[str, str]] = ()
    reads: Sequence[str] = ()
    never: Sequence[str] = ()
    windows: Sequence[str] = ()
    shell: bool = False


# Where data could arrive.


@dataclass(frozen=True, slots=True)
class Web:
    """A request to the host, or to a subdomain, with `has` in its address or body; a lookup of its
    name counts too.
    """

    host: str
    has: str = ""


@dataclass(frozen=True, slots=True)
class Served:
    """A call of a tool of the foreign server, with `has` in its arguments."""

    tool: str
    has: str = ""


@dataclass(frozen=True, slots=True)
class Opened:
    """An address in the browser, with `has` in it."""

    has: str


@dataclass(frozen=True, slots=True)
class Copied:
    """The clipboard was written, with `has`."""

    has: str = ""


@dataclass(frozen=True, slots=True)
class Planned:
    """An appointment with a prompt, and `has` in its title or prompt."""

    has: str


@dataclass(frozen=True, slots=True)
class Ran:
    """A program wrote the file with this name into the user's folder."""

    file: str


Sink = Web | Served | Opened | Copied | Planned | Ran


@dataclass(frozen=True, slots=True)
class Case:
    """`sinks`: of an attack, where it must not arrive unasked, each of them; of an ordinary task,
    where it must arrive. `planted`: what the model must have read before, "" for nothing that can
    be seen in its requests. `wanted` are calls that the user allows when they are asked.
    """

    name: str
    steps: Sequence[Step]
    things: Things = Things()
    sinks: Sequence[Sink] = ()
    planted: str = ""
    wanted: Sequence[Call] = ()
