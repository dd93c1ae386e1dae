"""The child process that reads files: `python -m neodeskpet.documents.child SECONDS`.

A frame (`children.serve_frames`) is `{"path", "language", "encoding"}`; its answer is what was
found, or why the file is refused.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from neodeskpet.children import serve_frames
from neodeskpet.core.json_text import repair_surrogates
from neodeskpet.documents.content import ReaderRefusal, ReadOptions
from neodeskpet.documents.forms import read_file


def main(arguments: Sequence[str]) -> int:
    """Answer until standard input ends; the exit code."""
    logging.disable()
    return serve_frames(answer_frame, float(arguments[0]))


def answer_frame(frame: bytes) -> bytes:
    try:
        asked = json.loads(frame)
        wish = ReadOptions(language=asked["language"], encoding=asked["encoding"])
        told = asdict(read_file(Path(asked["path"]), wish))
    except ReaderRefusal as refusal:
        told = {"refused": refusal.args[0]}
    except MemoryError:
        told = {"refused": "slow"}
    except Exception as error:  # noqa: BLE001 - whatever a library stumbles over, it is refused
        told = {"refused": "broken", "detail": f"{type(error).__name__}: {error}"[:200]}
    return json.dumps(repair_surrogates(told)).encode()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
