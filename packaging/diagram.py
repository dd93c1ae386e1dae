"""Draws docs/turn.md from the turn's transition table; `--check` only compares."""

from __future__ import annotations

import sys
from pathlib import Path

from neodeskpet.core.turn.turn_states import TURN_TRANSITIONS, TurnState

_TARGET = Path(__file__).resolve().parent.parent / "docs" / "turn.md"
_HEAD = """# A turn's states

Made from `TRANSITIONS` in `neodeskpet/core/turn/turn_states.py` by `./run diagram`. Don't edit.

```mermaid
stateDiagram-v2
"""


def draw() -> str:
    """The whole page as Markdown with a Mermaid state diagram."""
    sources = {state for state, _ in TURN_TRANSITIONS}
    lines = ["    [*] --> ready"]
    lines += [f"    {a} --> {b}: {trigger}" for (a, trigger), b in TURN_TRANSITIONS.items()]
    lines += [f"    {state} --> [*]" for state in TurnState if state not in sources]
    return _HEAD + "\n".join(lines) + "\n```\n"


def main(arguments: list[str]) -> int:
    page = draw()
    if "--check" in arguments:
        current = _TARGET.read_text(encoding="utf-8") if _TARGET.exists() else ""
        print("docs/turn.md is current." if current == page else "docs/turn.md: run ./run diagram")
        return 0 if current == page else 1
    _TARGET.parent.mkdir(exist_ok=True)
    _TARGET.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
