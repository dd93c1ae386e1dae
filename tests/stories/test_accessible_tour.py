"""Every window and page in the accessibility tree over D-Bus, in English and in Chinese: nothing
without a name, a label or a role, and no wrong role.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.accessible_tour import View
from tests.support.atspi import Part, Reader, private_bus
from tests.support.replies import calling, end
from tests.support.sseserver import ScriptedServer, text, thinking
from tests.support.unmeasured import unmeasured_children

_ROOT = Path(__file__).resolve().parents[2]
_WORDS = """It is 42.

| a | b |
|---|---|
| 1 | 2 |

$$x^2$$ and [a link](https://example.org)

```python
print(42)
```
"""
_CONTROLS = {
    "push button",
    "button",
    "toggle button",
    "check box",
    "radio button",
    "combo box",
    "text",
    "entry",
    "password text",
    "spin button",
    "slider",
    "list",
    "tree",
    "table",
    "link",
    "menu item",
    "check menu item",
    "hotkey field",
}
_WINDOWS = {"window", "frame", "dialog", "alert", "notification", "popup menu", "tool tip"}


def faults(view: View, parts: list[Part]) -> Iterator[tuple[str, str]]:
    """Return the faults of a view: the kind of the fault, and where."""
    # Another button may have the name of a fold.
    folds = set(view.folds) - {part.name for part in parts if part.is_expandable}
    for part in parts:
        where = f"{view.language}, {view.name}: {part.role} “{part.name}”"
        controls = part.role in _CONTROLS
        if controls and not part.name.strip() and not any(part.labels):
            yield "without name", where
        if part.role == "combo box" and not any(part.labels):
            yield "combo box without label", where
        if part.role in ("", "unknown", "invalid"):
            yield "without role", where
        if part.is_focusable and not controls and part.role == "filler":
            yield "without role", where
        if part.depth == 0 and part.role not in _WINDOWS:
            yield "wrong role", where
        if part.name in view.radios and part.role in ("check box", "toggle button"):
            yield "wrong role", where
        if part.name in folds and controls:
            yield "wrong role", where


@contextmanager
def tour(
    home: Path, server: ScriptedServer, environment: dict[str, str]
) -> Iterator[Iterator[View]]:
    command = [sys.executable, "-m", "tests.support.accessible_tour", str(home), server.url]
    pipe = subprocess.PIPE
    with (
        unmeasured_children(),
        subprocess.Popen(
            command, cwd=_ROOT, env=environment, stdin=pipe, stdout=pipe, text=True
        ) as app,
    ):
        assert app.stdin is not None and app.stdout is not None

        def views() -> Iterator[View]:
            for line in app.stdout or ():
                yield View(**json.loads(line))
                assert app.stdin is not None
                app.stdin.write("next\n")
                app.stdin.flush()

        try:
            yield views()
            app.communicate(timeout=60)
            assert app.returncode == 0
        finally:
            app.kill()


@pytest.mark.timeout(400)
def test_a_screen_reader_finds_everything(tmp_path: Path, server: ScriptedServer) -> None:
    sums = calling("native", ("calc.evaluate", {"expression": "6*7"}))
    server.reply(thinking("Hm."), text("Let me see."), *sums, *end("tool_calls"))
    server.reply(text(_WORDS), *end())
    server.reply(*calling("native", ("note.add", {"text": "42"})), *end("tool_calls"))
    count: Counter[str] = Counter()
    found: list[str] = []
    with private_bus() as bus, tour(tmp_path, server, bus) as views, Reader(bus) as reader:
        application = None
        for view in views:
            application = application or reader.application("NeoDeskPet")
            parts = reader.survey(application, view.popups)
            count["views"] += 1
            count["controls"] += sum(part.role in _CONTROLS for part in parts)
            for kind, where in faults(view, parts):
                count[kind] += 1
                found.append(f"{kind}: {where}")
    print(dict(count))
    assert count["views"] > 150
    assert found == []
