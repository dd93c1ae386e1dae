"""The user's account in the operating system."""

from __future__ import annotations

import os
import sys


def full_name() -> str:
    """Return the full name of the account, "" if the system has none."""
    if sys.platform == "win32":
        return os.environ.get("FULLNAME", "")
    import pwd

    try:
        record = pwd.getpwuid(os.getuid())
    except KeyError:
        return ""  # an account in a container
    name = record.pw_gecos.split(",")[0].strip()
    return "" if name == record.pw_name or record.pw_uid == 0 else name
