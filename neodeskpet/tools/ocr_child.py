"""The child process for text recognition: `python -m neodeskpet.tools.ocr_child`.

A frame is an encoded picture; the answer is its text in UTF-8, line by line.

It uses 240 to 360 MB. With the library's defaults it was up to a gigabyte: they recognize six lines
at a time, each padded to the widest (the result has 18,000 numbers for each position in a line),
enlarge small pictures until their shorter side has 736 pixels, search large ones unscaled, and
freed memory stays with the process (see `MEMORY_ENVIRONMENT`).
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from neodeskpet.platform.child_process import serve_frames
from neodeskpet.platform.installation import add_extras_to_path

MEMORY_ENVIRONMENT = {
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": str(2 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(2 << 20),
}
"""Environment variables of the child: with them glibc returns freed memory at once."""
_MOST_PIXELS = 1_280
"""The longer side of the picture that is searched for lines. They are then read from the original
picture; a larger one doesn't yield more lines.
"""
_HOW: dict[str, Any] = {
    "Det.limit_type": "max",
    "Det.limit_side_len": _MOST_PIXELS,
    "Rec.rec_batch_num": 1,
    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
}
"""One thread: several threads busy-wait for each other and take twice the processor time."""


@dataclass(frozen=True, slots=True)
class TextPiece:
    """Adjacent words; the coordinates are pixels from the picture's upper left corner."""

    text: str
    left: float
    top: float
    bottom: float


_MOST_MEMORY = 4 << 30
"""Bytes of address space; the library maps far more than it uses."""


def main(arguments: Sequence[str]) -> int:
    add_extras_to_path()
    return serve_frames(_answer, float(arguments[0]), _MOST_MEMORY)


def _answer(picture: bytes) -> bytes:
    return "\n".join(as_lines(_recognise(picture))).encode("utf-8", "replace")


def as_lines(pieces: Iterable[TextPiece]) -> list[str]:
    """Join the pieces to lines: pieces at the same height are one line."""
    lines: list[list[TextPiece]] = []
    for piece in sorted(pieces, key=lambda one: one.top + one.bottom):
        middle = (piece.top + piece.bottom) / 2
        if lines and lines[-1][-1].top <= middle <= lines[-1][-1].bottom:
            lines[-1].append(piece)
        else:
            lines.append([piece])
    return ["  ".join(one.text for one in sorted(line, key=lambda p: p.left)) for line in lines]


def _recognise(picture: bytes) -> list[TextPiece]:
    from PIL import Image

    with Image.open(io.BytesIO(picture)) as image:
        shown = image.convert("RGB")

    from rapidocr import RapidOCR  # takes seconds, so only after the picture was decoded

    found: Any = RapidOCR(params=dict(_HOW))(shown)
    if found.boxes is None or found.txts is None:
        return []
    return [
        TextPiece(
            text,
            float(min(x for x, _ in box)),
            float(min(y for _, y in box)),
            float(max(y for _, y in box)),
        )
        for box, text in zip(found.boxes, found.txts, strict=True)
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
