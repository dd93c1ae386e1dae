"""The information-flow policy: which calls could pass on data that was read, and must therefore
ask.

A model that has read untrusted text may obey instructions in it. While such text is in its context,
these calls ask: calls that could send data to somebody (a composed address, a foreign tool, the
clipboard), calls that make a model act later, and calls that run a program. A `ContextReading` is
everything that the model reads in a round, collected from the messages and the other parts of the
request. `flow_question` decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from string import ascii_lowercase, ascii_uppercase
from typing import assert_never
from urllib.parse import unquote_plus, urlsplit

from neodeskpet.core.blocks import (
    Document,
    Image,
    Message,
    Notice,
    Role,
    Text,
    Thinking,
    ToolStatus,
    ToolUse,
)
from neodeskpet.core.data_labels import (
    NO_LABELS,
    DataSource,
    FlowCause,
    FlowQuestion,
    Labels,
    SourceKind,
    join_labels,
    labels_of,
)
from neodeskpet.core.grant_scope import ScopeKind, read_scope_value
from neodeskpet.core.toolspec import Disclosure, Risk, ToolSpec

FREE_FOUND_ADDRESSES = 5
"""Addresses found in untrusted text that are fetched without a question, in one reply."""
_LONGEST = 200_000
"""Characters of private text that are searched for pieces of the arguments."""
_PIECES = 40
"""Pieces that are listed in the question."""
_LEAST = 4
"""From this many characters on, an argument can count as the user's own words; a Chinese character
counts as two.
"""
_FEW = 8
"""Most values of a call that may come from the user's own words: the number and order of more
values could carry other data.
"""
_OUTSIDE = frozenset(SourceKind) - {
    SourceKind.NOTE,
    SourceKind.MEMORY,
    SourceKind.TODO,
    SourceKind.CALENDAR,
    SourceKind.EARLIER,
    SourceKind.OTHER,
}
"""Sources with text of others. The remaining sources may repeat what the model wrote."""


@dataclass(frozen=True, slots=True)
class ContextReading:
    """Everything that a model reads. `person`: the user's messages. `given`: further texts of the
    user (recalled messages, settings). `listed`: addresses in the search service's results.
    `others`: texts that others wrote. `private`: private texts. Text that the model wrote, and text
    in which a tool repeats a call, is in none of them: an address that the model composed must not
    be found there.
    """

    labels: Labels = NO_LABELS
    person: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    private: tuple[str, ...] = ()


def join_context_readings(readings: Iterable[ContextReading]) -> ContextReading:
    """Join several readings into one."""
    every = tuple(readings)
    return ContextReading(
        join_labels(one.labels for one in every),
        tuple(text for one in every for text in one.person),
        tuple(text for one in every for text in one.given),
        tuple(text for one in every for text in one.listed),
        tuple(text for one in every for text in one.others),
        tuple(text for one in every for text in one.private),
    )


def reading_of_text(text: str, labels: Labels) -> ContextReading:
    """Return the reading of one text that the user didn't write."""
    sources = {*labels.untrusted, *labels.private}
    outside = bool(labels.untrusted) and all(one.material in _OUTSIDE for one in sources)
    return ContextReading(
        labels,
        others=(text,) if outside else (),
        private=(text,) if labels.private else (),
    )


_FILE = labels_of(DataSource(SourceKind.FILE), untrusted=True)
_PAGE = labels_of(DataSource(SourceKind.PAGE), untrusted=True)
_PICTURE = labels_of(DataSource(SourceKind.PICTURE), untrusted=True)


def reading_of_messages(messages: Iterable[Message]) -> ContextReading:
    """Return the reading of these messages."""
    return join_context_readings(
        reading for message in messages for reading in _read_message(message)
    )


def _read_message(message: Message) -> Iterator[ContextReading]:
    person = message.role is Role.USER
    for block in message.blocks:
        match block:
            case Text(text=text, untrusted=untrusted):
                if not person:
                    yield ContextReading(Labels(untrusted))
                elif untrusted:
                    yield reading_of_text(text, Labels(untrusted))
                else:
                    yield ContextReading(person=(text,))
            case Document(text=text):
                yield reading_of_text(text, _FILE)
            case Image(description=description) if person:
                yield reading_of_text(description, _PICTURE)
            case Image():
                pass  # the model made it
            case ToolUse():
                yield from _read_result(block)
            case Thinking() | Notice():
                pass
            case _:
                assert_never(block)


