"""Maps an event of a coding agent to an action of the companion: show a text, ask for a permission,
or withdraw a question. A request is shown with its complete command, path or diff; a request that
is too long for a question is not asked through the companion.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from neodeskpet.core.tool_result import argument_lines
from neodeskpet.external_api.local_protocol import QUESTION
from neodeskpet.language import tr

_COMMAND_KEYS = ("command", "cmd", "script")
_PATH_KEYS = ("file_path", "filePath", "filepath", "path", "absolute_path", "notebook_path")
_CONTENT_KEYS = ("content", "new_source", "file_text")
_REPLACEMENT_KEYS = (
    ("old_string", "new_string"),
    ("oldString", "newString"),
    ("old_str", "new_str"),
)
_ADDRESS_KEYS = ("url", "uri")
_DIFF_KEYS = ("patch", "diff", "fileDiff")
_INPUT_KEYS = ("input",)
"""Arguments that hold a patch if they start like one."""
_PATCH_STARTS = ("*** Begin Patch", "--- ", "diff ", "@@", "Index: ")
_INDEX_HEADER = re.compile(r"\AIndex: .*\n=+\n")
"""A header that some programs write before a diff."""


def request_text(tool: str, given: Mapping[str, object]) -> str:
    """Describe a call of `tool` with these arguments."""
    command = _command_text(given)
    patch = _patch_text(given)
    if "*** Begin Patch" in command:
        command, patch = "", command
    why = given.get("description") or given.get("justification")
    reason = f"\n({why})" if isinstance(why, str) and why.strip() else ""
    path = _first_value(given, _PATH_KEYS)
    if command:
        return f"{tr('Run a command:')}\n{command}{reason}"
    if patch:
        title = tr("Change {path}:", path=path) if path else tr("Change files:")
        return f"{title}\n{patch}{reason}"
    changes = _edits_text(given)
    if path and changes:
        return f"{tr('Change {path}:', path=path)}\n{changes}{reason}"
    content = _first_value(given, _CONTENT_KEYS)
    if path and content:
        return f"{tr('Write {path}:', path=path)}\n{content}{reason}"
    address = _first_value(given, _ADDRESS_KEYS)
    if path or address:
        return f"{tool}: {path or address}{reason}"
    return "\n".join(filter(None, (tool or tr("Something"), argument_lines(given))))


def summary_text(tool: str, given: Mapping[str, object]) -> str:
    """Describe the call in one line: the command or the path, without the content."""
    first, *more = request_text(tool, given).splitlines()
    shows_path = any(path in first for path in _text_values(given, _PATH_KEYS))
    return first.removesuffix(":").removesuffix("：") if shows_path or not more else more[0]


def _patch_text(given: Mapping[str, object]) -> str:
    """Return the diff in any of its formats; "" for none."""
    diff = _first_value(given, _DIFF_KEYS)
    if diff:
        return _INDEX_HEADER.sub("", diff)
    text = _first_value(given, _INPUT_KEYS)
    return text if text.startswith(_PATCH_STARTS) else ""


def _command_text(given: Mapping[str, object]) -> str:
    for key in _COMMAND_KEYS:
        value = given.get(key)
        if isinstance(value, list):
            return " ".join(map(str, value))
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def _first_value(given: Mapping[str, object], keys: tuple[str, ...]) -> str:
    return next(_text_values(given, keys), "")


def _text_values(given: Mapping[str, object], keys: tuple[str, ...]) -> Iterator[str]:
    return (value for key in keys if isinstance(value := given.get(key), str) and value.strip())


def _edits_text(given: Mapping[str, object]) -> str:
    """Return the changes of an edit as lines of a diff."""
    edits = given.get("edits")
    parts = [given] if not isinstance(edits, list) else [e for e in edits if isinstance(e, dict)]
    return "\n…\n".join(filter(None, map(_edit_text, parts)))


def _edit_text(edit: Mapping[str, object]) -> str:
    for old, new in _REPLACEMENT_KEYS:
        before, after = edit.get(old), edit.get(new)
        if isinstance(before, str) and isinstance(after, str):
            lines = difflib.ndiff(before.splitlines(), after.splitlines())
            return "\n".join(line for line in lines if not line.startswith("?"))
    return ""


AGENTS = {
    "claude": "Claude Code",
    "codex": "Codex",
    "gemini": "Gemini CLI",
    "opencode": "opencode",
}
"""The agents with hooks, and their names."""

ANSWER_TIMEOUT = 55.0
"""Seconds to wait for an answer: agents end a hook after a minute."""


@dataclass(frozen=True, slots=True)
class ShowText:
    """Show a text (may be "") and a mood. `passing`: it is withdrawn when the agent continues."""

    text: str
    mood: str
    passing: bool = False


@dataclass(frozen=True, slots=True)
class AskPermission:
    """Ask for a permission with `question`."""

    question: str


@dataclass(frozen=True, slots=True)
class HookStep:
    """The reaction to an event: questions of this `session` are withdrawn, because it has
    continued; then an action follows, if there is one.
    """

    session: str
    withdraws_question: bool = True
    action: ShowText | AskPermission | None = None


_WORKING_EVENTS = frozenset({"UserPromptSubmit", "BeforeAgent", "session.busy"})
_FINISHED_EVENTS = frozenset({"Stop", "AfterAgent", "session.idle"})
_FAILED_EVENTS = frozenset({"StopFailure", "session.error"})
_PERMISSION_EVENTS = frozenset({"PermissionRequest", "permission.asked"})


def step_for(event: Mapping[str, object]) -> HookStep:
    """Return the reaction to `event`, as the hook received it."""
    name, session = _text(event, "hook_event_name"), _text(event, "session_id")
    if name in _WORKING_EVENTS:
        # opencode's plugin withdraws its questions itself: it ends the hooks that ask them.
        return HookStep(session, name != "session.busy", ShowText("", "working"))
    if name in _FINISHED_EVENTS:
        return HookStep(session, action=ShowText(tr("Done."), "happy"))
    if name in _FAILED_EVENTS:
        return HookStep(session, action=ShowText(tr("It stopped because of an error."), "sorry"))
    if name in _PERMISSION_EVENTS:
        tool, given = _text(event, "tool_name"), _mapping(event.get("tool_input"))
        words = request_text(tool, given)
        act = AskPermission(words) if len(words) <= QUESTION else _terminal_only_text(tool, given)
        return HookStep(session, withdraws_question=False, action=act)
    if name == "Notification" and _text(event, "notification_type") == "ToolPermission":
        # Gemini CLI: this hook can't return an answer.
        details = _mapping(event.get("details"))
        tool = _text(details, "tool_name") or _text(details, "type")
        return HookStep(
            session, withdraws_question=False, action=_terminal_only_text(tool, details)
        )
    return HookStep(session)


def _terminal_only_text(tool: str, given: Mapping[str, object]) -> ShowText:
    """Return the message for a permission that can only be given in the terminal."""
    what = summary_text(tool, given).strip()[:200]
    text = tr("I need your permission in the terminal: {what}", what=what)
    return ShowText(text, "asking", passing=True)


def answer_text(agent: str, allowed: bool) -> str:
    """Return the hook's output for an answered permission."""
    if agent == "opencode":
        return json.dumps({"reply": "once" if allowed else "reject"})
    behavior = "allow" if allowed else "deny"
    decision = {"hookEventName": "PermissionRequest", "decision": {"behavior": behavior}}
    return json.dumps({"hookSpecificOutput": decision})


def _text(event: Mapping[str, object], key: str) -> str:
    value = event.get(key)
    return value if isinstance(value, str) else ""


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
