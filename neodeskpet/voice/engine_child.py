"""What the child processes of local speech engines have in common.

The arguments of a child are SECONDS, the NAME of an engine and the FOLDER of its model. The engine
is loaded with the first question. An answer is DONE and its bytes, or a failure as JSON.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from neodeskpet.platform.child_process import failure_frame, serve_frames
from neodeskpet.platform.installation import add_extras_to_path

DONE = b"+"
MISSING, LOAD, WORK = "missing", "load", "work"
"""A package is missing, the model can't be loaded, or the engine failed at this question."""
_THREADS = 4
_MEMORY = 4 << 30
"""Bytes of address space; the libraries map far more than they use."""

Answer = Callable[[bytes], bytes]
LoadEngine = Callable[[Path], Answer]


def serve_engine(arguments: Sequence[str], engines: Mapping[str, LoadEngine]) -> int:
    """Answer questions until standard input ends. Returns the exit code."""
    seconds, name, folder = arguments
    add_extras_to_path()
    logging.disable()
    return serve_frames(EngineAnswers(engines[name], Path(folder)).answer, float(seconds), _MEMORY)


def thread_count() -> int:
    """Return how many threads an engine may use."""
    return min(os.cpu_count() or 1, _THREADS)


class EngineAnswers:
    """An engine, loaded with the first question."""

    def __init__(self, load: LoadEngine, folder: Path) -> None:
        self._load = load
        self._folder = folder
        self._engine: Answer | None = None

    def answer(self, question: bytes) -> bytes:
        stage = LOAD
        try:
            self._engine = self._engine or self._load(self._folder)
            stage = WORK
            return DONE + self._engine(question)
        except ImportError as error:
            return failure_frame(MISSING, error)
        except Exception as error:  # noqa: BLE001 - a library may raise anything
            return failure_frame(stage, error)
