"""`neodeskpet child NAME`: runs a child process of a bundle, see `platform.child_process`."""

from __future__ import annotations

import importlib

from neodeskpet.platform.child_process import MODULES


def run(argv: list[str]) -> int:
    """Run the child named by the first argument. Raises KeyError for an unknown one: only the app
    itself starts it.
    """
    code: int = importlib.import_module(MODULES[argv[0]]).main(argv[1:])
    return code
