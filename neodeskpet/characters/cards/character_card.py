"""A character card as a value, with reading from and writing to JSON.

Source: https://github.com/kwaroran/character-card-spec-v3 (V3), and for V1 and V2
https://github.com/malfoyslastname/character-card-spec-v2. A card keeps the tree that it was read
from, in the form of V3, so unknown fields are kept. Each known field has its type; `null` counts as
absent, as in other programs.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from neodeskpet.characters.cards.card_errors import (
    MORE,
    NO_NAME,
    NOT_JSON,
    NOT_OBJECT,
    TOO_DEEP,
    TOO_LARGE,
    TOO_LONG,
    WORLD_BOOK,
    WRONG_TYPE,
    CardFault,
)
from neodeskpet.characters.persona import OURS, clean_name
from neodeskpet.core.i18n import Reason
from neodeskpet.core.unicode_text import cut_graphemes

LARGEST_JSON = 16_000_000
"""The largest number of characters of a card as JSON."""
MOST_TEXT_CHARACTERS = 100_000
"""The largest number of characters of one text."""
MOST_GREETINGS = 100
MOST_ENTRIES = 5_000
MOST_KEYS = 100
_DEEPEST = 60
_V1 = ("name", "description", "personality", "scenario", "first_mes", "mes_example")
_LONE = re.compile("[\ud800-\udfff]")
_ALONE_REPLACED = "\ufffd"

Tree = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class LoreEntry:
    """An entry that is included once one of its `keys` was mentioned. Entries are sorted by
    `order`, the lowest first; if not all fit, those with the lowest `priority` are omitted first.
    With `selective`, `logic` says how the `secondary` keys decide: "any" or "all" of them must be
    mentioned, "not any" or "not all" may be. `depth` is None if the book's value is used. `at` is
    "before" or "after" the character, or "end": after all messages.
    """

    keys: tuple[str, ...] = ()
    content: str = ""
    secondary: tuple[str, ...] = ()
    name: str = ""
    enabled: bool = True
    constant: bool = False
    selective: bool = False
    logic: str = "any"
    regex: bool = False
    case: bool = False
    whole: bool = False
    order: int = 100
    priority: int = 0
    depth: int | None = None
    at: str = "after"
    wakes: bool = True
    woken: bool = True
    """Whether it activates other entries, and is activated by them, if the book allows that."""


@dataclass(frozen=True, slots=True)
class Lorebook:
    """A world book. `depth`: the number of last messages that are searched for keys; `budget` in
    tokens, None for the app's limit.
    """

    entries: tuple[LoreEntry, ...] = ()
    name: str = ""
    depth: int = 4
    budget: int | None = None
    recursive: bool = False


@dataclass(frozen=True, slots=True)
class Card:
    """A character card. `system` replaces the app's usual description of the character ("": not
    replaced); `after` follows all messages. `tree` is the whole card in the form of V3. `problems`
    lists the parts that can't be used completely; they stay in the tree.
    """

    name: str
    nickname: str = ""
    description: str = ""
    personality: str = ""
    scenario: str = ""
    greeting: str = ""
    alternates: tuple[str, ...] = ()
    examples: str = ""
    system: str = ""
    after: str = ""
    notes: str = ""
    creator: str = ""
    book: Lorebook | None = None
    tree: Tree | None = None
    problems: tuple[Reason, ...] = ()

    @property
    def char_name(self) -> str:
        """The value of `{{char}}`."""
        return self.nickname or self.name

    @property
    def greetings(self) -> tuple[str, ...]:
        """All greetings with which a conversation may start."""
        return tuple(one for one in (self.greeting, *self.alternates) if one.strip())


_TEXTS = {
    "name": "name",
    "nickname": "nickname",
    "description": "description",
    "personality": "personality",
    "scenario": "scenario",
    "greeting": "first_mes",
    "examples": "mes_example",
    "system": "system_prompt",
    "after": "post_history_instructions",
    "notes": "creator_notes",
    "creator": "creator",
}
"""The texts of a card by the names in this code, with the names in the file."""


# Reading


CardProblems = list[Reason]
"""The list in which readers record unusable parts."""


def read_json(text: str, name: str = "") -> Card:
    """Read the card in a text; a card without a name is called `name`. Raises CardFault."""
    return read_tree(parse_json(text), name)


def parse_json(text: str) -> object:
    """Return the tree of any JSON text. Raises CardFault."""
    text = text.removeprefix("\ufeff")
    if len(text) > LARGEST_JSON:
        raise CardFault(TOO_LARGE, limit=str(LARGEST_JSON // 1_000_000))
    try:
        tree: object = json.loads(text, parse_constant=_refuse_constant, parse_float=_finite)
    except RecursionError:
        raise CardFault(TOO_DEEP) from None
    except json.JSONDecodeError as error:
        place = f"{error.lineno}:{error.colno}"
        raise CardFault(NOT_JSON, place=place) from None
    except ValueError as error:  # NaN, a number of ten thousand digits
        raise CardFault(NOT_JSON, place=str(error)[:60]) from None
    return tree


def read_tree(tree: object, name: str = "") -> Card:
    """Read the card of a JSON tree; a card without a name is called `name`. Unusable parts are
    listed in `odd`. Raises CardFault if the tree is no card at all.
    """
    if not isinstance(tree, dict) or not all(isinstance(key, str) for key in tree):
        raise CardFault(NOT_OBJECT)
    if _too_deep(tree):
        raise CardFault(TOO_DEEP)
    whole = _as_v3(tree)
    data = whole["data"]
    odd: CardProblems = []
    texts = {ours: _text(data, theirs, "data.", odd) for ours, theirs in _TEXTS.items()}
    texts["name"] = clean_name(texts["name"]) or clean_name(name)
    texts["nickname"] = clean_name(texts["nickname"])
    if not texts["name"]:
        raise CardFault(NO_NAME)
    alternates = _texts(data, "alternate_greetings", "data.", MOST_GREETINGS, odd)
    book = _book(data, odd)
    return Card(**texts, alternates=alternates, book=book, tree=whole, problems=tuple(odd))


def _refuse_constant(name: str) -> object:
    raise ValueError(name)


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        _refuse_constant(text)
    return number


def _too_deep(tree: object) -> bool:
    """Return whether a tree is too deep. It is searched level by level, because recursion in a deep
    tree would end the process.
    """
    level: list[object] = [tree]
    for _ in range(_DEEPEST):
        level = [
            child
            for one in level
            if isinstance(one, dict | list)
            for child in (one.values() if isinstance(one, dict) else one)
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True


def _as_v3(tree: dict[str, Any]) -> dict[str, Any]:
    """Return the tree in the form of V3; unknown fields of V1 are kept in the extensions."""
    data = tree.get("data")
    if isinstance(data, dict):
        return {**tree, "spec": "chara_card_v3", "spec_version": _version(tree), "data": data}
    if data is not None or not any(key in tree for key in _V1):
        raise CardFault(WORLD_BOOK if "entries" in tree else NOT_OBJECT)
    known = {key: tree[key] for key in _V1 if key in tree}
    rest = {key: value for key, value in tree.items() if key not in _V1}
    made: dict[str, Any] = {**known, **({"extensions": {"v1": rest}} if rest else {})}
    return {"spec": "chara_card_v3", "spec_version": "3.0", "data": made}


def _version(tree: Tree) -> str:
    known = str(tree.get("spec_version", ""))
    return known if tree.get("spec") == "chara_card_v3" and known.startswith("3.") else "3.0"


def _clean(text: str) -> str:
    """Replace lone surrogates, which no file can contain, by the replacement character."""
    return _LONE.sub(_ALONE_REPLACED, text).replace("\r\n", "\n").replace("\0", "")


def _text(tree: Tree, key: str, where: str, odd: CardProblems) -> str:
    found = tree.get(key)
    if found is None:
        return ""
    if not isinstance(found, str):
        odd.append(Reason(WRONG_TYPE, {"place": where + key}))
        return ""
    return _short(found, where + key, odd)


def _short(text: str, place: str, odd: CardProblems) -> str:
    if len(text) > MOST_TEXT_CHARACTERS:
        odd.append(Reason(TOO_LONG, {"place": place, "limit": str(MOST_TEXT_CHARACTERS)}))
        text = cut_graphemes(text, MOST_TEXT_CHARACTERS)
    return _clean(text)


def _texts(tree: Tree, key: str, where: str, most: int, odd: CardProblems) -> tuple[str, ...]:
    found = tree.get(key)
    place = where + key
    if found is None:
        return ()
    if isinstance(found, str):
        found = [found]
    if not isinstance(found, list):
        odd.append(Reason(WRONG_TYPE, {"place": place}))
        return ()
    texts = [one for one in found if isinstance(one, str)]
    if len(texts) < len(found):
        odd.append(Reason(WRONG_TYPE, {"place": place}))
    if len(texts) > most:
        odd.append(Reason(MORE, {"place": place, "limit": str(most)}))
    return tuple(_short(one, place, odd) for one in texts[:most])


def _keys(tree: Tree, key: str, where: str, odd: CardProblems) -> tuple[str, ...]:
    """Return keywords: a list, or one text with commas."""
    found = tree.get(key)
    if isinstance(found, str):
        parts = [one.strip() for one in re.split("[,，]", found)]
        tree = {key: [one for one in parts if one]}
    return _texts(tree, key, where, MOST_KEYS, odd)


def _flag(tree: Tree, key: str, otherwise: bool) -> bool:
    found = tree.get(key)
    return bool(found) if isinstance(found, bool | int) else otherwise


def _number(tree: Tree, key: str) -> int | None:
    """Return a plausible whole number; None for everything else."""
    found = tree.get(key)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    return int(max(-1e9, min(1e9, found)))


def _part(tree: Tree, key: str) -> Tree:
    found = tree.get(key)
    return found if isinstance(found, dict) else {}


# World books

_LOGIC = {0: "any", 1: "not all", 2: "not any", 3: "all"}
_DEEP = 4
"""SillyTavern's number for a place among the messages."""