def _read_result(call: ToolUse) -> Iterator[ContextReading]:
    if call.status not in (ToolStatus.SUCCESS, ToolStatus.ERROR):
        return
    text = call.output or call.error
    if call.task and call.labels == Labels(private=(DataSource(SourceKind.CALENDAR),)):
        # The user wrote or approved the texts of due appointments.
        yield ContextReading(call.labels, given=(text,))
        return
    read = reading_of_text(text, call.labels)
    if call.status is ToolStatus.ERROR and call.labels != _PAGE:
        read = replace(read, others=())  # an error may repeat the arguments
    yield replace(read, listed=tuple(_results(call)))


def _results(call: ToolUse) -> Iterator[str]:
    """Yield the addresses of the search service's results, without those in the texts, which the
    authors of the pages wrote.
    """
    searched = any(one.material is SourceKind.SEARCH for one in call.labels.untrusted)
    rows = call.data.get("results") if searched and isinstance(call.data, Mapping) else None
    for row in rows if isinstance(rows, list | tuple) else ():
        if isinstance(row, Mapping):
            yield str(row.get("url", ""))


# Addresses


class AddressOrigin(Enum):
    """The origin of an address, compared literally. GIVEN: the user wrote it. LISTED: the search
    service returned it. FOUND: it occurs in other text that was read. COMPOSED: the model invented
    or composed it.
    """

    GIVEN = auto()
    LISTED = auto()
    FOUND = auto()
    COMPOSED = auto()


def address_origin(
    address: str, reading: ContextReading, *, with_fragment: bool = False
) -> AddressOrigin:
    """Return the origin of `address`. Its fragment counts only `with_fragment`, because pages in a
    browser can read it and servers can't.
    """
    spellings = _spellings(address, with_fragment=with_fragment)
    for origin, texts in (
        (AddressOrigin.GIVEN, (*reading.person, *reading.given)),
        (AddressOrigin.LISTED, reading.listed),
        (AddressOrigin.FOUND, reading.others),
    ):
        if any(_contains_address(one, text) for text in texts for one in spellings):
            return origin
    return AddressOrigin.COMPOSED


def _spellings(address: str, *, with_fragment: bool) -> tuple[str, ...]:
    """Return the spellings of this address that people and pages use. Path and query must match
    exactly: each further spelling could carry data.
    """
    try:
        parts = urlsplit(address.strip())
        host = (parts.hostname or "").lower()
        port = parts.port
    except ValueError:
        return ()
    if parts.scheme not in ("http", "https") or not host or "@" in parts.netloc:
        return ()
    host = f"[{host}]" if ":" in host else host
    usual = {"http": 80, "https": 443}[parts.scheme]
    place = host if port in (None, usual) else f"{host}:{port}"
    rest = parts.path + (f"?{parts.query}" if parts.query else "")
    bare = rest.rstrip("/")
    ends = dict.fromkeys((rest, bare, f"{bare}/") if not parts.query else (rest,))
    if parts.fragment and with_fragment:
        ends = dict.fromkeys(f"{one}#{parts.fragment}" for one in ends)
    starts = (f"https://{place}", f"http://{place}", place)
    return tuple(f"{start}{end}" for start in starts for end in ends)


_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
_BEFORE = re.compile(r"[\w.@/%-]")
_AFTER = re.compile(r"""(?:[.,;:!?*_~]*(?:$|[\s#)\]}>"'`|\\<]|[^\x00-\x7f]))""")


def _contains_address(spelling: str, text: str) -> bool:
    """Return whether `text` contains this address as a whole."""
    folded, wanted = text.translate(_LOWER), spelling.translate(_LOWER)
    begin = spelling.find("/", spelling.find("://") + 3 if "://" in spelling else 0)
    path = spelling[begin:] if begin >= 0 else ""  # only scheme and host may differ in case
    at = folded.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        whole = wanted.startswith("http") or not (at and _BEFORE.match(folded[at - 1]))
        if whole and _AFTER.match(text, end) and text[end - len(path) : end] == path:
            return True
        at = folded.find(wanted, at + 1)
    return False


# The user's own words


def is_user_text(
    value: object,
    reading: ContextReading,
    enums: Iterable[object] = (),
    *,
    names: Iterable[str] | None = None,
    exact: bool = False,
) -> bool:
    """Return whether all texts in `value` (JSON) are words that the user wrote, compared literally.
    `enums` are values that a schema lists, `names` the property names it declares (None: any).
    `exact`: spelling, number and order of the words, and other values, must not carry data either.
    """
    if names is not None and not set(_keys(value)) <= set(names):
        return False
    listed = {one for one in enums if isinstance(one, str)}
    leaves = [one for one in _leaves(value) if one not in listed]
    if exact and (_count(value) > _FEW or len(set(leaves)) < len(leaves)):
        return False
    texts = [" ".join(text.split()) for text in reading.person]
    return any(_weight(one) >= _LEAST for one in leaves) and all(
        any(_is_written(text, one, exact=exact) for text in texts) for one in leaves
    )


