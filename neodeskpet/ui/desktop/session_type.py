"""Which kind of session the person is in, as the login said. Qt's platform tells less: a program
may run on an X server within Wayland, which knows little of the rest.
"""

from __future__ import annotations

import os
from collections.abc import Mapping


def session_type(environ: Mapping[str, str] = os.environ) -> str:
    """ "x11", "wayland", …; "" where nobody said."""
    return environ.get("XDG_SESSION_TYPE", "").lower()


def is_wayland(environ: Mapping[str, str] = os.environ) -> bool:
    return session_type(environ) == "wayland"
