"""The person's own words in what they sent, a sentence at a time. Pure.

What they paste isn't their own: blocks of code, lines that are quoted or listed, tables, addresses,
what comes after "translate:", and anything so long that nobody has typed it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

MAX_MESSAGE = 1200
"""Characters outside of quotations: what is longer was pasted."""
_MAX_SENTENCE = 160
_MIN_SENTENCE = 3
_CODE_FENCE = re.compile(r"(?ms)^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[ \t]*$|\Z)")
_QUOTED_LINE = re.compile(
    r"^\s*(?:>|\||[-*+•·]\s|\d+[.)、]\s|#{1,6}\s|\$\s|\[|<|\{|at\s.+\(.*\)$|.*(?:://|=>|->|;$|\{$))"
)
_END = re.compile(r"(?<=[.!?。！？；;…])(?:\s+|(?<=[。！？；…]))|\n+|(?<=[~～])\s+")
_SPEAKER = re.compile(r"(?i)^\s*(?:user|assistant|system|human|ai|bot|用户|助手|系统)\s*[:：]")
_TRANSFORM_REQUEST = re.compile(
    r"(?i)^.{0,80}\b(?:translate|rewrite|rephrase|proofread|summari[sz]e|correct|analy[sz]e|explain|"
    r"continue|paraphrase|edit|fix|improve|polish|grammar)\b[^.!?\n]{0,80}[:：]"
    r"|^.{0,40}(?:翻译|润色|改写|总结|概括|校对|续写|修改|分析|解释|造句|仿写|扩写|缩写)"
    r"[^。！？\n]{0,40}[:：]"
)


def own_sentences(text: str) -> list[str]:
    """The sentences of `text` that are the person's own, in their order."""
    written = _CODE_FENCE.sub("\n", text)
    lines = [line for line in written.splitlines() if not _QUOTED_LINE.match(line)]
    own = "\n".join(lines)
    if len(own) > MAX_MESSAGE or any(map(_SPEAKER.match, lines)):
        return []
    given = _TRANSFORM_REQUEST.search(own)
    if given is not None:  # what follows is a text to work on
        own = own[: given.start()]
    return list(_sentences(own))


def _sentences(text: str) -> Iterator[str]:
    for piece in _END.split(text):
        sentence = " ".join(piece.split())
        if _MIN_SENTENCE <= len(sentence) <= _MAX_SENTENCE:
            yield sentence


def normalized(text: str) -> str:
    """`text` as it is compared word for word: without case, spaces and signs at its edges."""
    return " ".join(text.casefold().replace("’", "'").split()).strip(" .,!?。，！？…~～;；:：\"'“”")
