"""Reads character cards and world books in a process with limits of memory and time: untrusted
pictures and archives may be malicious.
"""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from neodeskpet.characters.cards.card_errors import SLOW, CardFault, CardRefused
from neodeskpet.characters.cards.character_card import Card, Lorebook, parse_json, read_json
from neodeskpet.characters.cards.world_book import read_world_book
from neodeskpet.core.i18n import Reason
from neodeskpet.platform.child_process import FrameWorker

_SECONDS = 30.0


def read_card_file(path: Path, seconds: float = _SECONDS) -> tuple[Card, bytes]:
    """Read the card in a file and its portrait (PNG), b"" for none. Slow: call it in a thread.
    Raises CardRefused and OSError.
    """
    reply = _ask(path, seconds, world=False)
    return _card(reply, path), base64.b64decode(reply["picture"])


def read_world_file(path: Path) -> tuple[Lorebook, tuple[Reason, ...]]:
    """Read the world book of a file, alone or in a card, and the list of its unusable parts. Slow:
    call it in a thread. Raises CardRefused and OSError.
    """
    reply = _ask(path, _SECONDS, world=True)
    if "book" in reply:
        return read_world_book(parse_json(reply["book"]))
    card = _card(reply, path)
    assert card.book is not None  # the child rejects a card without one
    return card.book, card.problems


def _card(reply: dict[str, Any], path: Path) -> Card:
    try:
        card = read_json(reply["card"], path.stem)
    except CardFault as refusal:
        raise refusal.of(path.name) from None
    return replace(card, problems=tuple(Reason(text, params) for text, params in reply["odd"]))


def _ask(path: Path, seconds: float, *, world: bool) -> dict[str, Any]:
    child = FrameWorker("card", seconds)
    try:
        answer = child.ask(json.dumps({"path": str(path), "world": world}).encode())
    finally:
        child.close()
    if answer is None:
        raise CardFault(SLOW).of(path.name)
    reply: dict[str, Any] = json.loads(answer)
    if "refused" in reply:
        raise CardRefused(**reply["refused"])
    if "failed" in reply:
        raise OSError(reply["failed"])
    return reply
