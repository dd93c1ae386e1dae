"""Reads the text of `llm-config.json`: returns the catalogue, or its faults with line numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any
from urllib.parse import urlsplit

from pydantic import ValidationError

from neodeskpet.core.json_text import (
    JsonLayout,
    JsonPath,
    json_layout,
    path_text,
    plain_json,
    read_json,
)
from neodeskpet.language import tr
from neodeskpet.llm.catalog.model_catalog import PURPOSES, TIERS, Catalog
from neodeskpet.llm.local.model_file import SCHEME, is_model_file
from neodeskpet.platform.redaction import holds_secret, redact

KEY_FIELDS = frozenset(
    (
        "key",
        "apikey",
        "xapikey",
        "xgoogapikey",
        "authorization",
        "proxyauthorization",
        "token",
        "accesstoken",
        "authtoken",
        "secret",
        "clientsecret",
        "password",
        "cookie",
    )
)
UNCHECKED_FIELDS = ("headers", "extra", "fields")
"""Fields whose content the user defines and which are sent to the service unchanged."""


@dataclass(frozen=True, slots=True)
class CatalogFault:
    """A fault at `line` (from 1) and JSON `path`. `key`: the text there contains a key."""

    line: int
    path: JsonPath
    reason: str
    key: bool = False

    def __str__(self) -> str:
        """`line 12, models[0].endpoint: …`"""
        where = tr("line {line}", line=str(self.line))
        if self.path:
            where += f", {path_text(self.path)}"
        return f"{where}: {self.reason}"


@dataclass(frozen=True, slots=True)
class CatalogReading:
    """`catalog` is None when there are `faults`."""

    catalog: Catalog | None
    faults: tuple[CatalogFault, ...] = ()


def read_catalog(text: str) -> CatalogReading:
    """Return the catalogue in `text`, or its faults in the order of their lines."""
    try:
        document = read_json(plain_json(text))
    except json.JSONDecodeError as error:
        return CatalogReading(None, (CatalogFault(error.lineno, (), error.msg),))
    except ValueError:  # TooDeep
        return CatalogReading(None, (CatalogFault(1, (), tr("nested too deeply")),))
    layout = json_layout(plain_json(text))
    faults = [*_duplicate_fields(layout), *_keys(document, layout)]
    keys = {fault.path for fault in faults if fault.key}
    catalog, wrong = _validated(document, layout)
    faults += [fault for fault in wrong if fault.path not in keys]
    if catalog is not None:
        faults += [
            CatalogFault(layout.line(path), path, reason)
            for path, reason in _contradictions(catalog)
        ]
    if faults or catalog is None:
        return CatalogReading(None, tuple(sorted(faults, key=lambda fault: fault.line)))
    return CatalogReading(catalog)


def without_notes(value: object, path: JsonPath = ()) -> object:
    """Return `value` without the user's notes: fields whose names begin with "_". Parts that are
    sent unchanged (headers, extra parameters) contain no notes.
    """
    if isinstance(value, dict) and (not path or path[-1] not in UNCHECKED_FIELDS):
        return {
            name: without_notes(inner, (*path, name))
            for name, inner in value.items()
            if not is_note(name)
        }
    if isinstance(value, list):
        return [without_notes(inner, (*path, number)) for number, inner in enumerate(value)]
    return value


def is_note(name: object) -> bool:
    """A field like "_why" is a comment."""
    return isinstance(name, str) and name.startswith("_")


def without_keys(text: str) -> str:
    """Return `text` without any key in it. Unreadable text is returned without anything that looks
    like a key.
    """
    try:
        document = read_json(plain_json(text))
    except ValueError:
        return redact(text)
    layout = json_layout(plain_json(text))
    spans = [layout.spans[fault.path] for fault in _keys(document, layout)]
    for start, end in sorted(spans, reverse=True):
        text = f'{text[:start]}""{text[end:]}'
    return redact(text)  # a duplicate field has only one span


def _duplicate_fields(layout: JsonLayout) -> Iterator[CatalogFault]:
    for path in layout.twice:
        yield CatalogFault(layout.line(path), path, tr("this field occurs twice"))


def _keys(document: object, layout: JsonLayout) -> Iterator[CatalogFault]:
    reason = tr(
        "a key doesn't belong in this file. Enter it in Settings › Models › Services, or name an "
        "environment variable in “key_variable”."
    )
    for path, text in _strings(document, ()):
        name = re.sub(r"[-_\s]", "", str(path[-1]) if path else "").casefold()
        if text.strip() and (name in KEY_FIELDS or holds_secret(text)):
            yield CatalogFault(layout.line(path), path, reason, key=True)


def _strings(value: object, path: JsonPath) -> Iterator[tuple[JsonPath, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _strings(inner, (*path, name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _strings(inner, (*path, number))


def _validated(document: object, layout: JsonLayout) -> tuple[Catalog | None, list[CatalogFault]]:
    try:
        return Catalog.model_validate(without_notes(document)), []
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        return None, [_fault(detail, layout) for detail in details]


def _fault(detail: Any, layout: JsonLayout) -> CatalogFault:
    path = _written(detail["loc"], layout)
    if detail["type"] == "extra_forbidden":
        reason = tr("there is no such field here")
        near = get_close_matches(str(path[-1]), _fields(path), n=1)
        if near:
            reason += " " + tr("(did you mean “{name}”?)", name=near[0])
        return CatalogFault(layout.line(path), path, reason)
    return CatalogFault(layout.line(path), path, str(detail["msg"]).removeprefix("Value error, "))


def _written(where: tuple[str | int, ...], layout: JsonLayout) -> JsonPath:
    """Return the part of pydantic's path that exists in the file. A missing field has no place
    there but its name is kept; branches of a union exist only in pydantic.
    """
    path: JsonPath = ()
    for step in where:
        if (*path, step) not in layout.spans:
            return (*path, step) if step == where[-1] and isinstance(step, str) else path
        path = (*path, step)
    return path


def _fields(path: JsonPath) -> list[str]:
    """Return the names of the fields allowed where the last step of `path` is."""
    kind: Any = Catalog
    for step in path[:-1]:
        if isinstance(step, str):
            kind = _inner(kind, step)
    fields = getattr(kind, "model_fields", {})
    return [field.alias or name for name, field in fields.items()]


def _inner(kind: Any, name: str) -> Any:
    """Return the model that field `name` of `kind` holds (alone or as a list), else None."""
    field = getattr(kind, "model_fields", {}).get(name)
    kinds = [field.annotation, *getattr(field.annotation, "__args__", ())] if field else []
    return next((one for one in kinds if hasattr(one, "model_fields")), None)


# Faults that the schema does not find


def _contradictions(catalog: Catalog) -> Iterator[tuple[JsonPath, str]]:
    yield from _wrong_endpoints(catalog)
    yield from _wrong_models(catalog)
    names = {entry.display_name for entry in catalog.models}
    for tier in TIERS:
        for number, name in enumerate(getattr(catalog.tiers, tier)):
            if name not in names:
                yield ("tiers", tier, number), _no_model(name, names)
    for purpose in PURPOSES:
        name = getattr(catalog.purposes, purpose)
        if name and name not in names and name not in TIERS:
            yield ("purposes", purpose), _no_model(name, {*names, *TIERS})


def _wrong_endpoints(catalog: Catalog) -> Iterator[tuple[JsonPath, str]]:
    seen: set[str] = set()
    for number, endpoint in enumerate(catalog.endpoints):
        if endpoint.name in seen:
            reason = tr("another endpoint is called “{name}” too", name=endpoint.name)
            yield ("endpoints", number, "name"), reason
        seen.add(endpoint.name)
        if not _is_address(endpoint.base_url):
            yield ("endpoints", number, "base_url"), tr("this isn't a valid address")


def _wrong_models(catalog: Catalog) -> Iterator[tuple[JsonPath, str]]:
    endpoints = {endpoint.name for endpoint in catalog.endpoints}
    seen: set[tuple[str, str]] = set()
    for number, entry in enumerate(catalog.models):
        here: JsonPath = ("models", number)
        if not entry.id.strip():
            yield (*here, "id"), tr("the model's name is missing")
        if entry.endpoint not in endpoints:
            reason = tr("there is no endpoint “{name}”", name=entry.endpoint)
            yield (*here, "endpoint"), reason + _near(entry.endpoint, endpoints)
        if entry.display_name in TIERS:
            yield (*here, "name"), tr("“{name}” is the name of a tier", name=entry.display_name)
        if (entry.display_name, entry.endpoint) in seen:
            reason = tr("“{name}” is on this endpoint twice", name=entry.display_name)
            yield (*here, "name" if entry.name else "id"), reason
        seen.add((entry.display_name, entry.endpoint))


def _no_model(name: str, names: set[str]) -> str:
    return tr("there is no model “{name}”", name=name) + _near(name, names)


def _near(name: str, names: set[str]) -> str:
    near = get_close_matches(name, sorted(names), n=1)
    return " " + tr("(did you mean “{name}”?)", name=near[0]) if near else ""


def _is_address(text: str) -> bool:
    if is_model_file(text):
        return text.strip()[len(SCHEME) :].strip("/\\ ") != ""
    if any(letter.isspace() for letter in text):
        return False
    try:
        parts = urlsplit(text if "://" in text else f"//{text}")
        if parts.scheme not in ("", "http", "https"):
            return False
        return bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False