def _book(data: Tree, odd: CardProblems) -> Lorebook | None:
    found = data.get("character_book")
    if found is None:
        return None
    if not isinstance(found, dict):
        odd.append(Reason(WRONG_TYPE, {"place": "data.character_book"}))
        return None
    return read_book(found, "data.character_book.", odd)


def read_book(found: Tree, where: str, odd: CardProblems) -> Lorebook:
    """Read a book of a card, in the form of V2 and V3."""
    entries = found.get("entries") or []
    if isinstance(entries, dict):
        entries = list(entries.values())
    if not isinstance(entries, list):
        odd.append(Reason(WRONG_TYPE, {"place": f"{where}entries"}))
        entries = []
    if len(entries) > MOST_ENTRIES:
        odd.append(Reason(MORE, {"place": f"{where}entries", "limit": str(MOST_ENTRIES)}))
    made = []
    for at, one in enumerate(entries[:MOST_ENTRIES]):
        if isinstance(one, dict):
            made.append(_entry(one, f"{where}entries.{at}.", odd))
        else:
            odd.append(Reason(WRONG_TYPE, {"place": f"{where}entries.{at}"}))
    depth, budget = _number(found, "scan_depth"), _number(found, "token_budget")
    return Lorebook(
        tuple(made),
        _text(found, "name", where, odd),
        4 if depth is None else max(0, min(depth, 100)),
        None if budget is None else max(0, budget),
        _flag(found, "recursive_scanning", False),
    )


