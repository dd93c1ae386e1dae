"""The catalogue as the text of `llm-config.json`; what a person wrote by hand stays as it was."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence

from neodeskpet.core.json_edit import edited, laid_out
from neodeskpet.core.json_text import plain_json, read_json
from neodeskpet.llm.catalog.catalog import Catalog
from neodeskpet.llm.catalog.check import UNCHECKED_FIELDS, is_note

_Object = Mapping[str, object]


def write_catalog(catalog: Catalog, before: str = "") -> str:
    """`catalog` as text. Of `before`, the file as it was, comments, order and layout stay, and so
    do notes and defaults that were written out, wherever the thing they stand at is still there.
    """
    short = catalog.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    whole = catalog.model_dump(mode="json", by_alias=True)
    document = _merge(_read_object(before), short, whole)
    with contextlib.suppress(ValueError):
        return edited(before, document)
    return laid_out(document)


def _read_object(text: str) -> _Object:
    try:
        document = read_json(plain_json(text))
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def _merge(old: _Object, short: _Object, whole: _Object) -> dict[str, object]:
    """`short` leaves defaults out, `whole` has them."""
    merged: dict[str, object] = {}
    for name, value in old.items():
        if name in short:
            merged[name] = _field(name, value, short[name], whole.get(name))
        elif is_note(name) or (name in whole and whole[name] == value):
            merged[name] = value
        elif name not in UNCHECKED_FIELDS and isinstance(
            whole.get(name), dict
        ):  # back to the defaults
            rest = _merge(_object(value), {}, _object(whole[name]))
            merged.update({name: rest} if rest else {})
    return merged | {name: value for name, value in short.items() if name not in merged}


def _field(name: str, old: object, short: object, whole: object) -> object:
    if name in UNCHECKED_FIELDS:
        return short
    if isinstance(short, dict):
        return _merge(_object(old), short, _object(whole))
    if isinstance(short, list) and any(isinstance(item, dict) for item in short):
        return _items(_list(old), short, _list(whole))
    return short


def _items(old: Sequence[object], short: Sequence[object], whole: Sequence[object]) -> list[object]:
    """Each with its own former self: of the same name, else (it was renamed) at the same place."""
    former = {_identity(item): _object(item) for item in old}
    renamed: list[_Object] = [{}] * len(short)
    if len(old) == len(short):
        kept = {_identity(item) for item in short}
        renamed = [{} if _identity(item) in kept else _object(item) for item in old]
    return [
        _merge(former.get(_identity(item), renamed[number]), _object(item), _object(whole[number]))
        for number, item in enumerate(short)
    ]


def _identity(item: object) -> tuple[object, ...]:
    """An endpoint's name; a model's endpoint and its name there."""
    found = _object(item)
    if "endpoint" not in found:
        return (found.get("name"),)
    return (found.get("endpoint"), found.get("name") or found.get("id"))


def _object(value: object) -> _Object:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else []
