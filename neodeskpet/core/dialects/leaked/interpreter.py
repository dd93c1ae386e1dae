"""Interprets declared families (`declaration.py`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from neodeskpet.core.dialects.leaked.declaration import Declaration, WithinLine
from neodeskpet.core.dialects.leaked.source import (
    APART,
    NAME,
    SENTENCE,
    CutError,
    Family,
    Ignored,
    NoCallError,
    Reading,
    Source,
    Thought,
    any_of,
    load,
)
from neodeskpet.core.dialects.leaked.steps import Filled, Place, Text
from neodeskpet.core.dialects.leaked.template import (
    BadDeclaration,
    Part,
    Template,
    build,
    openings_of,
    parts_of,
)

_LEAST = 4
"""Minimum length of an opening in a user's declaration: a shorter one would hold back all text."""
_WITHIN = {
    WithinLine.NEVER: None,
    WithinLine.APART: APART,
    WithinLine.AFTER_SENTENCE: SENTENCE,
}


def families_of(declaration: Declaration) -> tuple[Family, ...]:
    """Return the families of `declaration`: one for each form of its calls, for thinking and for
    hidden marks. Raises BadDeclaration.
    """
    found: list[Family] = []
    within = _WITHIN[declaration.within_line]
    if declaration.thinking:
        begin, end = declaration.thinking
        thought = _Mark(_choice((begin,), declaration.marks), declaration.line_start, (end,))
        found.append(Family(declaration.name, thought.mark.openings, thought.read))
    if declaration.hidden:
        mark = _Mark(_choice(declaration.hidden, declaration.marks), declaration.line_start)
        found.append(Family(declaration.name, mark.mark.openings, mark.read))
    for call in declaration.call:
        form = _compiled(declaration, call)
        openings = _shortest((*form.begin.openings, *form.own_openings))
        if not openings:
            raise BadDeclaration(f"the call {call!r} needs text to begin with")
        found.append(Family(declaration.name, openings, form.read, declaration.weak, within))
    if not found:
        raise BadDeclaration("a declaration needs a call, thinking or hidden marks")
    return tuple(found)


def families_of_user(declarations: Iterable[Declaration]) -> tuple[Family, ...]:
    """Return the families of a user's declarations. Raises BadDeclaration."""
    found = [family for one in declarations for family in families_of(one)]
    for family in found:
        for opening in family.openings:
            if len(opening.replace(NAME, "")) < _LEAST:
                raise BadDeclaration(f"{opening!r} is shorter than {_LEAST} characters")
    return tuple(found)


def _shortest(openings: Sequence[str]) -> tuple[str, ...]:
    """Return the openings that don't begin with another one."""
    every = set(openings)
    return tuple(
        one
        for one in dict.fromkeys(openings)
        if not any(one[:end] in every for end in range(1, len(one)))
    )


# Hidden marks and thinking


@dataclass(frozen=True, slots=True)
class _Choice:
    """One of several templates; `texts` are the templates without places, in all spellings."""

    texts: tuple[str, ...]
    templates: tuple[Template, ...]

    @property
    def openings(self) -> tuple[str, ...]:
        return (*self.texts, *(one for each in self.templates for one in each.openings))

    def passes(self, source: Source) -> Reading[bool]:
        """Read one of them, if it is here; return whether it is."""
        if self.texts and (yield from source.starts(*self.texts)):
            return True
        for template in self.templates:
            if (yield from template.passes(source)):
                return True
        return False

    def closes(self, source: Source) -> Reading[bool]:
        """Read white space and one of them, if both are here, or a part of one at the end of the
        text.
        """
        if self.texts and (yield from source.closing(*self.texts)):
            return True
        here = source.at
        yield from source.space()
        for template in self.templates:
            if (yield from template.passes(source)):
                return True
        source.at = here
        return False


_NONE = _Choice((), ())


