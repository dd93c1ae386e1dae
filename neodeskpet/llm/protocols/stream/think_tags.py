"""Separates text from what models write into it: thinking between tags, and end tokens.

The tags are those of chat templates and of gateways, in any case and with attributes. A closing tag
without an opening one (the template had added that) means that everything before it was thinking.
In a code span, a fenced block or quotation marks, a tag is text; so is a tag in the middle of a
line that is never closed.
"""

from __future__ import annotations

import re

RETRACTED = (True, "")
"""A piece that means: the text so far was thinking."""

_NAMES = "think|thinking|thought|thoughts|reasoning|seed:think|mm:think|antml:thinking"
_CHANNEL = ("<|open|>think<|sep|>", "<|close|>think<|sep|>")  # Kimi K3
_CLOSES = {"[think]": "[/think]", "◁think▷": "◁/think▷", _CHANNEL[0]: _CHANNEL[1]}
_ENDS = (
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|eot|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<end_of_turn>",
    "[|endofturn|]",
    "<｜end▁of▁sentence｜>",
    "</s>",
    # Kimi K3's channels around an answer
    "<|open|>response<|sep|>",
    "<|close|>response<|sep|>",
    "<|close|>message<|sep|>",
    "<|end_of_msg|>",
)
_FENCE = "```"
_MARK = re.compile(
    rf"(?P<open><(?P<name>{_NAMES})(?:\s[^<>\[◁`]{{0,200}})?>|\[THINK\]|◁think▷"
    rf"|{re.escape(_CHANNEL[0])})"
    rf"|(?P<close></(?:{_NAMES})\s{{0,20}}>|\[/THINK\]|◁/think▷|{re.escape(_CHANNEL[1])})"
    rf"|(?P<end>{'|'.join(map(re.escape, _ENDS))})"
    rf"|(?P<fence>{_FENCE})",
    re.IGNORECASE,
)
_BEGUN = re.compile(  # may still become a mark
    rf"<(?:{_NAMES})\s[^<>\[◁`]{{0,200}}$|</(?:{_NAMES})\s{{1,20}}$", re.IGNORECASE
)
_WORDS = [
    *_CLOSES,
    *_CLOSES.values(),
    *(word.casefold() for word in _ENDS),
    *(f"<{slash}{name}>" for slash in ("", "/") for name in _NAMES.split("|")),
    _FENCE,
]
_LONGEST = max(map(len, _WORDS))
_STARTS = frozenset(word[:size] for word in _WORDS for size in range(1, len(word)))
_FIRST = "<[◁`"
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "「": "」", "『": "』", "《": "》"}
_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}  # keeps the length


