"""What the system knows about the user's account."""

from __future__ import annotations

import os
import sys


def full_name() -> str:
    """The full name of the account, "" if the system knows none."""
    if sys.platform == "win32":
        return os.environ.get("FULLNAME", "")
    import pwd

    try:
        record = pwd.getpwuid(os.getuid())
    except KeyError:
        return ""  # an account of a container
    name = record.pw_gecos.split(",")[0].strip()
    return "" if name == record.pw_name or record.pw_uid == 0 else name
