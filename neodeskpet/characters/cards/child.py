"""The child process that reads character cards: `… -m neodeskpet.characters.cards.child SECONDS`.

A frame (`child_process.serve_frames`) is `{"path", "world"}`. The reply is the card, or with
`world` the data with the world book, as plain JSON in the app's own form; or the reason why the
file is rejected.
"""

from __future__ import annotations

import base64
import json
import logging
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from neodeskpet.characters.cards.card_errors import CardRefused
from neodeskpet.characters.cards.card_files import make_portrait, read_file, read_world_text
from neodeskpet.characters.cards.character_card import Card, write_json
from neodeskpet.platform.child_process import serve_frames


def main(arguments: Sequence[str]) -> int:
    """Answer requests until standard input ends; return the exit code."""
    logging.disable()
    return serve_frames(answer, float(arguments[0]))


def answer(frame: bytes) -> bytes:
    reply: Mapping[str, object]
    try:
        asked = json.loads(frame)
        reply = _world(Path(asked["path"])) if asked["world"] else _card(Path(asked["path"]))
    except CardRefused as refused:
        reply = {"refused": refused.params}
    except OSError as error:
        reply = {"failed": str(error)}
    return json.dumps(reply).encode()


def _card(path: Path) -> Mapping[str, object]:
    card, picture = read_file(path)
    small = base64.b64encode(make_portrait(picture)).decode() if picture else ""
    return {"card": write_json(card), "odd": _odd(card), "picture": small}


def _world(path: Path) -> Mapping[str, object]:
    found = read_world_text(path)
    if isinstance(found, Card):
        return {"card": write_json(found), "odd": _odd(found)}
    return {"book": found}


def _odd(card: Card) -> list[object]:
    return [[one.text, dict(one.params)] for one in card.problems]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