def _entry(tree: Tree, where: str, odd: CardProblems) -> LoreEntry:
    if "keys" not in tree and "key" in tree:
        tree = as_entry_of_card(tree)
    more = _part(tree, "extensions")
    order, priority = _number(tree, "insertion_order"), _number(tree, "priority")
    depth = _number(more, "scan_depth")
    case = tree.get("case_sensitive")
    entry = LoreEntry(
        _keys(tree, "keys", where, odd),
        _text(tree, "content", where, odd),
        _keys(tree, "secondary_keys", where, odd),
        _text(tree, "name", where, odd) or _text(tree, "comment", where, odd),
        enabled=_flag(tree, "enabled", True),
        constant=_flag(tree, "constant", False),
        selective=_flag(tree, "selective", False),
        logic=_LOGIC.get(_number(more, "selectiveLogic") or 0, "any"),
        regex=_flag(tree, "use_regex", False),
        case=_flag(tree if case is not None else more, "case_sensitive", False),
        whole=_flag(more, "match_whole_words", False),
        order=100 if order is None else order,
        priority=0 if priority is None else priority,
        depth=None if depth is None else max(0, min(depth, 100)),
        at=_place(tree, more),
        wakes=not _flag(more, "prevent_recursion", False),
        woken=not _flag(more, "exclude_recursion", False),
    )
    return _decorated(entry)


