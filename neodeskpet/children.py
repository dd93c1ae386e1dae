"""How a process of our own is started: its command and its environment.

Some work may die, hang or take all memory (a model file, a language model, code to be coloured), so
it is done in another process. A checkout runs the module; a bundle has none, its own program does
the work when it is told `child NAME`.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

MODULES = {
    "colour": "neodeskpet.ui.highlight.child",
    "draw": "neodeskpet.live2d.contact_sheet",
    "probe": "neodeskpet.live2d.files.probe",
    "serve": "neodeskpet.llm.local.server",
}
"""What there is to do, and the module whose `main(arguments)` does it."""

_SECRET = re.compile("key|token|secret|passw|credential", re.IGNORECASE)
_ROOT = Path(__file__).resolve().parents[1]


def child_command(name: str) -> list[str]:
    """The command that does `name` of MODULES; arguments may be added."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "child", name]
    return [sys.executable, "-m", MODULES[name]]


def child_environment() -> dict[str, str]:
    """This process's environment without what may be a secret, which no child of ours needs."""
    kept = {name: value for name, value in os.environ.items() if not _SECRET.search(name)}
    path = filter(None, (str(_ROOT), os.environ.get("PYTHONPATH", "")))
    return kept | {"PYTHONPATH": os.pathsep.join(path)}
