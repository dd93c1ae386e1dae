"""The reason why a call asks because of what was read, in one line for the user."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import assert_never
from urllib.parse import quote, quote_plus

from neodeskpet.core.data_labels import DataSource, FlowCause, FlowQuestion, SourceKind
from neodeskpet.core.i18n import N_
from neodeskpet.core.unicode_text import show_hidden_chars
from neodeskpet.language import tr

_READ = {
    SourceKind.PAGE: N_("A web page was read."),
    SourceKind.SEARCH: N_("Search results were read."),
    SourceKind.FILE: N_("A file was read."),
    SourceKind.KNOWLEDGE: N_("A document was read."),
    SourceKind.NOTE: N_("A note was read."),
    SourceKind.MEMORY: N_("A remembered text of others was read."),
    SourceKind.TODO: N_("A to-do was read."),
    SourceKind.CALENDAR: N_("An appointment was read."),
    SourceKind.CLIPBOARD: N_("The clipboard was read."),
    SourceKind.SCREEN: N_("The screen was read."),
    SourceKind.PROGRAM: N_("Text of another program was read."),
    SourceKind.PICTURE: N_("A picture was read."),
    SourceKind.ARCHIVE: N_("Imported text was read."),
    SourceKind.SYNC: N_("Text from the sync server was read."),
    SourceKind.WORLD_BOOK: N_("A world book was read."),
    SourceKind.EARLIER: N_("An earlier tool result was read."),
    SourceKind.OTHER: N_("Text of others was read."),
}


def approval_reason(question: FlowQuestion) -> str:
    """Return the reason, such as "A file was read. This would send the text below to
    collect.example."
    """
    read = _read_words(question.read[0]) if question.read else tr(_READ[SourceKind.OTHER])
    return tr("{read} {would}", read=read, would=_would_words(question))


def _read_words(source: DataSource) -> str:
    if source.material is SourceKind.SERVER:
        return tr("The tools of {name} answered.", name=_named(source.name))
    return tr(_READ[source.material])


def _would_words(question: FlowQuestion) -> str:
    to = _named(question.to) or tr("somebody else")
    match question.cause:
        case FlowCause.COMPOSED | FlowCause.SERVER:
            return tr("This would send the text below to {name}.", name=to)
        case FlowCause.FOUND:
            return tr(
                "Private data was read too. This would call an address found there, at {name}.",
                name=to,
            )
        case FlowCause.MANY:
            return tr("This would call one more address found there, at {name}.", name=to)
        case FlowCause.CLIPBOARD:
            return tr("This would put the text below into the clipboard.")
        case FlowCause.LATER:
            return tr("A model would act on the text below later.")
        case FlowCause.PROGRAM:
            return tr("This would run a program.")
        case _:
            assert_never(question.cause)


def _named(name: str) -> str:
    return show_hidden_chars(name.removeprefix("mcp "))[:80]


def private_spans(question: FlowQuestion, text: str) -> Iterator[tuple[int, int]]:
    """Yield the positions of the pieces of private data in `text`, plain or URL-encoded."""
    forms = {form for one in question.carried for form in (one, quote(one), quote_plus(one))}
    if not forms:
        return
    longest_first = sorted(forms, key=len, reverse=True)
    pattern = "|".join(map(re.escape, longest_first))
    for found in re.finditer(pattern, text, re.IGNORECASE):
        yield found.span()


def mark_private_spans(question: FlowQuestion, text: str) -> str:
    """Return `text` with the pieces of private data between ⟪ and ⟫, for terminals
    without colours.
    """
    out, at = [], 0
    for begin, end in private_spans(question, text):
        out += [text[at:begin], "⟪", text[begin:end], "⟫"]
        at = end
    return "".join((*out, text[at:]))