def as_entry_of_card(tree: Tree) -> Tree:
    """Convert an entry of a SillyTavern world book to the form of cards."""
    more = dict(_part(tree, "extensions"))
    more |= {
        ours: tree[theirs]
        for ours, theirs in _NATIVE_EXTENSIONS.items()
        if tree.get(theirs) is not None
    }
    made: dict[str, Any] = {
        "keys": tree.get("key"),
        "secondary_keys": tree.get("keysecondary"),
        "enabled": not _flag(tree, "disable", False),
        "insertion_order": tree.get("order"),
        "position": "before_char" if tree.get("position") == 0 else "after_char",
        "use_regex": True,
        "extensions": more,
    }
    known = ("comment", "content", "constant", "selective", "name")
    return made | {key: tree[key] for key in known if key in tree}


_NATIVE_EXTENSIONS = {
    "selectiveLogic": "selectiveLogic",
    "position": "position",
    "scan_depth": "scanDepth",
    "case_sensitive": "caseSensitive",
    "match_whole_words": "matchWholeWords",
    "prevent_recursion": "preventRecursion",
    "exclude_recursion": "excludeRecursion",
}
"""The extensions that SillyTavern writes in an entry, by its names in a world book."""


def _place(tree: Tree, more: Tree) -> str:
    if _number(more, "position") == _DEEP:
        return "end"
    return "before" if tree.get("position") == "before_char" else "after"


_DECORATOR = re.compile(r"@@@?([a-z_]{1,40})(?:[ \t]+(.{0,400}))?[ \t]*(?:\n|\Z)")


def _decorated(entry: LoreEntry) -> LoreEntry:
    """Apply the decorators of V3: lines that start with @@ before the content. Unknown ones are
    skipped.
    """
    content = entry.content
    while found := _DECORATOR.match(content):
        content = content[found.end() :]
        entry = _decorate(entry, found[1], (found[2] or "").strip())
    return replace(entry, content=content)


def _decorate(entry: LoreEntry, word: str, value: str) -> LoreEntry:
    number = int(value) if value.isascii() and value.isdigit() and len(value) < 6 else None
    match word:
        case "activate":
            return replace(entry, constant=True)
        case "dont_activate":
            return replace(entry, enabled=False)
        case "scan_depth" if number is not None:
            return replace(entry, depth=min(number, 100))
        case "depth":
            return replace(entry, at="end")
        case "position" if value in ("before_desc", "after_desc"):
            return replace(entry, at=value.removesuffix("_desc"))
        case "additional_keys":
            keys = tuple(one.strip() for one in value.split(",") if one.strip())
            return replace(entry, secondary=keys, selective=True, logic="any")
        case "exclude_keys":
            keys = tuple(one.strip() for one in value.split(",") if one.strip())
            return replace(entry, secondary=keys, selective=True, logic="not any")
    return entry


