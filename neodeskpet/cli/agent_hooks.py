"""Maps an event of a coding agent to an action of the companion: show a text, ask for a permission,
or withdraw a question. A request has a title and its complete command, path or diff; one that is
too long for a question is not asked through the companion.
"""

from __future__ import annotations

import difflib
import json
import re
import shlex
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


_MOST_IN_TITLE = 48
"""Characters of a command or a path in a title; a longer one is shown below the title."""


@dataclass(frozen=True, slots=True)
class AskPermission:
    """Ask for a permission: the question, what the call does (plain text), the working folder of
    the agent, and the two answers.
    """

    title: str
    details: str = ""
    folder: str = ""
    allow: str = ""
    deny: str = ""
    summary: str = ""
    """The command, path or tool in one line, for a text that asks nothing."""


def permission_for(tool: str, given: Mapping[str, object], folder: str = "") -> AskPermission:
    """Describe a call of `tool` with these arguments."""
    command, patch = _command_text(given), _patch_text(given)
    if "*** Begin Patch" in command:
        command, patch = "", command
    if command:
        return _run_question(command, _reason(given), folder)
    path = _first_value(given, _PATH_KEYS)
    name = _name_in(folder, path)
    short = _shown_end(name)
    above = path if short != name else ""  # what the title can't hold stands below it
    change = _without_header(patch, path) or (_edits_text(given) if path else "")
    if change:
        title = tr("Change “{name}”?", name=short) if path else tr("Change files?")
        details = _lines(above, change, _reason(given))
        summary = tr("Change {path}", path=path) if path else patch.partition("\n")[0]
        leave = tr("Leave it")  # with the other answers it fits into one row of the bubble
        return AskPermission(title, details, folder, tr("Change"), leave, summary)
    content = _first_value(given, _CONTENT_KEYS)
    if path and content:
        details = _lines(above, _prefixed(content, "+ ", "+ "), _reason(given))
        title, summary = tr("Write “{name}”?", name=short), tr("Write {path}", path=path)
        return AskPermission(title, details, folder, tr("Write"), tr("Don't write"), summary)
    name = _one_line(tool) or tr("Something")
    address = path or _first_value(given, _ADDRESS_KEYS)
    return AskPermission(
        tr("Use “{tool}”?", tool=_shown_end(name)),
        argument_lines(given),
        folder,
        tr("Allow"),
        tr("Don't allow"),
        f"{name}: {address}" if address else name,
    )


def _run_question(command: str, reason: str, folder: str) -> AskPermission:
    whole = command == _one_line(command) and len(command) <= _MOST_IN_TITLE
    title = tr("Run “{command}”?", command=command) if whole else tr("Run this command?")
    # The indent keeps a line of the command from looking like a line of ours.
    details = _lines("" if whole else _prefixed(command, "$ ", "   "), reason)
    summary = command.partition("\n")[0]
    return AskPermission(title, details, folder, tr("Run"), tr("Don't run"), summary)


def _reason(given: Mapping[str, object]) -> str:
    why = given.get("description") or given.get("justification")
    words = _one_line(why) if isinstance(why, str) else ""
    return tr("Reason: {reason}", reason=words) if words else ""


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _shown_end(name: str) -> str:
    """Return a name for a title. The end of a path says more than its beginning."""
    name = _one_line(name)
    return name if len(name) <= _MOST_IN_TITLE else "…" + name[1 - _MOST_IN_TITLE :]


def _name_in(folder: str, path: str) -> str:
    """Return the path relative to this folder; a path outside it is returned unchanged."""
    root = folder.rstrip("/\\")
    rest = path[len(root) + 1 :]
    inside = root and path.startswith((f"{root}/", f"{root}\\"))
    return rest if inside and rest else path


def _lines(*parts: str) -> str:
    return "\n".join(filter(None, parts))


def _prefixed(text: str, first: str, others: str) -> str:
    return first + text.removesuffix("\n").replace("\n", f"\n{others}")


def _without_header(patch: str, path: str) -> str:
    """Return a patch without the lines that only repeat the path of the title."""
    header = re.match(r"--- (\S+)[^\n]*\n\+\+\+ (\S+)[^\n]*\n(?=@@)", patch)
    if header is not None and path and header[1] == header[2] == path:
        return patch[header.end() :]
    return patch


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
            return shlex.join(map(str, value))
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def _first_value(given: Mapping[str, object], keys: tuple[str, ...]) -> str:
    values = (given.get(key) for key in keys)
    return next((one for one in values if isinstance(one, str) and one.strip()), "")


def _edits_text(given: Mapping[str, object]) -> str:
    """Return the changes of an edit as lines of a diff."""
    edits = given.get("edits")
    parts = [given] if not isinstance(edits, list) else [e for e in edits if isinstance(e, dict)]
    return "\n…\n".join(filter(None, map(_edit_text, parts)))


def _edit_text(edit: Mapping[str, object]) -> str:
    for old, new in _REPLACEMENT_KEYS:
        before, after = edit.get(old), edit.get(new)
        if isinstance(before, str) and isinstance(after, str):
            return "\n".join(_changed_lines(before.split("\n"), after.split("\n")))
    return ""


def _changed_lines(before: list[str], after: list[str]) -> Iterator[str]:
    """Return the removed and the added lines, with “…” for unchanged lines between them."""
    changes = difflib.SequenceMatcher(None, before, after).get_opcodes()
    for number, (tag, start, end, new_start, new_end) in enumerate(changes):
        if tag == "equal":
            if 0 < number < len(changes) - 1:
                yield "…"
            continue
        yield from (f"- {line}" for line in before[start:end])
        yield from (f"+ {line}" for line in after[new_start:new_end])


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
        asked = permission_for(tool, given, _text(event, "cwd"))
        fits = len(asked.details) <= QUESTION
        act = asked if fits else terminal_only_text(asked)
        return HookStep(session, withdraws_question=False, action=act)
    if name == "Notification" and _text(event, "notification_type") == "ToolPermission":
        # Gemini CLI: this hook can't return an answer.
        details = _mapping(event.get("details"))
        tool = _text(details, "tool_name") or _text(details, "type")
        told = terminal_only_text(permission_for(tool, details))
        return HookStep(session, withdraws_question=False, action=told)
    return HookStep(session)


def terminal_only_text(asked: AskPermission) -> ShowText:
    """Return the message for a permission that can only be given in the terminal."""
    text = tr("I need your permission in the terminal: {what}", what=asked.summary.strip()[:200])
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
