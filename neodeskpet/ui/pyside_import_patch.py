"""What PySide does at each import isn't done: Python has all compiled.

PySide looks through the source of each module that is imported after it, for its own name, to know
where its optional features (`from __feature__ import …`) might be wanted, and Python's `linecache`
then keeps every line: 24 MiB of the app's memory and a tenth of the time until its figure stands.
For them it also has each import pass through Python code of its own, so that one within a function,
which finds its module loaded, costs 6 µs instead of 0.3: some are on the way of each piece of a
reply, in `re` and in what reads the network. Nobody here uses these features.
"""

from __future__ import annotations

import builtins
from contextlib import suppress
from importlib import import_module


def skip_source_scan() -> None:
    """For all that is imported from now on. A PySide that looks in another way goes on with it."""
    import_module("PySide6.QtCore")  # brings what looks
    with suppress(ImportError):
        features = import_module("shibokensupport.feature")
        if "_mod_uses_pyside" in vars(features):
            vars(features)["_mod_uses_pyside"] = lambda module: False
    plain = getattr(builtins, "__orig_import__", None)
    if plain is not None:
        builtins.__import__ = plain
