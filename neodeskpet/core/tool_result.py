"""The result of a tool: text for the model, and data for other readers.

`text` is for the model. `shown` is what the tool card draws instead of the text. `data` is plain
JSON for windows and programs. Pictures go to models that can see, in a message after the results.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, assert_never

from neodeskpet.core.attachments import Picture
from neodeskpet.core.data_labels import NO_LABELS, Labels
from neodeskpet.core.errors import ToolError
from neodeskpet.core.i18n import N_, Reason

MOST_TEXT = 100_000
"""Characters of a result's text and of shown text; longer texts are cut."""
MOST_ROWS = 1_000
MOST_COLUMNS = 20
MOST_BRIEF = 60
"""Characters of a brief result."""
MOST_NAME = 40
"""Characters of a name in the title of a question."""
MOST_CELL = 2_000
"""Characters of one list item or table cell."""


@dataclass(frozen=True, slots=True)
class ShownText:
    kind: ClassVar[str] = "text"

    text: str


@dataclass(frozen=True, slots=True)
class ShownList:
    kind: ClassVar[str] = "list"

    items: tuple[str, ...]
    title: str = ""


@dataclass(frozen=True, slots=True)
class ShownTable:
    kind: ClassVar[str] = "table"

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class ShownDiff:
    """`text` is a unified diff; `path` names what was changed."""

    kind: ClassVar[str] = "diff"

    text: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class ShownImage:
    """`digest` is the digest of one of the result's pictures."""

    kind: ClassVar[str] = "image"

    digest: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class ShownTerminal:
    """`exit_code` is None if unknown."""

    kind: ClassVar[str] = "terminal"

    text: str
    command: str = ""
    exit_code: int | None = None


Shown = ShownText | ShownList | ShownTable | ShownDiff | ShownImage | ShownTerminal


@dataclass(frozen=True, slots=True)
class ApprovalText:
    """The text of the permission question about one call.

    `title` is the question: “Delete the note “Milk”?”. `thing` is what the call affects, as plain
    text. `verb` and `keep` (English, marked with `N_`) label the two answers. `undoable` is None
    for a call that changes nothing; if it is False, "Always" is not offered.
    """

    title: Reason
    thing: str = ""
    undoable: bool | None = True
    verb: str = ""
    keep: str = ""


@dataclass(frozen=True, slots=True)
class CallPreview:
    """A preview of a call: the question about it, and the change it would make. `error`: the call
    names something that doesn't exist, so there is nothing to ask.
    """

    question: ApprovalText | None = None
    shown: Shown | None = None
    error: ToolError | None = None


@dataclass(frozen=True, slots=True)
class ResultImage:
    """A reference to a picture of a result; its bytes are stored beside the messages."""

    digest: str
    media_type: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """`data` is JSON. `brief` is the result in a few words for the closed card ("= 52.5"). A round
    whose results all have `continue_=False` ends the turn without another model call. `failed`:
    nothing was done; `text` says why. `labels` are added to those of the tool (`ToolSpec.labels`).
    """

    text: str
    data: object = None
    shown: Shown | None = None
    images: tuple[Picture, ...] = ()
    continue_: bool = True
    failed: bool = False
    labels: Labels = NO_LABELS
    brief: Reason | None = None


def foreign_question(tool: str, source: str, arguments: Mapping[str, object]) -> ApprovalText:
    """Return the question about a tool of a server or of the user's own files, which has no
    description of its calls.
    """
    title = Reason(N_("Use “{tool}” of “{source}”?"), {"tool": name_of(tool), "source": source})
    verb, keep = N_("Use it"), N_("Don't use it")
    return ApprovalText(title, argument_lines(arguments), undoable=None, verb=verb, keep=keep)


def argument_lines(arguments: Mapping[str, object]) -> str:
    """Return the arguments as lines of label and value, without JSON syntax."""
    return "\n".join(_argument_lines(arguments, ""))


def _argument_lines(arguments: Mapping[str, object], above: str) -> Iterator[str]:
    for name, value in arguments.items():
        label = above + " ".join(name.replace("_", " ").split())
        if isinstance(value, Mapping):
            yield from _argument_lines(value, f"{label} › ")
        elif isinstance(value, list | tuple) and any(map(_is_nested, value)):
            for number, one in enumerate(value, 1):
                if isinstance(one, Mapping):
                    yield from _argument_lines(one, f"{label} {number} › ")
                else:
                    yield from _argument_lines({str(number): one}, f"{label} ")
        else:
            # The indent keeps a value from looking like another labelled line.
            yield f"{label}: " + _value_text(value).replace("\n", "\n    ")


def _is_nested(value: object) -> bool:
    return isinstance(value, Mapping | list | tuple)


def _value_text(value: object) -> str:
    match value:
        case None:
            return "–"
        case bool():
            return "✓" if value else "✗"
        case list() | tuple():
            return ", ".join(map(_value_text, value))
        case _:
            return str(value)


def count_brief(count: int, one: str, many: str) -> Reason:
    """Return a brief result with a number: `one` and `many` are marked with `N_`; `many` has
    `{count}`.
    """
    return Reason(one) if count == 1 else Reason(many, {"count": f"{count:,}"})


def text_brief(text: str) -> Reason:
    """Return a brief result that needs no translation."""
    return Reason("{text}", {"text": " ".join(text.split())[:MOST_BRIEF]})


def moment_brief(moment: str) -> Reason:
    """Return a brief result that is a day or a moment (2026-12-04 17:00), shown in words."""
    return Reason("{when}", {"when": moment})


def name_of(text: str) -> str:
    """Return the beginning of a text, short enough for the title of a question."""
    plain = " ".join(text.split())
    return plain if len(plain) <= MOST_NAME else plain[: MOST_NAME - 1] + "…"


def shown_as_text(shown: Shown) -> str:
    """Return the shown content as plain text, to copy, read aloud or export it."""
    match shown:
        case ShownText(text=text) | ShownDiff(text=text):
            return text
        case ShownList(items=items, title=title):
            return "\n".join([*([title] if title else []), *(f"• {item}" for item in items)])
        case ShownTable(header=header, rows=rows):
            return "\n".join("\t".join(row) for row in (header, *rows))
        case ShownImage(name=name):
            return name
        case ShownTerminal(text=text, command=command):
            return f"$ {command}\n{text}" if command else text
        case _:
            assert_never(shown)


def bounded_content(shown: Shown) -> Shown:
    """Return `shown` within the limits of this file."""
    match shown:
        case ShownText(text=text):
            return ShownText(text[:MOST_TEXT])
        case ShownDiff(text=text, path=path):
            return ShownDiff(text[:MOST_TEXT], path[:MOST_CELL])
        case ShownTerminal(text=text, command=command, exit_code=code):
            # The end matters most.
            return ShownTerminal(text[-MOST_TEXT:], command[:MOST_CELL], code)
        case ShownList(items=items, title=title):
            return ShownList(
                tuple(item[:MOST_CELL] for item in items[:MOST_ROWS]), title[:MOST_CELL]
            )
        case ShownTable(header=header, rows=rows):
            return ShownTable(_cells(header), tuple(_cells(row) for row in rows[:MOST_ROWS]))
        case ShownImage():
            return shown
        case _:
            assert_never(shown)


def _cells(row: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(cell[:MOST_CELL] for cell in row[:MOST_COLUMNS])