def _choice(templates: Sequence[str], marks: Mapping[str, tuple[str, ...]]) -> _Choice:
    if not templates:
        return _NONE
    texts: list[str] = []
    others: list[Template] = []
    for parts in (parts_of(one, marks) for one in templates):
        if all(isinstance(part, Text) and not part.optional for part in parts):
            texts += openings_of(parts)
        else:
            others.append(build(parts))
    return _Choice(tuple(texts), tuple(others))


@dataclass(frozen=True, slots=True, eq=False)
class _Mark:
    """A hidden mark; with `ends`, thinking follows it."""

    mark: _Choice
    line_start: bool
    ends: tuple[str, ...] = ()

    def read(self, source: Source) -> Reading[None]:
        if self.line_start and source.line().strip():
            raise NoCallError
        if not (yield from self.mark.passes(source)):
            raise NoCallError
        source.items.append(Thought(self.ends) if self.ends else Ignored())


# Calls


@dataclass(frozen=True, slots=True, eq=False)
class _Form:
    """One form of calls. `own_openings` are the openings of a call that can occur without `begin`.
    `recovery` finds the end of JSON with unmatched brackets.
    """

    declaration: Declaration
    begin: _Choice
    end: _Choice
    noise: _Choice
    call: Template
    call_end: Template | None
    arguments: tuple[Template, ...]
    body: Template | None
    own_openings: tuple[str, ...]
    recovery: re.Pattern[str] | None

    def read(self, source: Source) -> Reading[None]:
        declared = self.declaration
        if declared.line_start and source.line().strip():
            raise NoCallError
        begun = yield from self.begin.passes(source)
        if declared.needs_begin and not begun:
            raise NoCallError
        yield from self._space(source)
        here = source.at
        try:
            yield from self._call(source)
        except CutError:
            if not self._recovers(source, here):
                raise
        yield from self._others(source, begun=begun)

    def _others(self, source: Source, *, begun: bool) -> Reading[None]:
        """Read further calls, and the end."""
        while True:
            if (yield from self.end.closes(source)):
                return
            here, items = source.at, len(source.items)
            if begun or not self.declaration.weak:
                yield from self._space(source)
                if (yield from self.end.closes(source)):
                    return
                further = source.at
                try:
                    yield from self._call(source)
                    continue
                except NoCallError:
                    pass
                except CutError:
                    if source.is_calling or self._begins(source.text[further:]):
                        raise
            if begun and self.declaration.weak and self.end is not _NONE:
                raise CutError if source.ended and source.at >= len(source.text) else NoCallError
            source.at = here
            del source.items[items:]
            return

    def _begins(self, rest: str) -> bool:
        """Return whether `rest` begins with the opening of a call, or is the beginning of one."""
        return bool(rest) and any(
            one.startswith(rest) or rest.startswith(one) for one in self.call.openings
        )

    def _recovers(self, source: Source, begun: int) -> bool:
        """Find the end in spite of unmatched brackets or quotes, and record the call that can't be
        read; return whether it succeeded.
        """
        end = self.recovery.search(source.text, begun) if self.recovery else None
        if end is None or not source.spoil(begun, end.start()):
            return False
        source.at = end.start()
        return True

    def _call(self, source: Source) -> Reading[None]:
        filled = Filled()
        yield from self.call.read(source, filled)
        if filled.complete:
            source.call(filled.name, filled.arguments)
        elif not filled.called:
            values: dict[str, object] = {filled.key: filled.value} if filled.key else {}
            if (yield from self._arguments(source, filled.name, values)):
                return
        if self.call_end is not None:
            here = source.at
            yield from self._space(source)
            if not (yield from self.call_end.passes(source)):
                source.at = here

    def _arguments(self, source: Source, name: str, values: dict[str, object]) -> Reading[bool]:
        """Read the arguments and the end of the call. Returns False if the end still has to be
        read: after one JSON text it may be missing.
        """
        end = self.call_end
        while True:
            here = source.at
            yield from self._space(source)
            if end is not None and (yield from _reads_template(source, end, Filled())):
                break
            filled = Filled()
            if self.body is not None and (yield from _reads_template(source, self.body, filled)):
                source.call(name, filled.arguments)
                return False
            if (yield from self._argument(source, values)):
                continue
            needed = end is not None and not end.optional
            if source.ended and self._may_follow(source, needed=needed):
                raise CutError
            if needed:
                raise NoCallError
            source.at = here
            break
        source.written(name, values)
        return True

    def _argument(self, source: Source, values: dict[str, object]) -> Reading[bool]:
        """Read an argument into `values`, if there is one here; return whether there is."""
        for argument in self.arguments:
            filled = Filled()
            if (yield from _reads_template(source, argument, filled)):
                values[filled.key] = _value(filled)
                return True
        return False

    def _may_follow(self, source: Source, *, needed: bool) -> bool:
        """Return whether the text ends where an argument or the end of the call may begin. An empty
        rest counts if the end is `needed`.
        """
        templates = (*self.arguments, self.body, self.call_end)
        openings = [one for each in templates if each is not None for one in each.openings]
        longest = max(map(len, openings), default=0)
        rest = source.text[source.at : source.at + longest + 1]
        return (needed or bool(rest)) and any(one.startswith(rest) for one in openings)

    def _space(self, source: Source) -> Reading[None]:
        """Skip white space and noise."""
        yield from source.space()
        while self.noise is not _NONE and (yield from self.noise.passes(source)):
            yield from source.space()


