"""Keeps keys out of logs, exports and crash reports.

`register_secret` adds a secret to the filter; text that looks like a key is hidden too. Put the
filter on handlers (`protect_handlers`), not on loggers: the filter of a logger doesn't get the
records of its children.
"""

from __future__ import annotations

import json
import logging
import re
import threading
from pathlib import Path
from urllib.parse import quote

HIDDEN_MARK = "[hidden]"
_SHORTEST = 8  # a shorter secret ("ollama", "none") would blank ordinary words

_lock = threading.Lock()
_secrets: frozenset[str] = frozenset()

_KEY = r"(?:sk-[A-Za-z0-9_\-]{8,}|(?:gsk|pk|rk|xai|hf|nvapi|gh[oprsu])[-_][A-Za-z0-9_\-]{16,})"
_FIELD = r"(?:authorization|(?:x-|x-goog-)?api[-_]?key|(?:access|auth)[-_]?token|client[-_]?secret)"
_PASSWORD = r"(?<![A-Za-z0-9])[A-Za-z0-9_]{0,40}(?:password|passwd|passphrase)"
_QUERY = r"(?:(?:api[-_]?)?key|(?:access[-_]?)?token|secret)"
_PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?i)\bbearer\s+[A-Za-z0-9+/._~=\-]{6,}"), f"Bearer {HIDDEN_MARK}"),
    (re.compile(r"(?i)\bbasic\s+[A-Za-z0-9+/=]{16,}"), f"Basic {HIDDEN_MARK}"),
    (re.compile(rf"(?i)([?&]{_QUERY}=)[^&\s\"'<>]+"), rf"\1{HIDDEN_MARK}"),
    # "api_key": "…" in JSON and in a dict's repr; headers as pairs; X-Api-Key: … in a dump. Never
    # backtracking: an unclosed text is hidden to the end of the line.
    (
        re.compile(rf"(?i)(\b{_FIELD}\b[\"']?\s*[:=,]\s*b?)([\"'])(?:\\.|(?!\2).)++\2?"),
        rf"\1\2{HIDDEN_MARK}\2",
    ),
    (re.compile(rf"(?i)(\b{_FIELD}\s*[:=]\s*)(?!bearer|basic)[^\s\"',;]+"), rf"\1{HIDDEN_MARK}"),
    (re.compile(r"(://[^\s/:@]*:)[^\s/@]+@"), rf"\1{HIDDEN_MARK}@"),
    # password=… and "password": "…", not "password: " before an ordinary sentence.
    (
        re.compile(rf"(?i)((?:{_PASSWORD})[\"']?\s*[:=]\s*)([\"'])(?:\\.|(?!\2).)++\2?"),
        rf"\1\2{HIDDEN_MARK}\2",
    ),
    (re.compile(rf"(?i)((?:{_PASSWORD})=)[^\s\"'&,;]+"), rf"\1{HIDDEN_MARK}"),
)


_TOKENS = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    + "|".join(
        (
            _KEY,
            r"github_pat_[A-Za-z0-9_]{20,}",
            r"gl(?:pat|dt|rt|soat|cbt|ptt|ft)-[A-Za-z0-9_\-.]{16,}",
            r"xox[abeoprs]-[A-Za-z0-9\-]{10,}",
            r"xapp-[A-Za-z0-9\-]{10,}",
            r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])",
            r"eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]*(?:\.[A-Za-z0-9_\-]+){0,2}",
            r"AIza[A-Za-z0-9_\-]{20,}",
            r"ya29\.[A-Za-z0-9_\-]{20,}",
            r"GOCSPX-[A-Za-z0-9_\-]{20,}",
            r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}",
            r"whsec_[A-Za-z0-9+/=]{16,}",
            r"npm_[A-Za-z0-9]{30,}",
            r"pypi-[A-Za-z0-9_\-]{40,}",
            r"dop_v1_[a-f0-9]{32,}",
            r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{20,}",
            r"SG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}",
            r"AGE-SECRET-KEY-1[A-Z0-9]{40,}",
            r"[0-9]{8,10}:AA[A-Za-z0-9_\-]{32,}",
        )
    )
    + ")"
)
"""Tokens with a recognizable form, anywhere."""
_CLOUD_KEY = re.compile(r"(?i)(aws_secret_access_key[\"']?\s*[:=]\s*[\"']?)[A-Za-z0-9/+=]{30,}")
_KEY_MARK = re.compile(r"-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_LINES = re.compile(r"(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]{40,}+)+")


