"""What a tool gives back: words for the model, and what others make of it.

`text` is what the model reads. `shown` is what the person's card draws instead of the text. `data`
is plain JSON for windows and programs. Pictures are sent to models that see, as a message after the
results.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, assert_never

from neodeskpet.core.attachments import Picture
from neodeskpet.core.data_labels import NO_LABELS, Labels

MOST_TEXT = 100_000
"""Characters of a result's text, or of one that is shown; what is longer is cut."""
MOST_ROWS = 1_000
MOST_COLUMNS = 20
MOST_CELL = 2_000
"""Characters of one item or cell."""


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
    """`digest` is that of one of the result's pictures."""

    kind: ClassVar[str] = "image"

    digest: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class ShownTerminal:
    """`exit_code` is None while it isn't known."""

    kind: ClassVar[str] = "terminal"

    text: str
    command: str = ""
    exit_code: int | None = None


Shown = ShownText | ShownList | ShownTable | ShownDiff | ShownImage | ShownTerminal


@dataclass(frozen=True, slots=True)
class ResultImage:
    """A picture of a result, as a block names it; its bytes are stored beside the messages."""

    digest: str
    media_type: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """`data` is JSON. `continue_`: whether the model is to be called again for it; a round none of
    whose results asks for that ends the turn. `failed`: nothing of it was done, as the text says.
    `labels` are added to those of the tool (`ToolSpec.labels`).
    """

    text: str
    data: object = None
    shown: Shown | None = None
    images: tuple[Picture, ...] = ()
    continue_: bool = True
    failed: bool = False
    labels: Labels = NO_LABELS


def shown_as_text(shown: Shown) -> str:
    """What is shown as plain text: to copy it, to read it aloud, to export it."""
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
    """`shown` within the limits of this file."""
    match shown:
        case ShownText(text=text):
            return ShownText(text[:MOST_TEXT])
        case ShownDiff(text=text, path=path):
            return ShownDiff(text[:MOST_TEXT], path[:MOST_CELL])
        case ShownTerminal(text=text, command=command, exit_code=code):
            return ShownTerminal(text[-MOST_TEXT:], command[:MOST_CELL], code)  # its end tells most
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
