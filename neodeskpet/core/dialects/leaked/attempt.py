"""One attempt to read a call where one may begin: by each family in turn."""

from __future__ import annotations

from dataclasses import dataclass

from neodeskpet.core.dialects.leaked.openings import Menu
from neodeskpet.core.dialects.leaked.source import (
    CutError,
    Family,
    Item,
    NoCallError,
    Nothing,
    Reading,
    Source,
    Words,
)

_ENDS = (
    *("<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|eot|>", "<|endoftext|>", "<|end_of_text|>"),
    *("<|end|>", "<end_of_turn>", "[|endofturn|]", "<｜end▁of▁sentence｜>", "</s>"),
)
_POINTS = " \t\r\n,;、"
_BETWEEN = (",", ";", "and", "和", "、", "以及", "然后")


@dataclass(frozen=True, slots=True)
class Found:
    """`text[:end]` holds what `items` says. No items: it is plain text after all."""

    end: int
    items: tuple[Item, ...] = ()


def attempt(source: Source, menu: Menu) -> Reading[Found]:
    """What stands at the beginning of `source`; a first character that begins no call is text."""
    first = yield from _read(source, menu, 0)
    if first is None:
        return Found(1)
    found, weak = first
    items = list(found.items)
    end = found.end
    while weak:
        source.restart(end)
        if (yield from _cools_down(source)):
            return Found(source.at, tuple(items))
        between = source.text[end : source.at]
        more = yield from _read(source, menu, source.at)
        if more is None:
            return Found(found.end)  # text follows: it was an example, not a call
        items += [Words(between)] if between.strip(_POINTS) else []
        items += more[0].items
        end, weak = more[0].end, more[1]
    return Found(end, tuple(items))


def _read(source: Source, menu: Menu, begun: int) -> Reading[tuple[Found, bool] | None]:
    cut: tuple[Found, bool] | None = None
    source.restart(begun)
    for family, openings in menu.at(source.text[begun : begun + 1], source.line(), first=not begun):
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
                cut = Found(source.at, tuple(source.items) or (Nothing(),)), False
            continue
        if source.items:
            return Found(source.at, tuple(source.items)), family.weak
    return cut


def _is_mark(source: Source, family: Family) -> bool:
    """Whether what the text ended in can only have been a call, though none is named yet."""
    return not family.weak and (source.called or source.text.startswith(("<|", "<｜")))


def _cools_down(source: Source) -> Reading[bool]:
    """Pass what may stand between weak calls; whether nothing else follows the last one."""
    yield from source.space()
    while (yield from source.starts(*_ENDS)):
        yield from source.space()
    if source.at >= len(source.text):
        return True
    yield from source.starts(*_BETWEEN)
    yield from source.space()
    return False
