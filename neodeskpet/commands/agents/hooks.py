"""What a hook of a coding agent makes of an event: what is shown, asked or withdrawn."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from neodeskpet.commands.agents.wording import request_text, summary_text
from neodeskpet.language import tr
from neodeskpet.visitors.port import QUESTION

AGENTS = {
    "claude": "Claude Code",
    "codex": "Codex",
    "gemini": "Gemini CLI",
    "opencode": "opencode",
}
"""The agents with hooks, and what they are called."""

ANSWER_TIMEOUT = 55.0
"""How long a question waits: agents give a hook a minute."""


@dataclass(frozen=True, slots=True)
class ShowText:
    """A text (may be "") and a mood. `passing`: it is withdrawn when the agent goes on."""

    text: str
    mood: str
    passing: bool = False


@dataclass(frozen=True, slots=True)
class AskPermission:
    """A permission, by `question`."""

    question: str


@dataclass(frozen=True, slots=True)
class HookStep:
    """What is done on an event: what this `session` asked is withdrawn, for it goes on; then an
    act, if there is one.
    """

    session: str
    withdraws_question: bool = True
    action: ShowText | AskPermission | None = None


_WORKING_EVENTS = frozenset({"UserPromptSubmit", "BeforeAgent", "session.busy"})
_FINISHED_EVENTS = frozenset({"Stop", "AfterAgent", "session.idle"})
_FAILED_EVENTS = frozenset({"StopFailure", "session.error"})
_PERMISSION_EVENTS = frozenset({"PermissionRequest", "permission.asked"})


def step_for(event: Mapping[str, object]) -> HookStep:
    """What is to be done on `event`, as the hook got it on its input."""
    name, session = _text(event, "hook_event_name"), _text(event, "session_id")
    if name in _WORKING_EVENTS:
        # opencode's plugin takes back its questions itself: it ends the hooks that ask them.
        return HookStep(session, name != "session.busy", ShowText("", "working"))
    if name in _FINISHED_EVENTS:
        return HookStep(session, action=ShowText(tr("Done."), "happy"))
    if name in _FAILED_EVENTS:
        return HookStep(session, action=ShowText(tr("It stopped with an error."), "sorry"))
    if name in _PERMISSION_EVENTS:
        tool, given = _text(event, "tool_name"), _mapping(event.get("tool_input"))
        words = request_text(tool, given)
        act = AskPermission(words) if len(words) <= QUESTION else _terminal_only_text(tool, given)
        return HookStep(session, withdraws_question=False, action=act)
    if name == "Notification" and _text(event, "notification_type") == "ToolPermission":
        # Gemini CLI: such a hook can't answer.
        details = _mapping(event.get("details"))
        tool = _text(details, "tool_name") or _text(details, "type")
        return HookStep(
            session, withdraws_question=False, action=_terminal_only_text(tool, details)
        )
    return HookStep(session)


def _terminal_only_text(tool: str, given: Mapping[str, object]) -> ShowText:
    """A permission that can only be given in the terminal."""
    what = summary_text(tool, given).strip()[:200]
    told = tr("I need your permission in the terminal: {what}", what=what)
    return ShowText(told, "asking", passing=True)


def answer_text(agent: str, allowed: bool) -> str:
    """What the hook prints for an answered permission."""
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
