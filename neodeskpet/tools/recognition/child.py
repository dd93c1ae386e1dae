"""The process that recognises words: `python -m neodeskpet.tools.recognition.child`.

On standard input comes an encoded picture, on standard output go its words in UTF-8, line by line.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Piece:
    """Words that stand together; in pixels, from the picture's upper left corner."""

    text: str
    left: float
    top: float
    bottom: float


def main(arguments: Sequence[str]) -> int:
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the library prints goes to standard error
    text = "\n".join(in_lines(_recognise(sys.stdin.buffer.read())))
    out.write(text.encode("utf-8", "replace"))
    out.close()
    return 0


def in_lines(pieces: Iterable[Piece]) -> list[str]:
    """The pieces as a person reads them: those at one height are a line."""
    lines: list[list[Piece]] = []
    for piece in sorted(pieces, key=lambda one: one.top + one.bottom):
        middle = (piece.top + piece.bottom) / 2
        if lines and lines[-1][-1].top <= middle <= lines[-1][-1].bottom:
            lines[-1].append(piece)
        else:
            lines.append([piece])
    return ["  ".join(one.text for one in sorted(line, key=lambda p: p.left)) for line in lines]


def _recognise(picture: bytes) -> list[Piece]:
    from PIL import Image

    with Image.open(io.BytesIO(picture)) as image:
        shown = image.convert("RGB")

    from rapidocr import RapidOCR  # takes seconds: not for what is no picture

    found: Any = RapidOCR()(shown)
    if found.boxes is None or found.txts is None:
        return []
    return [
        Piece(
            text,
            float(min(x for x, _ in box)),
            float(min(y for _, y in box)),
            float(max(y for _, y in box)),
        )
        for box, text in zip(found.boxes, found.txts, strict=True)
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
