"""The child process that reads files: `python -m neodeskpet.documents.child SECONDS`.

A frame (`children.answer_frames`) is a path as JSON; its answer what was found, or why not.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from neodeskpet.children import answer_frames
from neodeskpet.core.json_text import sound
from neodeskpet.documents.forms import Refusal, read_file


def main(arguments: Sequence[str]) -> int:
    """Answer until standard input ends; the exit code."""
    logging.disable()
    return answer_frames(answer, float(arguments[0]))


def answer(frame: bytes) -> bytes:
    try:
        told = asdict(read_file(Path(json.loads(frame))))
    except Refusal as refusal:
        told = {"refused": refusal.args[0]}
    except MemoryError:
        told = {"refused": "slow"}
    except Exception as error:  # noqa: BLE001 - whatever a library stumbles over, it is refused
        told = {"refused": "broken", "detail": f"{type(error).__name__}: {error}"[:200]}
    return json.dumps(sound(told)).encode()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
