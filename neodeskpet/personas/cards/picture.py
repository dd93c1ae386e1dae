"""Cards in PNG files: a card stands in a text chunk (`ccv3` for V3, `chara` for older readers), as
base64 of UTF-8. Only the chunks are read here; no picture is decoded.
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
import zlib
from collections.abc import Iterator

from neodeskpet.personas.cards.card import Card, read_json, write_tree
from neodeskpet.personas.cards.faults import CUT_OFF, NO_CARD, TOO_LARGE, TOO_WIDE, CardFault

SIGNATURE = b"\x89PNG\r\n\x1a\n"
MOST_POINTS = 40_000_000
_LARGEST = 24_000_000
"""Bytes of the text of a card."""
_NAMES = (b"ccv3", b"chara")
"""The better one first."""
_HEAD = struct.Struct(">I4s")


def read_png(data: bytes, name: str = "") -> Card:
    """The card in a picture; one without a name is called `name`. Raises Refusal."""
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
        except CardFault as refusal:  # the other may be good
            refusals.append(refusal)
    raise refusals[0]


def write_png(card: Card, picture: bytes) -> bytes:
    """`picture` (a PNG) with the card in it, for readers of V3 and of V2. What card it held goes.
    Raises Refusal when it is no PNG.
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
    """The name of a text chunk, and its text unpacked; "" for one that makes no sense."""
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
