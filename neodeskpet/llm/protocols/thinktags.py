"""Thinking that a model writes into its text between `<think>` and `</think>`."""

from __future__ import annotations

import re

_OPEN, _CLOSE, _FENCE = "<think>", "</think>", "```"
_MARK = re.compile(f"{_OPEN}|{_FENCE}")


class ThinkTags:
    """Tells thinking from text, at any split: only what may still become a tag is held back.

    An unclosed `<think>` stays thinking. In a code span or a fenced block the tag is text.
    """

    __slots__ = ("_before", "_fenced", "_held", "_thinking")

    def __init__(self) -> None:
        self._thinking = False
        self._fenced = False
        self._before = ""  # the character before what comes next
        self._held = ""

    def feed(self, text: str) -> list[tuple[bool, str]]:
        """`(is thinking, piece)` in order; pieces are never empty."""
        if not self._held and not self._thinking and "<" not in text and "`" not in text:
            self._before = text[-1:]
            return [(False, text)] if text else []
        text, self._held = self._held + text, ""
        out: list[tuple[bool, str]] = []
        while text:
            text = self._read_thinking(text, out) if self._thinking else self._read(text, out)
        return out

    def end(self) -> list[tuple[bool, str]]:
        """What was held back turned out to be no tag."""
        held, self._held = self._held, ""
        return [(self._thinking, held)] if held else []

    def _read_thinking(self, text: str, out: list[tuple[bool, str]]) -> str:
        """Take thinking up to its closing tag; returns what is left."""
        piece, tag, rest = text.partition(_CLOSE)
        if tag:
            self._thinking = False
        else:
            piece = self._hold(piece, _CLOSE)
        if piece:
            out.append((True, piece))
        return rest

    def _read(self, text: str, out: list[tuple[bool, str]]) -> str:
        """Take text up to the next mark; returns what is left."""
        match = _MARK.search(text)
        if match is None:
            piece, rest = self._hold(text, _OPEN, _FENCE), ""
        else:
            before = text[match.start() - 1] if match.start() else self._before
            if match.group() == _FENCE:
                self._fenced = not self._fenced
            elif not self._fenced and before != "`":
                self._thinking = True
            end = match.start() if self._thinking else match.end()
            piece, rest = text[:end], text[match.end() :]
        if piece:
            out.append((False, piece))
            self._before = piece[-1]
        return rest

    def _hold(self, text: str, *marks: str) -> str:
        """`text` without its end, if that may still become one of `marks`."""
        for size in range(min(len(text), max(map(len, marks)) - 1), 0, -1):
            if any(mark.startswith(text[-size:]) for mark in marks):
                self._held = text[-size:]
                return text[:-size]
        return text
