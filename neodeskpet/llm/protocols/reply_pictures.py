"""Finds pictures in replies: each service puts them into another field."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass, field
from typing import Any

from neodeskpet.llm.protocols.protocol import as_dict, as_text

_URL = re.compile(r"data:(?P<type>[\w.+/-]*)(?:;[\w=.-]+)*;base64,(?P<data>.*)", re.DOTALL)
_BLANK = re.compile(r"\s+")
_INLINE = ("b64_json", "image_base64", "base64", "data", "result")


@dataclass(frozen=True, slots=True)
class PictureData:
    """The data of a picture."""

    data: bytes = field(repr=False)
    media_type: str = ""


@dataclass(frozen=True, slots=True)
class PictureLink:
    """The web address of a picture. Nothing is fetched from there automatically."""

    url: str


def picture_in(value: Any) -> PictureData | PictureLink | None:
    """Return the picture in an entry of `images`, a part of a content list, Gemini's `inlineData`
    or an item of the responses protocol; None if there is none that can be read.
    """
    if isinstance(value, str):
        return _at(value)
    fields = as_dict(value)
    media_type = _media_type(fields)
    for key in ("image_url", "imageUrl", "url", "image", "source", "inlineData"):
        inner = fields.get(key)
        if inner and (found := picture_in(inner)) is not None:
            return found
    for key in _INLINE:
        text = as_text(fields.get(key))
        if text.startswith("data:"):
            return _at(text)
        data = _decoded(text)
        if data:
            return PictureData(data, media_type)
    return None


def _media_type(fields: dict[str, Any]) -> str:
    named = (fields.get(key) for key in ("mimeType", "mime_type", "media_type"))
    found = next((as_text(name) for name in named if name), "")
    kind = as_text(fields.get("output_format"))
    return found or (f"image/{kind}" if kind else "")


def _at(address: str) -> PictureData | PictureLink | None:
    if address.startswith(("https://", "http://")) and not _BLANK.search(address):
        return PictureLink(address)
    match = _URL.fullmatch(address)
    data = _decoded(match["data"]) if match else b""
    return PictureData(data, match["type"]) if match and data else None


def _decoded(text: str) -> bytes:
    """Return the bytes in `text`; None if it isn't base64."""
    compact = _BLANK.sub("", text).replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return base64.b64decode(compact + "=" * (-len(compact) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""
