"""Turns off what PySide does at each import.

PySide scans the source of each module that is imported after it for its own name, to detect its
optional features (`from __feature__ import …`), and Python's `linecache` then keeps every line: 24
MiB of memory and a tenth of the time until the figure is shown. It also passes each import through
Python code, so that an import inside a function of a loaded module costs 6 µs instead of 0.3: some
happen for each delta of a reply, in `re` and in network code. This project doesn't use these
features.
"""

from __future__ import annotations

import builtins
from contextlib import suppress
from importlib import import_module


def skip_source_scan() -> None:
    """Turn the scan off for all later imports. A PySide version that works differently is left
    alone.
    """
    import_module("PySide6.QtCore")  # loads the scanner
    with suppress(ImportError):
        features = import_module("shibokensupport.feature")
        if "_mod_uses_pyside" in vars(features):
            vars(features)["_mod_uses_pyside"] = lambda module: False
    plain = getattr(builtins, "__orig_import__", None)
    if plain is not None:
        builtins.__import__ = plain
