"""Replies of a model in either mode, made from the chunks of `sseserver`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from tests.support.sseserver import Part, done, finish, text, tool_call, usage


def end(reason: str = "stop") -> tuple[Part, ...]:
    """The last parts of a complete reply."""
    return finish(reason), usage(), done()


def calling(mode: str, *calls: tuple[str, Mapping[str, object]]) -> tuple[Part, ...]:
    """The parts in which a model makes calls: natively, or letter by letter in the text."""
    if mode != "text":
        wire = [(name.replace(".", "_"), dict(arguments)) for name, arguments in calls]
        return tuple(tool_call(n, a, f"c{i}", i) for i, (n, a) in enumerate(wire))
    return tuple(text(letter) for letter in "\n".join(block(*call) for call in calls))


def block(name: str, arguments: Mapping[str, object]) -> str:
    """A call as a model writes it in text mode."""
    return (
        f"<<<[TOOL_REQUEST]>>>\ntool_name:「始」{name}「末」\n"
        f"input_json:「始」{json.dumps(arguments, ensure_ascii=False)}「末」\n"
        "<<<[END_TOOL_REQUEST]>>>"
    )


_WRAPPED = re.compile(r"⟦person(?:: [^⟧]*)?⟧\n(.*?)\s*⟦/person⟧", re.DOTALL)


def bare(content: object) -> str:
    """Return the user's text in a message of a request, without the wrapper of a chat."""
    return _WRAPPED.sub(lambda found: found[1], str(content))
