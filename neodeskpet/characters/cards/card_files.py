"""Character cards as files: CharX archives, PNG pictures with a text chunk, and JSON.

A file of any of these kinds becomes a card and its portrait, and back. Nothing is unpacked to a
path.
"""

from __future__ import annotations

import base64
import binascii
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from neodeskpet.characters.cards.card_errors import (
    CUT_OFF,
    LEADS_OUT,
    LOCKED,
    NO_BOOK,
    NO_CARD,
    TOO_LARGE,
    TOO_MANY,
    TOO_WIDE,
    UNKNOWN,
    CardFault,
)
from neodeskpet.characters.cards.character_card import (
    LARGEST_JSON,
    Card,
    parse_json,
    read_json,
    without_private_data,
    write_json,
    write_tree,
)
from neodeskpet.characters.cards.world_book import read_world_book
from neodeskpet.platform.private_files import TooLarge, read_regular

_CARD = "card.json"
_MOST_FILES = 5_000
_LARGEST_PICTURE = 20_000_000
_EMBEDDED = ("embeded://", "embedded://")
"""Prefixes of embedded files; the specification has the first spelling."""
_ICON = "assets/icon/images/main.png"
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError)


def read_charx(data: bytes, name: str = "") -> tuple[Card, bytes]:
    """Read the card of an archive and its picture, b"" for none; a card without a name is called
    `name`. Raises CardFault.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _look_at_names(archive)
            text = _read(archive, _CARD, LARGEST_JSON)
            if text is None:
                raise CardFault(UNKNOWN)
            card = read_json(text.decode("utf-8-sig", "replace"), name)
            return card, _picture(archive, card)
    except CardFault:
        raise
    except RuntimeError:  # zipfile's error for a password
        raise CardFault(LOCKED) from None
    except _BROKEN:
        raise CardFault(CUT_OFF) from None


def write_charx(card: Card, picture: bytes) -> bytes:
    """Return an archive with the card, and its picture (PNG) as its icon."""
    tree: dict[str, Any] = write_tree(card)
    if picture:
        uri = f"{_EMBEDDED[0]}{_ICON}"
        icon = {"type": "icon", "uri": uri, "name": "main", "ext": "png"}
        tree = {**tree, "data": {**tree["data"], "assets": [icon]}}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_CARD, write_json(replace(card, tree=tree)))
        if picture:
            archive.writestr(_ICON, picture)
    return file.getvalue()


def _look_at_names(archive: zipfile.ZipFile) -> None:
    found = archive.infolist()
    if len(found) > _MOST_FILES:
        raise CardFault(TOO_MANY, place="zip", limit=str(_MOST_FILES))
    for one in found:
        parts = one.filename.replace("\\", "/").split("/")
        if ".." in parts or parts[0] == "" or ":" in parts[0]:
            raise CardFault(LEADS_OUT, place=one.filename[:60])
        if one.flag_bits & 1:
            raise CardFault(LOCKED)


def _read(archive: zipfile.ZipFile, name: str, most: int) -> bytes | None:
    try:
        info = archive.getinfo(name)
    except KeyError:
        return None
    if info.file_size > most:
        raise CardFault(TOO_LARGE, limit=str(most // 1_000_000))
    with archive.open(info) as file:
        found = file.read(most + 1)
    if len(found) > most:  # a zip bomb declares a wrong size
        raise CardFault(TOO_LARGE, limit=str(most // 1_000_000))
    return found


def _picture(archive: zipfile.ZipFile, card: Card) -> bytes:
    assets = (card.tree or {}).get("data", {}).get("assets")
    named = [
        str(one.get("uri"))
        for one in (assets if isinstance(assets, list) else [])
        if isinstance(one, dict) and one.get("type") == "icon"
    ]
    for uri in named:
        for start in _EMBEDDED:
            if uri.startswith(start):
                return _read(archive, uri.removeprefix(start), _LARGEST_PICTURE) or b""
    return b""


SIGNATURE = b"\x89PNG\r\n\x1a\n"
MOST_POINTS = 40_000_000
_LARGEST = 24_000_000
"""The largest size of the text of a card in bytes."""
_NAMES = (b"ccv3", b"chara")
"""The preferred one first."""
_HEAD = struct.Struct(">I4s")


def read_png(data: bytes, name: str = "") -> Card:
    """Read the card in a picture; a card without a name is called `name`. Raises CardFault."""
    found: dict[bytes, bytes] = {}
    for kind, body in _chunks(data):
        if kind == b"IHDR":
            _look_at_size(body)
        if kind in (b"tEXt", b"zTXt", b"iTXt"):
            key, text = _text_of(kind, body)
            if key in _NAMES:
                found.setdefault(key, text)
    if not found:
        raise CardFault(NO_CARD)
    refusals: list[CardFault] = []
    for key in (one for one in _NAMES if one in found):
        try:
            return read_json(_decoded(found[key]), name)
        except CardFault as refusal:  # the other chunk may be valid
            refusals.append(refusal)
    raise refusals[0]


def write_png(card: Card, picture: bytes) -> bytes:
    """Return `picture` (a PNG) with the card in it, for readers of V3 and of V2, instead of any
    card that it contained. Raises CardFault if it is no PNG.
    """
    tree = write_tree(card)
    older = {**tree, "spec": "chara_card_v2", "spec_version": "2.0"}
    made = [SIGNATURE]
    for kind, body in _chunks(picture):
        if kind in (b"tEXt", b"zTXt", b"iTXt") and _text_of(kind, body)[0] in _NAMES:
            continue
        if kind == b"IEND":
            for name, one in ((b"chara", older), (b"ccv3", tree)):
                text = base64.b64encode(json.dumps(one).encode("ascii"))
                made.append(_chunk(b"tEXt", name + b"\0" + text))
        made.append(_chunk(kind, body))
    return b"".join(made)


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    if not data.startswith(SIGNATURE):
        raise CardFault(CUT_OFF)
    at, kind = len(SIGNATURE), b""
    while kind != b"IEND":
        if at + 12 > len(data):
            raise CardFault(CUT_OFF)
        length, kind = _HEAD.unpack_from(data, at)
        if at + 12 + length > len(data):
            raise CardFault(CUT_OFF)
        yield kind, data[at + 8 : at + 8 + length]
        at += 12 + length


def _chunk(kind: bytes, body: bytes) -> bytes:
    return _HEAD.pack(len(body), kind) + body + struct.pack(">I", zlib.crc32(kind + body))


def _look_at_size(body: bytes) -> None:
    if len(body) < 8:
        raise CardFault(CUT_OFF)
    width, height = struct.unpack_from(">II", body)
    if width * height > MOST_POINTS:
        raise CardFault(TOO_WIDE, width=str(width), height=str(height))


def _text_of(kind: bytes, body: bytes) -> tuple[bytes, bytes]:
    """Return the name of a text chunk and its decoded text; "" for an invalid one."""
    name, _, rest = body.partition(b"\0")
    if name.lower() not in _NAMES:
        return b"", b""
    packed = kind == b"zTXt"
    if packed:
        rest = rest[1:]
    elif kind == b"iTXt":
        packed, rest = rest[:1] == b"\1", rest[2:].split(b"\0", 2)[-1]
    return name.lower(), _unpacked(rest) if packed else rest


def _unpacked(data: bytes) -> bytes:
    stream = zlib.decompressobj()
    try:
        text = stream.decompress(data, _LARGEST)
    except zlib.error:
        raise CardFault(CUT_OFF) from None
    if stream.unconsumed_tail:
        raise CardFault(TOO_LARGE, limit=str(_LARGEST // 1_000_000))
    return text


def _decoded(text: bytes) -> str:
    if len(text) > _LARGEST:
        raise CardFault(TOO_LARGE, limit=str(_LARGEST // 1_000_000))
    try:
        plain = text
        if not text.lstrip().startswith(b"{"):
            packed = b"".join(text.split()).rstrip(b"=")
            plain = base64.b64decode(packed + b"=" * (-len(packed) % 4), validate=True)
        return plain.decode("utf-8-sig")
    except (binascii.Error, ValueError):
        raise CardFault(CUT_OFF) from None


MOST_CARD_BYTES = 60_000_000
"""The largest size of a file in bytes."""
SUFFIXES = (".png", ".json", ".charx")
_SIDE = 512
"""The largest side of a portrait in pixels."""
_MOST_POINTS = 40_000_000
_GREY = (120, 120, 130)


def read_card(data: bytes, name: str = "") -> tuple[Card, bytes]:
    """Read the card in the content of a file and its picture in any format, b"" for none. Data of
    this app is removed from the card: an untrusted card can't change settings. A card without a
    name is called `name`. Raises CardFault.
    """
    if len(data) > MOST_CARD_BYTES:
        raise CardFault(TOO_LARGE, limit=str(MOST_CARD_BYTES // 1_000_000))
    picture = b""
    if data.startswith(SIGNATURE):
        card, picture = read_png(data, name), data
    elif data.startswith(b"PK\3\4") or (data.startswith(b"\xff\xd8\xff") and b"PK\5\6" in data):
        card, picture = read_charx(data, name)
    else:
        card = read_json(_text(data), name)
    return without_private_data(card), picture


def read_file(path: Path) -> tuple[Card, bytes]:
    """Read a file as `read_card` does. Raises CardRefused and OSError."""
    try:
        return read_card(read_regular(path, MOST_CARD_BYTES), path.stem)
    except TooLarge:
        raise CardFault(TOO_LARGE, limit=str(MOST_CARD_BYTES // 1_000_000)).of(path.name) from None
    except CardFault as refusal:
        raise refusal.of(path.name) from None


def read_world_text(path: Path) -> Card | str:
    """Return the world book of a file: a card, or its own JSON text. Raises CardRefused and
    OSError.
    """
    try:
        data = read_regular(path, MOST_CARD_BYTES)
        if data.startswith((SIGNATURE, b"PK\3\4")):
            card, _ = read_card(data, path.stem)
            if card.book is None:
                raise CardFault(NO_BOOK)
            return card
        text = _text(data)
        read_world_book(parse_json(text))
        return text
    except TooLarge:
        raise CardFault(TOO_LARGE, limit=str(MOST_CARD_BYTES // 1_000_000)).of(path.name) from None
    except CardFault as refusal:
        raise refusal.of(path.name) from None


def write_card(card: Card, picture: bytes, suffix: str) -> bytes:
    """Return the content of a file of this kind; `picture` is a portrait (PNG), b"" for none."""
    card = without_private_data(card)
    match suffix:
        case ".png":
            return write_png(card, picture or _blank())
        case ".charx":
            return write_charx(card, picture)
        case _:
            return write_json(card).encode()


def make_portrait(data: bytes) -> bytes:
    """Return a small PNG of an untrusted picture; b"" if it can't be drawn. Slow: call it in a
    thread.
    """
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(data), formats=("PNG", "JPEG", "WEBP")) as found:
            if found.width * found.height > _MOST_POINTS:
                return b""
            found.thumbnail((_SIDE, _SIDE))
            made = io.BytesIO()
            found.convert("RGBA").save(made, "PNG")
            return made.getvalue()
    except (OSError, ValueError, SyntaxError, UnidentifiedImageError, Image.DecompressionBombError):
        return b""


def _blank() -> bytes:
    from PIL import Image

    made = io.BytesIO()
    Image.new("RGB", (_SIDE // 2, _SIDE // 2), _GREY).save(made, "PNG")
    return made.getvalue()


def _text(data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CardFault(UNKNOWN) from None
    if not text.lstrip().startswith("{"):
        raise CardFault(UNKNOWN if text.strip() else CUT_OFF)
    return text