class ThinkTagReader:
    """Separates thinking from text, however it is split: only text that may still become a tag is
    held back.

    The text after an opening tag is thinking. `unclosed` is the tag if it is in the middle of a
    line and is still open: at the end of the reply, everything after it turns out to be text.
    """

    __slots__ = ("_before", "_close", "_fenced", "_said", "_thought", "held", "unclosed")

    def __init__(self) -> None:
        self._close: re.Pattern[str] | None = None  # the end of the thinking; None outside of it
        self._thought = False  # there was a tag already
        self._said = False  # text that isn't blank
        self._fenced = False
        self._before = ""  # its last character is the one before the next
        self.held = ""
        self.unclosed = ""

    def is_plain(self, text: str) -> bool:
        """Return whether `text` is only text, as most pieces are; then it must not be fed."""
        if (
            self.held
            or self._close is not None
            or "<" in text
            or "`" in text
            or "[" in text
            or "◁" in text
            or not text
        ):
            return False
        self._before = text
        if not self._said:
            self._said = not text.isspace()
        return True

    def feed(self, text: str) -> list[tuple[bool, str]]:
        """Return `(is thinking, piece)` in order; pieces are never empty, except UNSAID."""
        text, self.held = self.held + text, ""
        return self._read_all(text, last=False)

    def end(self) -> list[tuple[bool, str]]:
        """Return the text that was held back, unchanged."""
        text, self.held = self.held, ""
        return self._read_all(text, last=True) if text else []

    def _read_all(self, text: str, *, last: bool) -> list[tuple[bool, str]]:
        out: list[tuple[bool, str]] = []
        while text:
            if self._close is None:
                text = self._read(text, out, last)
            else:
                text = self._read_thinking(text, self._close, out, last)
        return out

    def _read_thinking(
        self, text: str, close: re.Pattern[str], out: list[tuple[bool, str]], last: bool
    ) -> str:
        """Take thinking up to its closing tag; return the rest."""
        tag = close.search(text)
        if tag is None:
            self._tell(out, True, text if last else self._hold(text))
            return ""
        self._tell(out, True, text[: tag.start()])
        self._close, self.unclosed = None, ""
        return text[tag.end() :]

    def _read(self, text: str, out: list[tuple[bool, str]], last: bool) -> str:
        """Take text up to the next mark; return the rest."""
        mark = _MARK.search(text)
        if mark is None:
            self._tell(out, False, text if last else self._hold(text))
            return ""
        before = text[mark.start() - 1] if mark.start() else self._before[-1:]
        rest = text[mark.end() :]
        if not (last or rest.strip()) and self._must_wait(mark, before, rest):
            self._tell(out, False, text[: mark.start()])
            self.held = text[mark.start() :]
            return ""
        if mark["fence"]:
            self._fenced = not self._fenced
        elif not self._fenced and before != "`" and self._means(mark, before, rest):
            self._tell(out, False, text[: mark.start()])
            self._take(mark, out, inline=self._said and before not in ("", "\n"))
            return rest
        self._tell(out, False, text[: mark.end()])
        return rest

    @staticmethod
    def _must_wait(mark: re.Match[str], before: str, rest: str) -> bool:
        """Return whether the text after it decides. `rest` is blank."""
        decides = bool(mark["close"]) or (bool(mark["open"]) and before in _QUOTES)
        return (decides and not rest) or mark[0].casefold() == "</s>"

    def _means(self, mark: re.Match[str], before: str, rest: str) -> bool:
        """Return whether the mark is really a mark."""
        if before and rest[:1] == _QUOTES.get(before, "\0"):
            return False
        if mark["close"]:  # the first one, at the edge of a line, closes a tag that wasn't opened
            edge = before in ("", "\n") or rest[:1] in ("", "\n", "\r") or mark[0][1] == "|"
            return edge and not self._thought
        return mark[0].casefold() != "</s>" or not rest.strip()

    def _take(self, mark: re.Match[str], out: list[tuple[bool, str]], *, inline: bool) -> None:
        if mark["end"]:
            return
        self._thought = True
        if mark["close"]:
            if self._said:
                out.append(RETRACTED)
            return
        tag = _CLOSES.get(mark[0].casefold()) or f"</{mark['name']}>"
        self._close = re.compile(re.escape(tag), re.IGNORECASE)
        self.unclosed = mark[0] if inline else ""

    def _tell(self, out: list[tuple[bool, str]], thinking: bool, piece: str) -> None:
        if not piece:
            return
        out.append((thinking, piece))
        if not thinking:
            self._before = piece[-1]
            self._said = self._said or not piece.isspace()

    def _hold(self, text: str) -> str:
        """Return `text` without its end, if that may still become a mark."""
        begun = _BEGUN.search(text[-220:]) if "<" in text else None
        if begun is not None:
            size = min(len(text), 220) - begun.start()
        else:
            tail = text[-_LONGEST:].translate(_LOWER)
            sizes = range(min(len(tail), _LONGEST - 1), 0, -1)
            size = next((n for n in sizes if tail[-n] in _FIRST and tail[-n:] in _STARTS), 0)
        if not size:
            return text
        self.held = text[-size:]
        return text[:-size]
