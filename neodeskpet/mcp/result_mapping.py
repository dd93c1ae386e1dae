"""Converts the data of MCP servers: results of tools, resources and prompts to text and pictures,
and requests for input to a plain form schema. The JSON is untrusted: malformed parts are described
in words, and nothing is raised.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import cast
from urllib.parse import unquote

from neodeskpet.core.attachments import MOST_ATTACHMENTS, Picture
from neodeskpet.core.errors import PictureRefused
from neodeskpet.core.tool_result import ShownImage, ToolResult

Json = Mapping[str, object]


def form_schema(schema: Json) -> dict[str, object]:
    """Return `schema` with titled choices as an `enum`, and with titles as missing descriptions."""
    properties = {name: _field(_as_mapping(one)) for name, one in _schema_of_field(schema).items()}
    return {**schema, "type": "object", "properties": properties}


def defaults(schema: Json) -> dict[str, object]:
    """Return the initial values of the form."""
    fields = {name: _as_mapping(one) for name, one in _schema_of_field(schema).items()}
    return {name: one["default"] for name, one in fields.items() if one.get("default") is not None}


def _field(field: Json) -> dict[str, object]:
    out = dict(field)
    for key in ("oneOf", "anyOf"):
        options = [_as_mapping(one) for one in _as_list(field.get(key))]
        if options and all("const" in one for one in options):
            del out[key]
            out["enum"] = [one["const"] for one in options]
            titles = (f"{one['const']}: {one['title']}" for one in options if one.get("title"))
            out["description"] = "; ".join(filter(None, [_words(field), *titles]))
    out.setdefault("description", _words(field))
    return out


def _words(field: Json) -> str:
    return str(field.get("description") or field.get("title") or "")


def _schema_of_field(schema: Json) -> Json:
    return _as_mapping(schema.get("properties"))


def _as_mapping(value: object) -> Json:
    return cast("Json", value) if isinstance(value, Mapping) else {}


def _as_list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


FitPicture = Callable[[bytes, str], Picture]
"""Shrinks a picture to the limits of storage and models. Raises PictureRefused."""

_MOST_TEXT = 1_000_000
"""Most characters of an answer that are passed to the interface's thread; a model gets fewer."""

_PICTURES = ("image/png", "image/jpeg", "image/webp", "image/gif", "image/bmp")


@dataclass(frozen=True, slots=True)
class AnswerContents:
    """The content of an answer. `images` are encoded files with their names."""

    text: str = ""
    data: object = None
    images: tuple[tuple[bytes, str], ...] = field(default=(), repr=False)
    failed: bool = False


def read_result(result: Json) -> AnswerContents:
    """Read a tool's result."""
    found = _read_parts(_list(result.get("content")))
    data = result.get("structuredContent")
    text = found.text
    if not text and not found.images and data is not None:
        text = json.dumps(data, ensure_ascii=False)
    return AnswerContents(text, data, found.images, result.get("isError") is True)


def read_resource(result: Json) -> AnswerContents:
    """Read a resource."""
    return _read_parts(
        {"type": "resource", "resource": one} for one in _list(result.get("contents"))
    )


def read_prompt(result: Json) -> AnswerContents:
    """Read a prompt with its roles; only text and pictures are used."""
    lines: list[str] = []
    images: tuple[tuple[bytes, str], ...] = ()
    for message in _list(result.get("messages")):
        entry = _mapping(message)
        found = _read_parts([entry.get("content")])
        images += found.images
        lines.append(f"{entry.get('role', 'user')}: {found.text}")
    return AnswerContents("\n\n".join(lines), images=images)


def prompt_as_user_text(result: Json) -> AnswerContents:
    """Read a prompt as the user's text, without roles if all of it is the user's."""
    entries = [_mapping(message) for message in _list(result.get("messages"))]
    if any(entry.get("role", "user") != "user" for entry in entries):
        return read_prompt(result)
    parts = [_read_parts([entry.get("content")]) for entry in entries]
    images = tuple(image for part in parts for image in part.images)
    return AnswerContents("\n\n".join(part.text for part in parts), images=images)


def to_result(contents: AnswerContents, fit: FitPicture) -> ToolResult:
    """Convert `contents` to a tool's result. Slow with pictures: call it in a thread."""
    texts = [_cut(contents.text)] if contents.text else []
    pictures: list[Picture] = []
    for data, name in contents.images[:MOST_ATTACHMENTS]:
        try:
            pictures.append(fit(data, name))
        except PictureRefused as error:
            texts.append(f"[a picture that can't be shown: {error}]")
    if len(contents.images) > MOST_ATTACHMENTS:
        texts.append(f"[{len(contents.images) - MOST_ATTACHMENTS} more pictures were left out]")
    if not texts:
        texts.append("See the picture." if pictures else "Done; it said nothing.")
    shown = ShownImage(pictures[0].digest, pictures[0].name) if pictures else None
    only_picture = shown if not contents.text else None
    return ToolResult("\n".join(texts), contents.data, only_picture, tuple(pictures))


def _cut(text: str) -> str:
    left_out = len(text) - _MOST_TEXT
    if left_out <= 0:
        return text
    return f"{text[:_MOST_TEXT]}\n[{left_out} more characters were left out]"


def _read_parts(parts: Iterable[object]) -> AnswerContents:
    texts: list[str] = []
    images: list[tuple[bytes, str]] = []
    for part in parts:
        entry = _mapping(part)
        match entry.get("type"):
            case "text":
                texts.append(str(entry.get("text", "")))
            case "image":
                _take_blob(entry, entry.get("data"), "", texts, images)
            case "audio":
                _take_blob(entry, entry.get("data"), "sound", texts, images)
            case "resource":
                _take_resource(_mapping(entry.get("resource")), texts, images)
            case "resource_link":
                texts.append(_link(entry))
            case kind:
                texts.append(f"[content of the kind {kind}, which isn't known here]")
    return AnswerContents("\n".join(texts), images=tuple(images))


def _take_resource(resource: Json, texts: list[str], images: list[tuple[bytes, str]]) -> None:
    if "text" in resource:
        texts.append(str(resource["text"]))
    else:
        name = unquote(str(resource.get("uri", "")).rpartition("/")[2])
        _take_blob(resource, resource.get("blob"), name, texts, images)


def _take_blob(
    entry: Json, data: object, name: str, texts: list[str], images: list[tuple[bytes, str]]
) -> None:
    """Add a picture, or a text that describes other data."""
    kind = str(entry.get("mimeType", "")) or "unknown kind"
    try:
        content = base64.b64decode(str(data or ""), validate=False)
    except (binascii.Error, ValueError):
        texts.append(f"[{name or 'data'} of the kind {kind}, not readable]")
        return
    if kind.split(";")[0].strip().lower() in _PICTURES:
        images.append((content, name))
    else:
        texts.append(f"[{name or 'data'} of the kind {kind}, {len(content):,} bytes: not readable]")


def _link(entry: Json) -> str:
    named = " ".join(str(entry[key]) for key in ("title", "name") if entry.get(key))
    about = f": {entry['description']}" if entry.get("description") else ""
    return f"[resource {named} at {entry.get('uri', '')}{about}]"


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _mapping(value: object) -> Json:
    return value if isinstance(value, Mapping) else {}
