"""Adds the result to a call, in a turn or in the background."""

from __future__ import annotations

from dataclasses import replace

from neodeskpet.core.blocks import ToolStatus, ToolUse
from neodeskpet.core.tool_result import ResultImage
from neodeskpet.core.turn.signals import ToolFinished
from neodeskpet.core.untrusted import escape_markers

_FOREIGN_ERROR = 4_000
"""Highest number of characters in the error text of a foreign tool."""


def finish_call(call: ToolUse, signal: ToolFinished, now: float) -> ToolUse:
    """Return the finished `call` with its result at `now` (Unix seconds)."""
    result = signal.result
    if signal.status is ToolStatus.SUCCESS:
        images = tuple(ResultImage(one.digest, one.media_type, one.name) for one in result.images)
        return replace(
            call,
            status=signal.status,
            output=result.text,
            ended=now,
            data=result.data,
            shown=result.shown,
            images=images,
            continue_=result.continue_,
            labels=call.labels | result.labels,
            brief=result.brief,
        )
    if result.failed:  # the other parts of the result are valid all the same
        call = replace(call, data=result.data, shown=result.shown)
    text = result.text
    if call.foreign and signal.status is ToolStatus.ERROR:
        text = escape_markers(text[:_FOREIGN_ERROR])
    return replace(call, status=signal.status, error=text, fault=signal.fault, ended=now)
