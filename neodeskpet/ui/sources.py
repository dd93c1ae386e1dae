"""The source of what is loaded isn't read: Python has it compiled.

PySide looks through the source of each module that is imported after it, for its own name, to know
where its optional features (`from __feature__ import …`) might be wanted, and Python's `linecache`
then keeps every line: 24 MiB of the app's memory and a tenth of the time until its figure stands.
Nobody here uses these features.
"""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module


def leave_sources_unread() -> None:
    """For all that is imported from now on. A PySide that looks in another way goes on with it."""
    import_module("PySide6.QtCore")  # brings what looks
    with suppress(ImportError):
        features = import_module("shibokensupport.feature")
        if "_mod_uses_pyside" in vars(features):
            vars(features)["_mod_uses_pyside"] = lambda module: False