def _is_written(text: str, words: str, *, exact: bool) -> bool:
    if not _has_words(text.casefold(), _plain(words)):
        return False
    usual = words in (words.lower(), words.capitalize(), words.title())
    return not exact or _has_words(text, words) or (usual and words == " ".join(words.split()))


def _weight(words: str) -> int:
    return sum(2 if _HAN.match(letter) else 1 for letter in words)


def _keys(value: object) -> Iterator[str]:
    match value:
        case Mapping():
            for key, one in value.items():
                yield str(key)
                yield from _keys(one)
        case list() | tuple():
            for one in value:
                yield from _keys(one)
        case _:
            return


def _count(value: object) -> int:
    """Return the number of values, including those inside lists and objects."""
    match value:
        case Mapping():
            return sum(1 + _count(one) for one in value.values())
        case list() | tuple():
            return sum(1 + _count(one) for one in value)
        case str() if value and not value.strip():
            return _FEW + 1  # the number of blanks could carry data
        case bool() | None:
            return _FEW // 2  # several of them could encode data
        case _:
            return 0


def _leaves(value: object) -> Iterator[str]:
    match value:
        case bool() | None:
            return
        case str():
            if value.strip():
                yield value
        case int() | float():
            yield str(value)
        case Mapping():
            for one in value.values():
                yield from _leaves(one)
        case list() | tuple():
            for one in value:
                yield from _leaves(one)
        case _:
            yield str(value)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _has_words(text: str, words: str) -> bool:
    at = text.find(words)
    while at >= 0:
        end = at + len(words)
        before = at == 0 or not _joins(text[at - 1], words[0])
        after = end == len(text) or not _joins(words[-1], text[end])
        if before and after:
            return True
        at = text.find(words, at + 1)
    return False


def _joins(first: str, second: str) -> bool:
    """Return whether these two characters belong to one word. Chinese has no spaces
    between words.
    """
    return first.isascii() and second.isascii() and first.isalnum() and second.isalnum()


_WORD = re.compile(r"[a-z0-9\u00c0-\u024f\u0370-\u052f]+|[\u3040-\u30ff\u3400-\u9fff]")
_COMMON = (
    "a an the this that it is are of in on at to for from with and or as by me my you your i we "
    "our us them their they person user please tell say give show let what when how do did done "
    "about now today 的 了 在 是 我 你 他 她 们 这 那 和 与 请 给 把 就 要 为 告 诉"
)
_FILLING = frozenset(_COMMON.split())


def is_said_by_user(text: str, reading: ContextReading) -> bool:
    """Return whether one message of the user contains all words of `text`, except common ones, and
    its addresses and numbers as a whole.
    """
    words = set(_WORD.findall(text.casefold())) - _FILLING
    if not words:
        return False
    whole = {one for one in _ascii_words(text) if _JOINED.search(one)}
    return any(
        words <= set(_WORD.findall(one.casefold())) and whole <= set(_ascii_words(one))
        for one in reading.person
    )


_ASCII = re.compile(r"[!-~]+")
_JOINED = re.compile(r"[./:@?=&%#\\]")
_EDGES = ".,;:!?()[]{}<>\"'`*_~"


def _ascii_words(text: str) -> Iterator[str]:
    return (one.strip(_EDGES) for one in _ASCII.findall(text))


# Data that a call would send


_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]{2,}|[^\W_]{3,}")
_HAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


def carried_private_text(
    arguments: Mapping[str, object], reading: ContextReading
) -> tuple[str, ...]:
    """Return the pieces of the arguments that occur in the private data and not in the user's
    messages.
    """
    hidden = "\n".join(reading.private)[:_LONGEST].casefold()
    said = "\n".join(reading.person).casefold()
    known, own = set(_TOKEN.findall(hidden)), set(_TOKEN.findall(said))
    found: dict[str, None] = {}
    for leaf in _leaves(arguments):
        for token in _TOKEN.findall(unquote_plus(leaf)):
            folded = token.casefold()
            if _HAN.match(token):
                is_repeated = folded in hidden and folded not in said
            else:
                is_repeated = folded in known and folded not in own
            if is_repeated:
                found[token] = None
    return tuple(found)[:_PIECES]


# The policy


def uses_found_address(
    spec: ToolSpec, arguments: Mapping[str, object], reading: ContextReading
) -> bool:
    """Return whether this call uses an address from untrusted text."""
    if not reading.labels.untrusted:
        return False
    origins = [_origin(spec, one, reading) for one in _addresses(spec, arguments)]
    return AddressOrigin.FOUND in origins