def register_secret(secret: str) -> None:
    """Hide `secret` from now on, also in URL and JSON form."""
    global _secrets
    if len(secret.strip()) < _SHORTEST:
        return
    forms = {secret, quote(secret, safe=""), quote(secret), json.dumps(secret)[1:-1]}
    with _lock:
        _secrets = _secrets | forms


def redact(text: str) -> str:
    """Return `text` without registered secrets and text that looks like a key."""
    for secret in sorted(_secrets, key=len, reverse=True):
        text = text.replace(secret, HIDDEN_MARK)
    for pattern, replacement in _PATTERNS:
        text = pattern.sub(replacement, text)
    return redact_tokens(text)


def redact_tokens(text: str) -> str:
    """Return `text` without private keys and tokens of a recognizable form: ordinary code and
    configuration stay unchanged. Line numbers stay the same.
    """
    return _TOKENS.sub(
        HIDDEN_MARK, _CLOUD_KEY.sub(rf"\1{HIDDEN_MARK}", _without_private_keys(text))
    )


def _without_private_keys(text: str) -> str:
    marks = list(_KEY_MARK.finditer(text))
    kept: list[str] = []
    done = 0
    for place, mark in enumerate(marks):
        if mark[1] == "END" or mark.start() < done:
            continue
        following = marks[place + 1] if place + 1 < len(marks) else None
        if following is not None and following[1] == "END":
            end = following.end()
        else:  # cut off: hide the lines that look like it
            body = _KEY_LINES.match(text, mark.end())
            if body is None:
                continue
            end = body.end()
        lines = text.count("\n", mark.start(), end)
        kept += (text[done : mark.start()], HIDDEN_MARK, "\n" * lines)
        done = end
    return "".join((*kept, text[done:]))


_HOME = re.compile(
    r"(?:/home/|/Users/|(?<![A-Za-z])[A-Za-z]:(?:\\{1,2}|/)Users(?:\\{1,2}|/))[^/\\\s\"'<>:|?*]+"
)


def hide_home(text: str) -> str:
    """Return `text` with home folders replaced by `~`, because their paths contain names."""
    home = str(Path.home())
    if len(home) > 1:
        text = re.sub(rf"{re.escape(home)}(?![\w.-])", "~", text)
    return _HOME.sub("~", text)


def holds_secret(text: str) -> bool:
    """Return whether `redact` would hide something in `text`."""
    return redact(text) != text


class RedactingFilter(logging.Filter):
    """Rewrites a record's message, traceback and stack; lets every record pass."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg = redact(_message(record))
        record.args = None
        if record.exc_info:
            record.exc_text = record.exc_text or _formatter.formatException(record.exc_info)
            record.exc_info = None  # no later handler may format the original again
        if record.exc_text:
            record.exc_text = redact(record.exc_text)
        if record.stack_info:
            record.stack_info = redact(record.stack_info)
        return True


_formatter = logging.Formatter()


def _message(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except (TypeError, ValueError, KeyError):
        return f"{record.msg} {record.args}"  # wrong placeholders: log it all the same


def protect_handlers(logger: logging.Logger | None = None) -> None:
    """Put the filter on all handlers of `logger`, by default the root. Call it again after adding a
    handler.
    """
    for handler in (logger or logging.getLogger()).handlers:
        if not any(isinstance(one, RedactingFilter) for one in handler.filters):
            handler.addFilter(RedactingFilter())
