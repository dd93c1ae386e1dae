"""One attempt to read a call at a possible beginning, with each family in turn."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from neodeskpet.core.dialects.leaked.openings import OfferedOpenings
from neodeskpet.core.dialects.leaked.source import (
    Call,
    CutError,
    Family,
    Ignored,
    Item,
    NoCallError,
    PlainText,
    Reading,
    Source,
)

_ENDS = (
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|eot|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|end|>",
    "<end_of_turn>",
    "[|endofturn|]",
    "<｜end▁of▁sentence｜>",
    "</s>",
)
_POINTS = " \t\r\n,;、"
_BETWEEN = (",", ";", "and", "和", "、", "以及", "然后")
_TAIL = 240
_LOOKED_AT = 120
"""Characters after a call (without leading blanks) that may show that it is an example."""
_EXAMPLE = re.compile(
    r"\b(?:examples?|e\.g|for instance|such as|like (?:this|so|that)|looks? like|illustrat\w+"
    r"|would (?:look|be|have)|sample|template|syntax|format(?:s|ted)?|schema|placeholders?"
    r"|hypothetical\w*|pseudo\w*|snippet|not (?:a|an) (?:real |actual )?(?:tool )?call"
    r"|(?:do not|don['’]t|never|instead of) (?:run|call|execut|send)\w*)\b"
    r"|例如|比如|譬如|示例|样例|例子|举例|格式|类似|如下所示|形如|写法|语法|模板|占位|伪代码"
    r"|不要(?:执行|调用|运行)",
    re.IGNORECASE,
)
"""Words that present a call as an example."""
_TOLD = re.compile(
    r"\b(?:emit|output|return|writ|pars|log|describ|expect|explain|document|mean|print|respon|show"
    r"|receiv|produc)\w*\b"
    r"|\b(?:sent|sends?|(?:would|could)(?! you)|earlier|previous(?:ly)?|was|were|had|payload"
    r"|body|the model|the assistant|called|is (?:how|what)|is a (?:tool )?call|if you"
    r"|you (?:can|could|may|might))\b"
    r"|模型(?:会|将|应)|会(?:输出|返回|写|生成)|日志|之前|刚才|上次|说明|表示|含义|解释|即可|就会"
    r"|你(?:可以|能)|文档|请求体|报文",
    re.IGNORECASE,
)
"""Words with which people and models write about calls. They count only if text follows."""
_INTENT = re.compile(
    r"\b(?:I['’]?(?:ll| will| need to| have to| am going to|['’]m going to)|let me|let['’]s|calling"
    r"|checking|now)\b|我(?:来|将|会|需要|要|先|这就)|让我|正在|现在|马上",
    re.IGNORECASE,
)
"""Words with which a model announces a call."""
_INSIDE_BEFORE = "[{(,=\"'`“‘「"
_INSIDE_AFTER = "]}),.;:=\"'`”’」{的是"


@dataclass(frozen=True, slots=True)
class Found:
    """`text[:end]` was read as `items`. Without items it is plain text."""

    end: int
    items: tuple[Item, ...] = ()


def attempt(source: Source, offered: OfferedOpenings) -> Reading[Found]:
    """Return what begins at the start of `source`. If no call begins there, the first character is
    text.
    """
    first = yield from _read(source, offered, 0)
    if first is None:
        return Found(1)
    found, weak = first
    if not weak:
        return found
    items = list(found.items)
    end = found.end
    while weak:
        source.restart(end)
        if (yield from _ends_after_gap(source)):
            end = source.at
            break
        between = source.text[end : source.at]
        more = yield from _read(source, offered, source.at)
        if more is None:
            if not _is_meant(source, items) or (yield from _is_shown(source, end)):
                return Found(found.end)
            return Found(end, tuple(items))
        items += [PlainText(between)] if between.strip(_POINTS) else []
        items += more[0].items
        end, weak = more[0].end, more[1]
    return Found(end, tuple(items)) if _is_meant(source, items) else Found(found.end)


def _is_meant(source: Source, items: Sequence[Item]) -> bool:
    """Return whether the weak calls are complete and the text before them doesn't present them as
    an example. A call that was cut off is reported as such.
    """
    calls = [item for item in items if isinstance(item, Call)]
    whole = all(
        call.arguments is None or source.tools.is_whole(call.name, call.arguments) for call in calls
    )
    return whole and _EXAMPLE.search(source.recent) is None


def _is_shown(source: Source, end: int) -> Reading[bool]:
    """Return whether the weak calls up to `end` belong to the text that follows: they are inside a
    sentence or code, or the words around them write about calls.
    """
    if source.before.rstrip()[-1:] in tuple(_INSIDE_BEFORE):
        return True
    while True:
        tail = source.text[end : end + _TAIL].lstrip()
        if source.ended or len(tail) >= _LOOKED_AT or "\n\n" in tail:
            break
        yield
    after = tail[:_LOOKED_AT].partition("\n\n")[0]
    if after[:1] in tuple(_INSIDE_AFTER) or after[:1].islower():
        return True
    before = source.recent.rstrip().rpartition("\n")[2]
    is_reported = _TOLD.search(before) is not None and _INTENT.search(before) is None
    return is_reported or _EXAMPLE.search(after) is not None or _TOLD.search(after) is not None


def _read(
    source: Source, offered: OfferedOpenings, begun: int
) -> Reading[tuple[Found, bool] | None]:
    cut: tuple[Found, bool] | None = None
    source.restart(begun)
    for family, openings in offered.at(
        source.text[begun : begun + 1], source.line(), first=not begun
    ):
        source.restart(begun)
        try:
            if not (yield from source.starts(*openings)):
                continue
            source.restart(begun)
            yield from family.read(source)
        except NoCallError:
            continue
        except CutError:
            if cut is None and (source.cut(begun) or _is_mark(source, family)):
                cut = Found(source.at, tuple(source.items) or (Ignored(),)), False
            continue
        if source.items:
            return Found(source.at, tuple(source.items)), family.weak
    return cut


def _is_mark(source: Source, family: Family) -> bool:
    """Return whether the text ended in something that can only be a call, even if no tool is named
    yet.
    """
    return not family.weak and (source.called or source.text.startswith(("<|", "<｜")))


def _ends_after_gap(source: Source) -> Reading[bool]:
    """Skip what may be between weak calls; return whether the reply ends there."""
    yield from source.space()
    while (yield from source.starts(*_ENDS)):
        yield from source.space()
    if source.at >= len(source.text):
        return True
    yield from source.starts(*_BETWEEN)
    yield from source.space()
    return False
