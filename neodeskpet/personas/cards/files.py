"""A file of any of the three kinds → its card and its picture; and back."""

from __future__ import annotations

import io
from pathlib import Path

from neodeskpet.files import TooLarge, read_regular
from neodeskpet.personas.cards.archive import read_charx, write_charx
from neodeskpet.personas.cards.card import (
    Card,
    parse_json,
    read_json,
    with_app_data,
    write_json,
)
from neodeskpet.personas.cards.faults import CUT_OFF, NO_BOOK, TOO_LARGE, UNKNOWN, CardFault
from neodeskpet.personas.cards.picture import SIGNATURE, read_png, write_png
from neodeskpet.personas.cards.worlds import read_world_book

MOST_CARD_BYTES = 60_000_000
"""Bytes of a file."""
SUFFIXES = (".png", ".json", ".charx")
_SIDE = 512
"""Points of a portrait at most."""
_MOST_POINTS = 40_000_000
_GREY = (120, 120, 130)


def read_card(data: bytes, name: str = "") -> tuple[Card, bytes]:
    """The card in the content of a file and its picture, whatever that is, b"" for none. What it
    says to this app is taken out: a card of others decides nothing here. One without a name is
    called `name`. Raises Refusal.
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
    return with_app_data(card, None), picture


def read_file(path: Path) -> tuple[Card, bytes]:
    """The same of a file. Raises CardRefused and OSError."""
    try:
        return read_card(read_regular(path, MOST_CARD_BYTES), path.stem)
    except TooLarge:
        raise CardFault(TOO_LARGE, limit=str(MOST_CARD_BYTES // 1_000_000)).of(path.name) from None
    except CardFault as refusal:
        raise refusal.of(path.name) from None


def read_world_text(path: Path) -> Card | str:
    """What holds the world book of a file: a card, or its own JSON text. Raises CardRefused and
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
    """The content of a file of this kind; `picture` is a portrait (PNG), b"" for none."""
    card = with_app_data(card, None)
    match suffix:
        case ".png":
            return write_png(card, picture or _blank())
        case ".charx":
            return write_charx(card, picture)
        case _:
            return write_json(card).encode()


def make_portrait(data: bytes) -> bytes:
    """A small PNG of a picture of others; b"" for what can't be drawn. Slow: for a thread."""
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