# Writing


def write_tree(card: Card) -> dict[str, Any]:
    """Return the card in the form of V3, with all other fields of its tree."""
    before = card.tree or {}
    data = dict(_part(before, "data"))
    for ours, theirs in _TEXTS.items():
        value = getattr(card, ours)
        wanted = theirs in data or ours in ("name", "description", "greeting")
        # Unusable parts, and texts that are longer than the used part, are not changed.
        if value != _text(data, theirs, "", []) or (wanted and data.get(theirs) is None):
            data[theirs] = value
    if card.alternates != _texts(data, "alternate_greetings", "", MOST_GREETINGS, []):
        data["alternate_greetings"] = list(card.alternates)
    for key, value in _WANTED.items():
        data.setdefault(key, value() if callable(value) else value)
    if card.book != _book(data, []):
        book = _written_book(card.book, data.get("character_book"))
        if book is not None:
            data["character_book"] = book
        else:
            data.pop("character_book", None)
    return {**before, "spec": "chara_card_v3", "spec_version": _version(before), "data": data}


_WANTED: dict[str, Any] = {
    "personality": "",
    "scenario": "",
    "mes_example": "",
    "system_prompt": "",
    "post_history_instructions": "",
    "creator_notes": "",
    "creator": "",
    "character_version": "",
    "alternate_greetings": list,
    "group_only_greetings": list,
    "tags": list,
    "extensions": dict,
}
"""The fields that V3 requires."""


def _written_book(book: Lorebook | None, before: object) -> dict[str, Any] | None:
    """Return the book as a tree. Entries keep their other fields; an entry is identified by its
    place.
    """
    if book is None:
        return None
    tree: dict[str, Any] = dict(before) if isinstance(before, dict) else {"extensions": {}}
    found = tree.get("entries")
    found = list(found.values()) if isinstance(found, dict) else found
    known: Sequence[Any] = found if isinstance(found, list) else []
    tree["entries"] = [_written_entry(one, _like(one, known)) for one in book.entries]
    tree["scan_depth"], tree["recursive_scanning"] = book.depth, book.recursive
    if book.budget is not None:
        tree["token_budget"] = book.budget
    if book.name:
        tree["name"] = book.name
    return tree


def _like(entry: LoreEntry, known: Sequence[Any]) -> Tree:
    """Return the tree of `entry`: the one with its keys or its content."""
    alike = (
        one
        for one in known
        if isinstance(one, dict)
        and (one.get("keys") == list(entry.keys) or one.get("content") == entry.content)
    )
    return next(alike, {})


def _written_entry(entry: LoreEntry, before: Tree) -> dict[str, Any]:
    if before and _entry(before, "", []) == entry:
        return dict(before)
    own: dict[str, Any] = {
        "keys": list(entry.keys),
        "content": entry.content,
        "enabled": entry.enabled,
        "constant": entry.constant,
        "insertion_order": entry.order,
        "use_regex": entry.regex,
    }
    if before and _decorated(replace(entry, content=str(before.get("content")))) == entry:
        own["content"] = before["content"]  # it contains the decorators
    if entry.name:
        own["name"] = entry.name
    usual = LoreEntry()
    own |= {
        theirs: list(value) if isinstance(value, tuple) else value
        for ours, theirs in _ENTRY.items()
        if (value := getattr(entry, ours)) != getattr(usual, ours) or theirs in before
    }
    places = {"before": ("before_char", 0), "end": ("after_char", _DEEP)}
    place, number = places.get(entry.at, ("after_char", 1))
    more = {
        **_part(before, "extensions"),
        "selectiveLogic": next(n for n, logic in _LOGIC.items() if logic == entry.logic),
        "position": number,
        "scan_depth": entry.depth,
        "match_whole_words": entry.whole,
        "prevent_recursion": not entry.wakes,
        "exclude_recursion": not entry.woken,
    }
    return {**before, **own, "position": place, "extensions": more}


