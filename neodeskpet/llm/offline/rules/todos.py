"""To-dos: put on the list that the panel shows, listed, ticked, taken off."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from neodeskpet.llm.offline.request import Ask, Result
from neodeskpet.llm.offline.rules.rule import pattern, plain
from neodeskpet.llm.offline.scripts import Lead, Say, Script, fail, use

_SHOWN = 15
_EN = r"(?:to-?\s?do|task)s?"
_ZH = "待办(?:事项)?"
_ADD = pattern(
    rf"^(?:add|put) (?P<a>.+?) (?:to|on) (?:my |the )?{_EN}(?: list)?$",
    rf"^(?:add )?(?:a )?(?:new )?{_EN}\s*[:：]\s*(?P<b>.+)$",
    rf"^(?:添加|新增|加|新建|记)?(?:一个|一条|个|条)?{_ZH}\s*[:：,，]\s*(?P<c>.+)$",
    rf"^(?:添加|新增|加|新建|记)(?:一个|一条|个|条)?{_ZH}\s*(?P<e>.+)$",
    rf"^把(?P<d>.+?)(?:加到|加入|放进|写进|记到|添加到)(?:我的)?{_ZH}(?:清单|列表)?(?:里|中)?$",
)
_LIST = pattern(
    r"^(?:show|list|see|read|open|what(?:'s| is| are)?(?: in)?|give me|get)?\s*(?:me )?(?:all )?"
    rf"(?:my|the|all)?\s*{_EN}(?: list)?$",
    rf"\bwhat(?:'s| is| are)? (?:on|in) my {_EN}\b",
    rf"\b(?:do i have|are there) (?:any )?{_EN}\b",
    r"^what (?:do i have|is there) to do(?: today)?$",
    r"^(?:看看|看一下|查看|显示|列出|打开|读一?下?)?(?:我的|所有|全部)?(?:的)?"
    rf"{_ZH}(?:清单|列表)?(?:有哪些|有什么|里有什么|列表)?$",
    rf"(?:有|记了)(?:哪些|什么){_ZH}",
)
_NUMBER = r"(?:number|no\.?|#)?\s*#?(?P<{name}>\d{{1,9}})"
_DONE = pattern(
    rf"^(?:mark|tick|check)(?: off)?(?: the| my)? {_EN} {_NUMBER.format(name='a')}"
    r"(?: off)?(?: as)?(?: done| finished| complete)?$",
    rf"^(?:i(?:'m| am|'ve| have)? )?(?:done|finished)(?: with)? {_EN} {_NUMBER.format(name='b')}$",
    rf"^{_EN} {_NUMBER.format(name='c')} (?:is |has been )?(?:done|finished|complete)$",
    rf"^(?:把)?(?:第)?\s*(?P<d>\d{{1,9}})\s*(?:条|个|号)(?:的)?{_ZH}"
    r"(?:已经)?(?:完成|做完|打勾|勾掉|搞定)了?$",
    rf"^(?:完成|做完|勾掉)了?\s*(?:第)?\s*{_ZH}?\s*(?:第)?(?P<e>\d{{1,9}})(?:条|个|号)?(?:{_ZH})?了?$",
)
_DELETE = pattern(
    rf"^(?:remove|delete|take) (?P<e>.+?) (?:from|off) (?:my |the )?{_EN}(?: list)?$",
    rf"^(?:delete|remove|erase|forget|drop)\b.*?\b{_EN}\b\s*(?:number|no\.?|#)?\s*"
    r"(?:about|on|with|:)?\s*(?P<a>.*)$",
    rf"^(?:删除?掉?|移除|忘掉|清除)(?:一下|第|关于)?(?P<b>.*?)(?:条|个|号)?(?:的)?{_ZH}(?P<c>.*)$",
    rf"^把(?:关于)?(?P<d>.+?)(?:的)?{_ZH}(?:删掉|删除|删了)$",
)
_LINE = re.compile(r"^(\d+): \[([ x])\] (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Todo:
    number: int
    done: bool
    text: str


def begins(clause: str) -> bool:
    """What is to be done may go on behind a comma; the patterns say where it begins."""
    return True


def read_add(clause: str, ask: Ask) -> Script | None:
    text = _group(_ADD.search(plain(clause)))
    if not text:
        return None
    return _add(ask, text) if "todo.add" in ask.tools else _unable(ask)


def _add(ask: Ask, text: str) -> Script:
    yield Lead(ask.pick("I'll write it down. ", "我记下来。"))
    result = yield from use("todo.add", text=text)
    kept = _todos(result)
    if not kept:
        yield fail(ask, result)
        return
    number = kept[0].number
    yield Say(
        ask.pick(
            f"It's on your to-do list (number {number}): {text}",
            f"记进待办了（第 {number} 条）：{text}",
        )
    )


def read_list(clause: str, ask: Ask) -> Script | None:
    if not _LIST.search(plain(clause)):
        return None
    return _list(ask) if "todo.list" in ask.tools else _unable(ask)


def _list(ask: Ask) -> Script:
    yield Lead(ask.pick("Let me look at the list. ", "我看看待办。"))
    result = yield from use("todo.list")
    if not result.ok:
        yield fail(ask, result)
        return
    found = _todos(result)
    yield Say(_lines(ask, found) if found else ask.pick("There is nothing to do.", "没有待办。"))


def read_done(clause: str, ask: Ask) -> Script | None:
    number = _group(_DONE.search(plain(clause)))
    if not number:
        return None
    return _tick(ask, int(number)) if "todo.done" in ask.tools else _unable(ask)


def _tick(ask: Ask, number: int) -> Script:
    result = yield from use("todo.done", id=number)
    kept = _todos(result)
    if not kept:
        yield fail(ask, result)
        return
    yield Say(ask.pick(f"Done: {kept[0].text}", f"完成了：{kept[0].text}"))


def read_delete(clause: str, ask: Ask) -> Script | None:
    found = _DELETE.search(plain(clause))
    if found is None:
        return None
    if "todo.delete" not in ask.tools or "todo.list" not in ask.tools:
        return _unable(ask)
    meant = _group(found)
    number = re.fullmatch(r"[#第\s]*(\d{1,9})[条个号\s]*", meant)
    if number:
        return _delete(ask, int(number[1]))
    return _delete_about(ask, meant)


def _delete(ask: Ask, number: int) -> Script:
    result = yield from use("todo.delete", id=number)
    gone = _LINE.search(result.output.removeprefix("Deleted: "))
    if not result.ok or gone is None:
        yield fail(ask, result)
        return
    yield Say(ask.pick(f"Off the list: {gone[3]}", f"已从待办里删除：{gone[3]}"))


def _delete_about(ask: Ask, meant: str) -> Script:
    listed = yield from use("todo.list")
    if not listed.ok:
        yield fail(ask, listed)
        return
    found = [one for one in _todos(listed) if meant and meant.casefold() in one.text.casefold()]
    if len(found) == 1:
        yield from _delete(ask, found[0].number)
        return
    which = ask.pick(
        "Which to-do? Say its number: “delete to-do 3”.",
        "删除哪一条呢？请说编号：“删除第3条待办”。",
    )
    shown = _lines(ask, found or _todos(listed))
    yield Say(f"{which}\n\n{shown}" if shown else ask.pick("There is nothing to do.", "没有待办。"))


def _unable(ask: Ask) -> Script:
    yield Say(ask.pick("To-dos are switched off now.", "待办功能现在是关闭的。"))


def _group(found: re.Match[str] | None) -> str:
    text = " ".join(value for value in (found.groups() if found else ()) if value)
    return re.sub(r"^[\s:：,，“\"'「]+|[\s。！？!?”\"'」]+$", "", text)


def _todos(result: Result) -> Sequence[_Todo]:
    if not result.ok:
        return ()
    return [_Todo(int(n), mark == "x", text) for n, mark, text in _LINE.findall(result.output)]


def _lines(ask: Ask, found: Sequence[_Todo]) -> str:
    lines = [
        f"- **{one.number}** {f'~~{one.text}~~' if one.done else one.text}"
        for one in found[:_SHOWN]
    ]
    if len(found) > _SHOWN:
        more = len(found) - _SHOWN
        lines.append(ask.pick(f"\nand {more} more.", f"\n还有 {more} 条。"))
    return "\n".join(lines)