def _reads_template(source: Source, template: Template, filled: Filled) -> Reading[bool]:
    """Read `template`, if it is here; return whether it is. Raises CutError if the text ends inside
    it.
    """
    here = source.at
    try:
        yield from template.read(source, filled)
    except NoCallError:
        source.at = here
        return False
    except CutError:
        if source.at > here:
            raise
        return False
    return source.at > here


_JSON_TYPED = re.compile(r"""string=["']?false|^(?!.*str)""", re.DOTALL)
"""Matches a type that marks a value as JSON: DeepSeek's attribute, or a type that isn't a
string.
"""


def _value(filled: Filled) -> object:
    """Return a value, parsed as JSON if its type isn't a string."""
    if not filled.type or _JSON_TYPED.search(filled.type) is None:
        return filled.value
    try:
        return load(filled.value.strip())
    except NoCallError:
        return filled.value


def _compiled(declared: Declaration, call: str) -> _Form:
    def parts(template: str) -> tuple[Part, ...]:
        return parts_of(template, declared.marks)

    def built(template: str, after: Sequence[str] = ()) -> Template:
        return build(parts(template), after, weak=declared.weak, escaped=declared.escaped)

    own = parts(call)
    held = {part for one in (call, declared.body) for part in parts(one) if part in _COMPLETE}
    if Place.NAME not in own and Place.TOOL not in own and not held & _NAMING:
        raise BadDeclaration(f"the call {call!r} has no place for a {{name}}")
    if not (declared.argument or held or Place.KEY in own):
        raise BadDeclaration("there is no place for arguments")
    arguments = [parts(one) for one in declared.argument]
    heads = [one for each in arguments for one in openings_of(each)]
    heads += openings_of(parts(declared.call_end))
    body = parts(declared.body)
    return _Form(
        declared,
        begin=_choice(declared.begin, declared.marks),
        end=(end := _choice(declared.end, declared.marks)),
        noise=_choice(declared.noise, declared.marks),
        call=built(call, (*heads, *openings_of(body))),
        call_end=built(declared.call_end) if declared.call_end else None,
        arguments=tuple(built(one, heads) for one in declared.argument),
        body=built(declared.body) if declared.body else None,
        own_openings=() if declared.needs_begin else openings_of(own),
        recovery=any_of(end.openings) if Place.CALLS in own and end.openings else None,
    )


_NAMING = frozenset({Place.CALLS, Place.PYTHON})
_COMPLETE = _NAMING | {Place.JSON, Place.OBJECT, Place.INPUT}
