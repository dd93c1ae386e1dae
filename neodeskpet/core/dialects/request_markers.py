"""The markers of the tool_request dialect, and what could still become one."""

from __future__ import annotations

import re

_LONGEST_RUN = 64  # of "<": more of them are text
MARKER = re.compile(
    rf"<{{2,{_LONGEST_RUN}}}\[(?P<end>END_)?TOOL_(?P<kind>REQUEST|RESULT)\]>{{2,}}", re.IGNORECASE
)
END_PATTERN = re.compile(
    rf"[<《]{{0,{_LONGEST_RUN}}}\[END_TOOL_REQUEST\][>》]{{0,{_LONGEST_RUN}}}", re.IGNORECASE
)
"""The end of a block where nothing else can stand: with any signs around it."""
_END_BEGUN = re.compile(rf"[<《]{{0,{_LONGEST_RUN}}}(?P<word>\[[A-Z_]{{0,16}})?", re.IGNORECASE)
_BODIES = tuple(f"[{end}TOOL_{kind}]" for end in ("", "END_") for kind in ("REQUEST", "RESULT"))


def partial_marker(text: str) -> int:
    """How many characters at the end of `text` may be the beginning of a marker."""
    last = text.rfind("<")
    if last < 0:
        return 0
    start = last
    while start > 0 and text[start - 1] == "<" and last - start + 1 < _LONGEST_RUN:
        start -= 1
    run, rest = last - start + 1, text[last + 1 :].upper()
    if rest and run < 2:
        return 0
    if any(body.startswith(rest) or rest == body + ">" for body in _BODIES):
        return len(text) - start
    return 0


def may_end(text: str) -> bool:
    """Whether all of `text` may become `END`, or is one that may go on."""
    match = _END_BEGUN.fullmatch(text)
    word = (match and match["word"]) or ""
    begun = match is not None and "[END_TOOL_REQUEST]".startswith(word.upper())
    return begun or END_PATTERN.fullmatch(text) is not None


def partial_suffix(text: str, word: str) -> int:
    """How many characters at the end of `text` are a beginning of `word`, but not all of it."""
    for length in range(min(len(word) - 1, len(text)), 0, -1):
        if text.endswith(word[:length]):
            return length
    return 0
