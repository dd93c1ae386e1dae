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

from neodeskpet.language import tr_in
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
NAMES = {"en": ("Neo", "Mochi"), "zh_CN": ("尼奥", "糯米")}
"""Two characters in each language."""
_SETTINGS = ("figure's menu", "Settings…", "menu item")
_TODAY = ("figure's menu", "Today…", "menu item")
_MORE = ("figure's menu", "More", "menu item")
TASKS: dict[str, list[tuple[str, str, str]]] = {
    "connect a service": [
        _SETTINGS,
        ("settings, models", "Add a service", "button menu"),
        ("menu of services", "Other, OpenAI-compatible", "menu item"),
        ("address of a service", "Address of the new service", "text"),
        ("address of a service", "Add this service", "push button"),
    ],
    "make the figure calmer": [
        _SETTINGS,
        ("settings, you", "You & {name}", "list item"),
        ("settings, you", "Liveliness: Calm", "radio button"),
    ],
    "find “web search”": [
        _SETTINGS,
        ("settings, tools", "Search settings", "text"),
        ("settings, tools", "Web search: None", "radio button"),
    ],
    "write down a to-do for Friday and tick it": [
        _TODAY,
        ("today, overview", "Add a timer, an appointment, a to-do or a note", "text"),
        ("today, todo", "To-dos", "page tab"),
        ("today, todo", "Call the dentist", "list item"),
    ],
    "see next week's calendar": [
        _TODAY,
        ("today, calendar", "Calendar", "page tab"),
        ("today, calendar", "View of the calendar: Week", "radio button"),
        ("today, calendar", "Next month", "push button"),
    ],
    "delete a note through the model": [
        ("chat", "Message", "text"),
        ("chat, composer", "Send after this reply", "push button"),
        ("chat", "Don't add", "push button"),
    ],
    "answer a question from the bubble": [
        ("bubble", "Delete", "push button"),
        ("bubble", "Keep it", "push button"),
    ],
    "take back an “always”": [
        _SETTINGS,
        ("settings, tools", "Tools & permissions", "list item"),
        ("settings, tools", "Take back: Write a file", "push button"),
    ],
    "change the character": [
        _MORE,
        ("figure's menu, More", "Characters and companions…", "menu item"),
        ("gallery", "{other}", "radio button"),
    ],
    "find out what Neo knows about you": [
        _MORE,
        ("figure's menu, More", "What {name} knows about you…", "menu item"),
        ("memory", "Search what I know", "text"),
    ],
    "switch the memory off": [
        _SETTINGS,
        ("settings, memory", "Memory & knowledge", "list item"),
        ("settings, memory", "Remember earlier conversations", "check box"),
    ],
    "make it quiet for an hour": [
        ("figure's menu", "Quiet and position", "menu item"),
        ("figure's menu, Quiet and position", "Quiet for an hour", "menu item"),
    ],
}
"""The controls on the way of each task of the user guide: the view, the English name, the role."""
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


def spoken(language: str, words: str) -> str:
    """The name of a control in this language, part by part."""
    name, other = NAMES[language]
    parts = [tr_in(language, part, name=name, other=other) for part in words.split(": ")]
    return (
        parts[0]
        if len(parts) == 1
        else tr_in(language, "{name}: {text}", name=parts[0], text=parts[1])
    )


def missing_on_the_way(language: str, views: dict[str, list[Part]]) -> Iterator[str]:
    """Return the controls of the tasks that a screen reader doesn't find, or not with the states
    that their role needs.
    """
    for task, controls in TASKS.items():
        for view, words, role in controls:
            menu, _, inside = view.partition(", ")
            if inside and menu == "figure's menu":
                view = f"{menu}, {spoken(language, inside)}"
            name = spoken(language, words)
            found = [
                part
                for part in views.get(view, [])
                if part.role == role
                and (part.name.split("\t")[0] == name or part.name.startswith(f"{name}, "))
            ]
            if not found:
                yield f"{language}, {task}: {role} “{name}” isn't in “{view}”"
            elif not any(map(_is_usable, found)):
                yield f"{language}, {task}: {role} “{name}” lacks a state"


def _is_usable(part: Part) -> bool:
    match part.role:
        case "menu item":
            return part.is_sensitive
        case "list item" | "page tab":
            return part.is_selectable
        case "radio button" | "check box":
            return part.is_checkable and part.is_focusable
        case _:
            return part.is_focusable and part.is_sensitive


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
        seen: dict[str, dict[str, list[Part]]] = {}
        for view in views:
            application = application or reader.application("NeoDeskPet")
            parts = reader.survey(application, view.popups)
            seen.setdefault(view.language, {})[view.name] = parts
            count["views"] += 1
            count["controls"] += sum(part.role in _CONTROLS for part in parts)
            for kind, where in faults(view, parts):
                count[kind] += 1
                found.append(f"{kind}: {where}")
    print(dict(count))
    assert count["views"] > 150
    assert found == []
    missing = [one for language in seen for one in missing_on_the_way(language, seen[language])]
    assert "\n".join(missing) == ""
