"""Templates of leaked calls: literal text with places, compiled to steps.

`{name}` is a place. A word that the declaration lists under `marks` represents any of its texts;
`{word?}` may also be missing. `docs/call-forms.md` explains the places.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from neodeskpet.core.dialects.leaked.source import NAME, CutError, NoCallError, Reading, Source
from neodeskpet.core.dialects.leaked.steps import (
    KEY,
    STOPS,
    Calls,
    Filled,
    Input,
    Json,
    Matching,
    Object,
    Place,
    Python,
    Space,
    Step,
    Text,
    Tool,
    Value,
    Word,
)


class BadDeclaration(ValueError):
    """An invalid declaration; the text gives the reason, in English."""


@dataclass(frozen=True, slots=True)
class Template:
    """`openings` are the literal texts with which it may begin."""

    steps: tuple[Step, ...]
    openings: tuple[str, ...]
    optional: bool
    """It also matches the empty text."""

    def read(self, source: Source, filled: Filled) -> Reading[None]:
        """Read the template. Raises NoCallError and CutError. White space before a missing part
        isn't read.
        """
        end = source.at
        for step in self.steps:
            here = source.at
            yield from step.read(source, filled)
            if source.at > here and not isinstance(step, Space):
                end = source.at
        source.at = end

    def passes(self, source: Source) -> Reading[bool]:
        """Read the template, if it is here; return whether it is. A part of it at the end of the
        text counts too.
        """
        here = source.at
        try:
            yield from self.read(source, Filled())
        except NoCallError:
            source.at = here
        except CutError:
            source.at = len(source.text) if source.text[here:].strip() else here
            return source.at > here
        return source.at > here


_PLACE = re.compile(r"\{(\w+)(\??)\}")
_ARGUMENTS = frozenset({Place.JSON, Place.CALLS, Place.PYTHON, Place.OBJECT, Place.INPUT})
"""White space between them and literal text is ignored."""
_FIRST = {
    Place.JSON: ("{",),
    Place.CALLS: ("[", "{"),
    Place.OBJECT: ("{",),
    Place.PYTHON: ("[",),
}
_MOST_OPENINGS = 512

Part = Text | Place


def parts_of(template: str, marks: Mapping[str, tuple[str, ...]]) -> tuple[Part, ...]:
    """Return the parts of a template. Raises BadDeclaration."""
    literal, *rest = _PLACE.split(template)
    parts: list[Part] = []
    keyed = False
    for word, optional, behind in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        if word in marks:
            parts += [Text((literal,))] if literal else []
            parts.append(Text(marks[word], optional=bool(optional)))
            literal = behind
            continue
        place = _place(word, template)
        if optional:
            raise BadDeclaration(f"{{{word}?}} of {template!r}: only marks can be missing")
        if place is Place.KEY and keyed:
            literal += KEY + behind
            continue
        keyed = keyed or place is Place.KEY
        parts += [Text((literal,))] if literal else []
        parts.append(place)
        literal = behind
    parts += [Text((literal,))] if literal else []
    return tuple(_spaced(parts))


def _place(word: str, template: str) -> Place:
    try:
        return Place(word)
    except ValueError:
        raise BadDeclaration(f"{{{word}}} of {template!r} is neither a place nor a mark") from None


def _spaced(parts: Sequence[Part]) -> Iterable[Part]:
    """Yield the parts, with white space between literal text and arguments."""
    for at, part in enumerate(parts):
        before = parts[at - 1] if at else None
        behind = parts[at + 1] if at + 1 < len(parts) else None
        if not isinstance(part, Text) or part.optional:
            yield part
            continue
        texts = part.texts
        if before in _ARGUMENTS:
            yield Place.SPACE
            texts = tuple(text.lstrip() for text in texts)
        if behind in _ARGUMENTS:
            texts = tuple(text.rstrip() for text in texts)
        if any(texts):
            yield Text(texts)
        if behind in _ARGUMENTS:
            yield Place.SPACE


def openings_of(parts: Iterable[Part]) -> tuple[str, ...]:
    """Return the texts with which a template may begin: its text before the first place; NAME for
    `{tool}`.
    """
    return _first(parts)[0]


def _first(parts: Iterable[Part]) -> tuple[tuple[str, ...], bool]:
    """Return the texts with which `parts` may begin, and whether they may be missing."""
    found: list[str] = []
    begun = [""]
    for part in parts:
        if isinstance(part, Text):
            if len(begun) * len(part.texts) > _MOST_OPENINGS:
                raise BadDeclaration("there are too many marks in one template")
            longer = [one + text for one in begun for text in part.texts]
            begun = [*begun, *longer] if part.optional else longer
        elif part is Place.TOOL:
            begun = [one + NAME for one in begun]
        elif part is Place.SPACE:
            found += begun
            begun = [""] if "" in begun else []
        else:
            found += [one + letter for one in begun for letter in _FIRST.get(part, ("",))]
            begun = []
        if not begun:
            break
    return tuple(dict.fromkeys(filter(None, (*found, *begun)))), "" in begun


def build(
    parts: tuple[Part, ...], after: Sequence[str] = (), *, weak: bool = False, escaped: bool = False
) -> Template:
    """Compile a template. `after` are texts that may follow it. Raises BadDeclaration."""
    steps: list[Step] = []
    for at, part in enumerate(parts):
        rest = parts[at + 1 :]
        if isinstance(part, Text):
            steps.append(part)
        elif part in STOPS:
            steps.append(Word(part, _word_ends(part, rest, after), escaped))
        elif part is Place.VALUE:
            steps.append(_value(rest, after))
        elif part is Place.JSON:
            steps.append(Json(marked=at > 0 and not weak and Place.TOOL not in parts))
        elif part is Place.CALLS:
            steps.append(Calls(weak))
        else:
            steps.append(_SIMPLE[part])
    optional = all(isinstance(part, Text) and part.optional for part in parts)
    return Template(tuple(steps), openings_of(parts), optional)


_SIMPLE: Mapping[Place, Step] = {
    Place.TOOL: Tool(),
    Place.PYTHON: Python(),
    Place.OBJECT: Object(),
    Place.INPUT: Input(),
    Place.SPACE: Space(),
    Place.WORD: Matching(re.compile(r"[\w.\-]{0,128}")),
    Place.NUMBER: Matching(re.compile(r"[0-9]{0,9}")),
}


def _word_ends(place: Place, rest: tuple[Part, ...], after: Sequence[str]) -> tuple[str, ...]:
    ends, is_open = _first(rest)
    ends = (*ends, *(after if is_open else ()))
    behind = [one for one in rest if not (isinstance(one, Text) and one.optional)]
    on_line = behind[:1] == [Place.SPACE] or (is_open and after)
    return _needed((*ends, *(("\n",) if on_line else ())), place)


def _value(rest: Sequence[Part], after: Sequence[str]) -> Value:
    ends, is_open = _first(rest)
    others = tuple(after) if is_open else ()
    _needed((*ends, *others), Place.VALUE)
    return Value(ends, others)


def _needed(ends: tuple[str, ...], template: Place) -> tuple[str, ...]:
    if not ends:
        raise BadDeclaration(f"text is needed after {{{template.value}}}")
    return ends
