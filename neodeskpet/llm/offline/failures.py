"""Why a tool failed, for a person: the tools' own words are meant for models."""

from __future__ import annotations

import re

from neodeskpet.llm.offline.request import OfflineRequest

_KNOWN = (
    ("divides by zero", "Nothing can be divided by zero.", "除数不能是零。"),
    ("result is too large", "The result is too large for me.", "结果太大，我算不了。"),
    ("complete calculation", "That sum isn't complete.", "这个算式不完整。"),
    ("didn't allow this call", "All right, I won't do it.", "好的，那我就不做了。"),
    ("cancelled by the person", "All right, I stopped.", "好的，我停下了。"),
    ("isn't a time I understand", "I don't understand that time.", "这个时间我没看懂。"),
    (
        " may mean (1)",
        "When exactly? Please say am or pm too.",
        "具体是什么时候？请说清上午还是下午。",
    ),
    ("is in the past", "That time has passed already.", "那个时间已经过去了。"),
    ("at most 366 days", "That is too far ahead: at most a year.", "太久了，最多提前一年。"),
    ("there is no note", "There is no such note.", "没有这条笔记。"),
    ("there is no timer", "There is no such timer.", "没有这个计时器。"),
    ("timezone: there is no", "I don't know that place.", "我不认识这个地方。"),
    ("didn't finish within", "That took too long, I gave up.", "太久了，我放弃了。"),
)


def render_failure(ask: OfflineRequest, output: str) -> str:
    """A sentence for the person; a reason that isn't known is repeated without its wrapping."""
    for mark, english, chinese in _KNOWN:
        if mark in output:
            return ask.pick(english, chinese)
    reason = re.sub(
        r"^The (?:arguments don't fit\.\s*(?:\w+: )?|tool failed\.\s*)", "", output.strip()
    )
    if not reason:
        return ask.pick("That didn't work.", "没有成功。")
    return ask.pick(f"That didn't work: {reason}", f"没有成功：{reason}")
