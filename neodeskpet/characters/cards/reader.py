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
    told = _ask(path, seconds, world=False)
    return _card(told, path), base64.b64decode(told["picture"])


def read_world_file(path: Path) -> tuple[Lorebook, tuple[Reason, ...]]:
    """Read the world book of a file, alone or in a card, and the list of its unusable parts. Slow:
    call it in a thread. Raises CardRefused and OSError.
    """
    told = _ask(path, _SECONDS, world=True)
    if "book" in told:
        return read_world_book(parse_json(told["book"]))
    card = _card(told, path)
    assert card.book is not None  # the child rejects a card without one
    return card.book, card.problems


def _card(told: dict[str, Any], path: Path) -> Card:
    try:
        card = read_json(told["card"], path.stem)
    except CardFault as refusal:
        raise refusal.of(path.name) from None
    return replace(card, problems=tuple(Reason(text, params) for text, params in told["odd"]))


def _ask(path: Path, seconds: float, *, world: bool) -> dict[str, Any]:
    child = FrameWorker("card", seconds)
    try:
        answer = child.ask(json.dumps({"path": str(path), "world": world}).encode())
    finally:
        child.close()
    if answer is None:
        raise CardFault(SLOW).of(path.name)
    told: dict[str, Any] = json.loads(answer)
    if "refused" in told:
        raise CardRefused(**told["refused"])
    if "failed" in told:
        raise OSError(told["failed"])
    return told