_ENTRY = {
    "secondary": "secondary_keys",
    "selective": "selective",
    "case": "case_sensitive",
    "priority": "priority",
}
"""Fields of an entry by the names in this code and in the file; they are written unless they have
their default.
"""


def write_json(card: Card) -> str:
    """Return the card as JSON for a UTF-8 file; lone surrogates are escaped."""
    tree = write_tree(card)
    text = json.dumps(tree, ensure_ascii=False, indent=2)
    return (json.dumps(tree, indent=2) if _LONE.search(text) else text) + "\n"


def change_card(card: Card, **values: Any) -> Card:
    """Return the card with other values, its tree updated. Raises CardFault, also for a value that
    can't be used completely.
    """
    made = read_tree(write_tree(replace(card, **values)))
    new = next((one for one in made.problems if one not in card.problems), None)
    if new is not None:
        raise CardFault(new.text, **new.params)
    return made


def app_data_of(card: Card) -> Tree:
    """Return the data of this app in the extensions of a card."""
    return _part(_part(_part(card.tree or {}, "data"), "extensions"), OURS)


def with_app_data(card: Card, ours: Tree | None) -> Card:
    """Return the card with this data of the app in its extensions; None removes it, as for an
    untrusted card.
    """
    tree = write_tree(card)
    extensions = dict(_part(tree["data"], "extensions"))
    extensions.pop(OURS, None)
    if ours is not None:
        extensions[OURS] = dict(ours)
    return read_tree({**tree, "data": {**tree["data"], "extensions": extensions}})


@dataclass(frozen=True, slots=True)
class CharacterVoice:
    """How a character speaks. `name` is the name of its voice, "" for that of the settings. The
    other values multiply those of the settings.
    """

    name: str = ""
    speed: float = 1.0
    pitch: float = 1.0
    volume: float = 1.0

    def volume_at(self, setting: float) -> float:
        """Return its volume, 0 to 1, at this volume of the settings."""
        return min(1.0, setting * self.volume)


USUAL_VOICE = CharacterVoice()
"""The voice of the settings."""
VOICE_FACTORS = (0.5, 2.0)
"""The smallest and the largest factor of a `CharacterVoice`."""


MOST_VOICE_CHARACTERS = 200
_FACTORS = ("speed", "pitch", "volume")


def read_voice(data: Mapping[str, object]) -> CharacterVoice:
    """Return the voice that the app's data of a card names. Values that aren't valid are left
    out.
    """
    name = data.get("voice")
    if not isinstance(name, str) or len(name) > MOST_VOICE_CHARACTERS or not name.isprintable():
        name = ""
    speed, pitch, volume = (_factor(data.get(f"voice_{key}")) for key in _FACTORS)
    return CharacterVoice(name.strip(), speed, pitch, volume)


def with_voice(data: Mapping[str, object], voice: CharacterVoice) -> dict[str, object]:
    """Return the app's data of a card with this voice. Usual values aren't stored."""
    names = ("voice", *(f"voice_{key}" for key in _FACTORS))
    kept = {key: value for key, value in data.items() if key not in names}
    if voice.name:
        kept["voice"] = voice.name
    factors = (voice.speed, voice.pitch, voice.volume)
    for key, factor in zip(_FACTORS, factors, strict=True):
        if factor != 1.0:
            kept[f"voice_{key}"] = factor
    return kept


def _factor(value: object) -> float:
    least, most = VOICE_FACTORS
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return 1.0
    return min(most, max(least, float(value)))


def without_private_data(card: Card) -> Card:
    """Return the card with what may leave or enter this computer of the app's data: its voice."""
    return with_app_data(card, with_voice({}, read_voice(app_data_of(card))) or None)