def flow_question(
    spec: ToolSpec,
    arguments: Mapping[str, object],
    reading: ContextReading,
    *,
    found: int = 0,
    reads_only: bool = False,
) -> FlowQuestion | None:
    """Return why this call asks because of what was read; None if it need not ask. `found` is the
    number of found addresses that this reply has used. `reads_only`: the user marked the tool as
    one that only reads.
    """
    if not reading.labels.untrusted:
        return None
    read = FlowQuestion(FlowCause.COMPOSED, reading.labels.untrusted, reading.labels.private)
    if not spec.foreign:
        question = _own_question(spec, arguments, reading, read, found)
    elif _server_asks(spec, arguments, reading, reads_only=reads_only):
        question = replace(read, cause=FlowCause.SERVER, to=spec.source)
    else:
        question = None
    if question is None:
        return None
    return replace(question, carried=carried_private_text(arguments, reading))


def _own_question(
    spec: ToolSpec,
    arguments: Mapping[str, object],
    reading: ContextReading,
    question: FlowQuestion,
    found: int,
) -> FlowQuestion | None:
    if spec.risk is Risk.RUN:
        return replace(question, cause=FlowCause.PROGRAM)
    if spec.in_background(arguments) or _acts_later(spec, arguments, reading):
        return replace(question, cause=FlowCause.LATER)
    match spec.sends:
        case Disclosure.NOTHING:
            return None
        case Disclosure.CONTENT:
            return (
                None
                if is_user_text(arguments, reading)
                else replace(question, cause=FlowCause.CLIPBOARD)
            )
        case Disclosure.ADDRESS | Disclosure.WHOLE_ADDRESS:
            return _address_question(spec, arguments, reading, question, found)
        case _:
            assert_never(spec.sends)


def _acts_later(spec: ToolSpec, arguments: Mapping[str, object], reading: ContextReading) -> bool:
    given = [str(arguments.get(name) or "") for name in spec.later]
    if not given or not given[0].strip():
        return False
    return not all(is_said_by_user(text, reading) for text in given if text.strip())


def _address_question(
    spec: ToolSpec,
    arguments: Mapping[str, object],
    reading: ContextReading,
    question: FlowQuestion,
    found: int,
) -> FlowQuestion | None:
    for address in _addresses(spec, arguments):
        to = replace(question, to=read_scope_value(ScopeKind.HOST, address) or "")
        match _origin(spec, address, reading):
            case AddressOrigin.GIVEN | AddressOrigin.LISTED:
                pass
            case AddressOrigin.FOUND:
                if reading.labels.private:
                    return replace(to, cause=FlowCause.FOUND)
                if found >= FREE_FOUND_ADDRESSES:
                    return replace(to, cause=FlowCause.MANY)
            case AddressOrigin.COMPOSED:
                return to
    return None


def _origin(spec: ToolSpec, address: str, reading: ContextReading) -> AddressOrigin:
    whole = spec.sends is Disclosure.WHOLE_ADDRESS
    return address_origin(address, reading, with_fragment=whole)


def _addresses(spec: ToolSpec, arguments: Mapping[str, object]) -> Sequence[str]:
    if spec.sends not in (Disclosure.ADDRESS, Disclosure.WHOLE_ADDRESS):
        return ()
    names = [name for name, reach in spec.scope.items() if reach is ScopeKind.HOST]
    return [str(arguments[name]) for name in names if arguments.get(name) is not None]


def _server_asks(
    spec: ToolSpec, arguments: Mapping[str, object], reading: ContextReading, *, reads_only: bool
) -> bool:
    """Return whether a call of a foreign tool asks. A tool that only reads may get the data of its
    own server. If anything else was read, the open parts of the server's schema could make the
    model send that data, so the call asks.
    """
    own = DataSource(SourceKind.SERVER, spec.source)
    others = {*reading.labels.untrusted, *reading.labels.private} - {own}
    enums = () if others else _enums(spec.parameters)
    names = _properties(spec.parameters)
    if is_user_text(arguments, reading, enums, names=names, exact=bool(others)):
        return False
    return not (reads_only and not others)


def _properties(schema: object) -> Iterator[str]:
    """Yield all property names in a JSON Schema."""
    if isinstance(schema, Mapping):
        named = schema.get("properties")
        if isinstance(named, Mapping):
            yield from map(str, named)
        for one in schema.values():
            yield from _properties(one)
    elif isinstance(schema, list | tuple):
        for one in schema:
            yield from _properties(one)


def _enums(schema: object) -> Iterator[object]:
    """Yield all enum values in a JSON Schema."""
    if isinstance(schema, Mapping):
        listed = schema.get("enum")
        if isinstance(listed, list):
            yield from listed
        for one in schema.values():
            yield from _enums(one)
    elif isinstance(schema, list):
        for one in schema:
            yield from _enums(one)
