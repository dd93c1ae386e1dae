"""`neodeskpet child NAME`: what a bundle's own program does in another process, see `children`."""

from __future__ import annotations

import importlib

from neodeskpet.platform.child_process import MODULES


def run(argv: list[str]) -> int:
    """Do what the first word names. Raises KeyError for another: only we start it."""
    code: int = importlib.import_module(MODULES[argv[0]]).main(argv[1:])
    return code
