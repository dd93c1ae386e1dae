"""Refuses what ruff can't: nested Qt loops, which lose asyncio tasks (docs/decisions/002)."""

from __future__ import annotations

import re
import sys
from pathlib import Path

_EXEC = re.compile(r"\.exec_?\(")


def main() -> int:
    """Print each place in the package that runs a nested loop; 1 if there is any."""
    root = Path(__file__).resolve().parent.parent / "neodeskpet"
    found = [
        f"{path}:{number}: .exec() runs a nested Qt loop; use open(), popup() or the app's loop"
        for path in sorted(root.rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if _EXEC.search(line)
    ]
    print("\n".join(found) or "No nested Qt loops.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
