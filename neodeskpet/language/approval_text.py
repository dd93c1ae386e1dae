"""The words of a permission question: title, what the call touches, whether it can be undone, and
the answers. The chat, the speech bubble, the terminal and the questions of other programs use them.
"""

from __future__ import annotations

import re

from neodeskpet.core.blocks import ToolUse
from neodeskpet.core.grant_scope import Constraint, Grant, ScopeKind
from neodeskpet.core.i18n import N_, Reason
from neodeskpet.core.tool_result import argument_lines
from neodeskpet.core.unicode_text import show_hidden_chars
from neodeskpet.language import moment_words, tr, tr_reason

_MOST_PARAMETER = 80
"""Characters of a name in a title, after hidden characters were written out."""
_MOST_GRANT = 28
"""Characters of the limit in the label of an "always" answer."""


def question_title(call: ToolUse, title: str) -> str:
    """Return the permission question for a call on one line; `title` is the tool's title."""
    if call.question is not None:
        asked = call.question.title
        params = {key: _name(value) for key, value in asked.params.items()}
        return tr_reason(Reason(asked.text, params))
    if title != call.name:  # the title of our own tool describes the call
        return tr("{title}?", title=title)
    return tr("Use “{tool}”?", tool=_name(title))


def question_subject(call: ToolUse) -> str:
    """Return what a call that asks would touch, as lines of text. A call that asks because of what
    was read shows everything that it would send.
    """
    if call.question is not None and call.flow is None:
        thing = show_hidden_chars(call.question.thing)
        return "\n".join(moment_words(line) for line in thing.split("\n"))
    return show_hidden_chars(argument_lines(call.arguments or {}))


def question_fact(call: ToolUse) -> str:
    """Return whether a call that asks can be undone; "" if unknown or irrelevant."""
    if call.question is None or call.question.undoable is None:
        return ""
    return tr("Can be undone") if call.question.undoable else tr("Can't be undone")


def answer_labels(call: ToolUse) -> tuple[str, str]:
    """Return the labels of yes and no."""
    question = call.question
    verb = question.verb if question is not None and question.verb else N_("Allow")
    keep = question.keep if question is not None and question.keep else N_("Don't allow")
    return tr(verb), tr(keep)


def grant_label(grant: Grant) -> str:
    """Return a short label, such as "Always in docs" or "Always for git"."""
    if not grant.bounds:
        return tr("Always, even after untrusted text") if grant.untrusted else tr("Always")
    joined = " → ".join(dict.fromkeys(_short(_last(bound)) for bound in grant.bounds))
    match grant.bounds[0].reach:
        case ScopeKind.FOLDER:
            return tr("Always in {folder}", folder=joined)
        case ScopeKind.HOST if grant.untrusted:
            return tr("Always at {host}, even after untrusted text", host=joined)
        case ScopeKind.HOST:
            return tr("Always at {host}", host=joined)
        case _:
            return tr("Always for {value}", value=joined)


def grant_limits_text(grant: Grant) -> str:
    """Return the limits in full, such as "path in /home/me/docs"; "" if there are none."""
    bounds = [_full_limit(bound) for bound in grant.bounds]
    return ", ".join([*bounds, *([tr("even after untrusted text")] if grant.untrusted else [])])


def _full_limit(bound: Constraint) -> str:
    value = show_hidden_chars(bound.value)
    match bound.reach:
        case ScopeKind.FOLDER:
            return tr("{argument} in {folder}", argument=bound.argument, folder=value)
        case ScopeKind.HOST:
            return tr("{argument} at {host}", argument=bound.argument, host=value)
        case _:
            return f"{bound.argument}: {value}"


def _last(bound: Constraint) -> str:
    if bound.reach is ScopeKind.FOLDER:
        return re.split(r"[\\/]", bound.value)[-1]
    return bound.value


def _name(text: str) -> str:
    return _short(" ".join(text.split()), _MOST_PARAMETER)


def _short(text: str, most: int = _MOST_GRANT) -> str:
    text = show_hidden_chars(text)
    return text if len(text) <= most else text[: most - 1] + "…"
