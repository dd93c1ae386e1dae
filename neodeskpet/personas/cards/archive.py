"""Cards in CharX archives: a zip with `card.json` and what it names. Two files of it are read, by
their names and within bounds; nothing is ever unpacked to a path.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from dataclasses import replace
from typing import Any

from neodeskpet.personas.cards.card import LARGEST_JSON, Card, read_json, write_json, write_tree
from neodeskpet.personas.cards.faults import (
    CUT_OFF,
    LEADS_OUT,
    LOCKED,
    TOO_LARGE,
    TOO_MANY,
    UNKNOWN,
    CardFault,
)

_CARD = "card.json"
_MOST_FILES = 5_000
_LARGEST_PICTURE = 20_000_000
_EMBEDDED = ("embeded://", "embedded://")
"""The first is how the specification spells it."""
_ICON = "assets/icon/images/main.png"
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError)


def read_charx(data: bytes, name: str = "") -> tuple[Card, bytes]:
    """The card of an archive and its picture, b"" for none; one without a name is called `name`.
    Raises Refusal.
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
    except RuntimeError:  # what zipfile says of a password
        raise CardFault(LOCKED) from None
    except _BROKEN:
        raise CardFault(CUT_OFF) from None


def write_charx(card: Card, picture: bytes) -> bytes:
    """An archive with the card, and its picture (PNG) as its icon."""
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
    if len(found) > most:  # the head of a bomb lies
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
