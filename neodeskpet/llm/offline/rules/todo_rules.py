"""Rules for to-dos: add, list, tick and remove them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time

from neodeskpet.core.i18n import InvalidValue
from neodeskpet.core.schedule.due import Due, Task, find_due, parse_due, read_due
from neodeskpet.core.schedule.vocabulary import parse_numeral
from neodeskpet.llm.offline.request_reader import OfflineRequest, ToolAnswer
from neodeskpet.llm.offline.rules.rule import pattern, render_moment, without_polite_words
from neodeskpet.llm.offline.scripts import Lead, Say, Script, failure_text, use

_SHOWN = 15
_EN = r"(?:to-?\s?do|task)s?"
_ZH = "待办(?:事项)?"
_ADD = pattern(
    rf"^(?:add|put) (?P<a>.+?) (?:to|on) (?:my |the )?{_EN}(?: list)?$",
    rf"^(?:add )?(?:a )?(?:new )?{_EN}\s*[:：]\s*(?P<b>.+)$",
    rf"^(?:添加|新增|加|新建|记)?(?:一个|一条|个|条)?{_ZH}\s*[:：,，]\s*(?P<c>.+)$",
    rf"^(?:添加|新增|加|新建|记)(?:一个|一条|个|条)?{_ZH}\s*(?P<e>.+)$",
    rf"^{_ZH}(?:清单|列表)?(?:里面?|中)?(?:再)?(?:添加|加上|加|记)(?:一条|一个|个|条)?\s*[:：,，]?\s*(?P<f>.+)$",
    rf"^(?:加|记|放)(?:到|进)(?:我的)?{_ZH}(?:清单|列表)?(?:里面?|中)?\s*[:：,，]?\s*(?P<g>.+)$",
    r"^to-?\s?do\s*(?:再?加|添加|记)(?:一条|一个|个|条)?\s*[:：,，]?\s*(?P<h>.+)$",
    rf"^(?:i (?:need|want|have) to )?(?:add|put) (?P<i>.+?) (?:to|on) (?:my "
    rf"|the )?(?:{_EN}(?: list)?|list)$",
    rf"^add to (?:my |the )?(?:{_EN}(?: list)?|list)\s*[:：,]?\s*(?P<j>.+)$",
    rf"^(?:create|make|add|new) (?:a |an )?(?:new )?{_EN}\s*[:：,]?\s*(?:to |for )?(?P<k>.+)$",
    rf"^把(?P<d>.+?)(?:加到|加入|放进|写进|记到|添加到)(?:我的)?{_ZH}(?:清单|列表)?(?:里|中)?$",
)
_LIST = pattern(
    r"^(?:show|list|see|read|open|what(?:'s| is| are)?(?: in)?|give me|get)?\s*(?:me )?(?:all )?"
    rf"(?:my|the|all)?\s*{_EN}(?: list)?$",
    rf"\bwhat(?:'s| is| are)? (?:on|in) my {_EN}\b",
    rf"\b(?:do i have|are there) (?:any )?{_EN}\b",
    r"^what (?:do i have|is there) to do(?: today)?$",
    r"^what(?:'s| is) (?:on|in) (?:my|the) list$|^what(?:'s| is) left to do\b|^any (?:tasks"
    r"|to-?dos)\b",
    r"^what are (?:my|the) (?:tasks|to-?dos)$|^open (?:my|the) to-?\s?do list$",
    "^(?:我)?(?:今天|明天|现在)?(?:我)?(?:还)?有(?:什么|哪些)(?:要做的?|事情?(?:没做|要做)?|待办|任务)(?:的|吗)?$|^我?今天(?:我)?(?:要|该)(?:干嘛|做什么|干什么)$",
    r"^(?:看看|看一下|查看|显示|列出|打开|读一?下?)?(?:我的|所有|全部)?(?:的)?"
    rf"{_ZH}(?:清单|列表)?(?:有哪些|有什么|里有什么|列表)?$",
    rf"(?:有|记了)(?:哪些|什么){_ZH}",
)
_NUMBER = r"(?:number|no\.?|#)?\s*#?(?P<{name}>\d{{1,9}})"
_DONE = pattern(
    rf"^{_EN} {_NUMBER.format(name='j')} done$",
    rf"^(?:mark|tick|check)(?: off)?(?: the| my)? {_EN} {_NUMBER.format(name='a')}"
    r"(?: off)?(?: as)?(?: done| finished| complete)?$",
    rf"^(?:i(?:'m| am|'ve| have)? )?(?:done|finished)(?: with)? {_EN} {_NUMBER.format(name='b')}$",
    r"^(?:勾掉|划掉|打勾)第?\s*(?P<f>[0-9]{1,9})\s*(?:条|个|号)?$|^第(?P<g>[0-9一二三四五六七八九十]{1,3})[条个]\s*"
    rf"{_ZH}?(?:已经)?(?:完成|做完|搞定)了?$|^{_ZH}\s*(?P<h>[0-9]{{1,9}})\s*(?:已经)?(?:做完|完成|搞定)了?$"
    rf"|^完成第(?P<i>[0-9一二三四五六七八九十]{{1,3}})[条个]{_ZH}$",
    rf"^{_EN} {_NUMBER.format(name='c')} (?:is |has been )?(?:done|finished|complete)$",
    rf"^(?:把)?(?:第)?\s*(?P<d>\d{{1,9}})\s*(?:条|个|号)(?:的)?{_ZH}"
    r"(?:已经)?(?:完成|做完|打勾|勾掉|搞定)了?$",
    rf"^(?:完成|做完|勾掉)了?\s*(?:第)?\s*{_ZH}?\s*(?:第)?(?P<e>\d{{1,9}})(?:条|个|号)?(?:{_ZH})?了?$",
)
_DONE_TEXT = pattern(
    r"^(?:i(?:'m| am|'ve| have)? )?(?:just )?(?:finished|done with|completed"
    r"|done)(?: with)?(?: the| my)? (?P<a>.+)$",
    r"^(?:the |my )?(?P<b>.+?) (?:is|are) (?:done|finished)$",
    r"^(?:check|tick|cross) off(?: the| my)? (?P<c>.+)$",
    "^(?:把)?(?P<d>.+?)(?:这件事|这个|这条)?(?:已经|都)?(?:做完|写完|买完|弄完|搞定|完成|做好|办好|办完|交完|洗完|勾掉)了?$",
    "^(?:勾掉|划掉|完成)(?:了)?(?P<e>.+)$",
)
_DELETE = pattern(
    rf"^把(?P<f>.+?)从(?:我的)?{_ZH}(?:清单|列表)?(?:里面?|中)?(?:删掉|删除|删了|去掉|移除)$",
    rf"^(?:取消|不要)(?P<g>.+?)(?:这条|这个|的)?{_ZH}(?:了)?$|^{_ZH}第?(?P<h>[0-9]+)(?:条|个)?(?:删掉|删除|删了)吧?$",
    r"^(?:remove|delete|take|drop) (?P<i>.+?) (?:from|off) (?:my|the) list$",
    rf"^(?:remove|delete|take) (?P<e>.+?) (?:from|off) (?:my |the )?{_EN}(?: list)?$",
    rf"^(?:delete|remove|erase|forget|drop)\b.*?\b{_EN}\b\s*(?:number|no\.?|#)?\s*"
    r"(?:about|on|with|:)?\s*(?P<a>.*)$",
    rf"^(?:删除?掉?|移除|忘掉|清除)(?:一下|第|关于)?(?P<b>.*?)(?:条|个|号)?(?:的)?{_ZH}(?P<c>.*)$",
    rf"^把(?:关于)?(?P<d>.+?)(?:的)?{_ZH}(?:删掉|删除|删了)$",
)
_DUE = pattern(
    rf"^(?:the |my )?{_EN} (?:number |no\.? ?|#)?(?P<a>\d{{1,9}}) is (?P<b>due .+)$",
    r"^(?:make|set) (?:the |my )?(?:due date of )?"
    rf"{_EN} (?:number |no\.? ?|#)?(?P<c>\d{{1,9}}) (?:due |to )?(?P<d>.+)$",
    rf"^(?:把)?第\s*(?P<e>[0-9一二三四五六七八九十]{{1,3}})\s*[条个]{_ZH}(?:的)?"
    r"(?:(?:截止|到期)(?:日期|时间)?)?(?:改到|改成|改为|设为|设成|定在|是|为)?(?P<f>.+?)(?:截止|到期)?$",
)
_LINE = re.compile(
    r"^(\d+): \[([ x])\] (.+?)"
    r"(?: — due (\d{4}-\d\d-\d\d) \w{3}( \d\d:\d\d)?( \(overdue\))?)?$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class _Todo:
    number: int
    done: bool
    text: str
    due: Due | None = None
    overdue: bool = False


def begins_todo(clause: str) -> bool:
    """The text of a to-do may continue after a comma; the patterns find where it begins."""
    return True


def read_add(clause: str, ask: OfflineRequest) -> Script | None:
    text = _group(_ADD.search(without_polite_words(clause)))
    if not text:
        return None
    if "todo.add" not in ask.tools:
        return _unable(ask)
    return _add(ask, find_due(text, _now(ask), UTC))


def _now(ask: OfflineRequest) -> float:
    return ask.now.replace(tzinfo=UTC).timestamp()


def _add(ask: OfflineRequest, task: Task) -> Script:
    yield Lead(ask.pick("I'll write it down. ", "我记下来。"))
    due = {} if task.due is None else {"due": str(task.due)}
    result = yield from use("todo.add", text=task.text, **due)
    kept = _todos(result)
    if not kept:
        yield failure_text(ask, result)
        return
    number, shown = kept[0].number, _with_due(ask, kept[0])
    yield Say(
        ask.pick(
            f"It's on your to-do list (number {number}): {shown}",
            f"记进待办了（第 {number} 条）：{shown}",
        )
    )
    if task.fault is not None:
        yield Say(
            ask.pick(
                ". It has no due date: I'm not sure about the time in it. When is it due? Say "
                f"“to-do {number} is due Friday 5 pm”.",
                f"。没有加截止时间：其中的时间我不确定。什么时候截止呢？请说“第{number}条待办周五下午五点截止”。",
            )
        )


def read_due_date(clause: str, ask: OfflineRequest) -> Script | None:
    """Give an existing to-do a due date."""
    found = _DUE.search(without_polite_words(clause))
    if found is None:
        return None
    number, words = (one for one in found.groups() if one)
    try:
        due = read_due(words, _now(ask), UTC)
    except InvalidValue:
        return None
    if "todo.edit" not in ask.tools:
        return _unable(ask)
    return _set_due(ask, int(number) if number.isdecimal() else parse_numeral(number), due)


def _set_due(ask: OfflineRequest, number: int, due: Due) -> Script:
    result = yield from use("todo.edit", id=number, due=str(due))
    kept = _todos(result)
    if not kept:
        yield failure_text(ask, result)
        return
    shown = _with_due(ask, kept[0])
    yield Say(ask.pick(f"To-do {number}: {shown}", f"第 {number} 条待办：{shown}"))


def _with_due(ask: OfflineRequest, todo: _Todo) -> str:
    """Return its text, with weekday and date."""
    if todo.due is None:
        return todo.text
    midnight = datetime.combine(todo.due.day, time())
    if todo.due.day == ask.now.date():
        shown = ask.pick("today", "今天")
    else:
        shown = render_moment(ask, midnight, ask.now).removesuffix(" 00:00")
    if todo.due.clock is not None:
        shown += f" {todo.due.clock:%H:%M}"
    if todo.overdue:
        return ask.pick(
            f"{todo.text}, **overdue** ({shown})", f"{todo.text}，**已过期**（{shown}）"
        )
    return ask.pick(f"{todo.text}, due **{shown}**", f"{todo.text}，**{shown}** 截止")


def read_list(clause: str, ask: OfflineRequest) -> Script | None:
    if not _LIST.search(without_polite_words(clause)):
        return None
    return _list(ask) if "todo.list" in ask.tools else _unable(ask)


def _list(ask: OfflineRequest) -> Script:
    yield Lead(ask.pick("Let me look at the list. ", "我看看待办。"))
    result = yield from use("todo.list")
    if not result.ok:
        yield failure_text(ask, result)
        return
    found = _todos(result)
    yield Say(_lines(ask, found) if found else ask.pick("There is nothing to do.", "没有待办。"))


def read_done(clause: str, ask: OfflineRequest) -> Script | None:
    text = without_polite_words(clause)
    number = _group(_DONE.search(text))
    if number:
        if "todo.done" not in ask.tools:
            return _unable(ask)
        return _tick(ask, int(number) if number.isdecimal() else parse_numeral(number))
    said = _group(_DONE_TEXT.search(text))
    if not said or not {"todo.list", "todo.done"} <= ask.tools.keys():
        return None
    return _tick_named(ask, said)


def _tick_named(ask: OfflineRequest, said: str) -> Script:
    """Tick the to-do that these words name."""
    listed = yield from use("todo.list")
    if not listed.ok:
        yield failure_text(ask, listed)
        return
    left = [one for one in _todos(listed) if not one.done]
    found = [one for one in left if _is_about(one.text, said)]
    if len(found) == 1:
        yield from _tick(ask, found[0].number)
    elif found:
        which = ask.pick("Which one? Say “to-do 3 is done”.", "是哪一条呢？请说“第3条待办完成了”。")
        yield Say(f"{which}\n\n{_lines(ask, found)}")
    else:
        english = f"Well done! There is no to-do about “{said}”."
        yield Say(ask.pick(english, f"真棒！待办里没有“{said}”。"))


def _is_about(text: str, said: str) -> bool:
    """Return whether `said` names a to-do: "buying milk" names "buy milk", 周报 names 写周报."""
    text, said = text.casefold(), said.casefold()
    if said in text or text in said:
        return True
    words = [word[:4] for word in re.findall(r"[a-z0-9]{3,}", text)]
    return bool(words) and all(re.search(rf"\b{word[:3]}", said) for word in words)


def _tick(ask: OfflineRequest, number: int) -> Script:
    result = yield from use("todo.done", id=number)
    kept = _todos(result)
    if not kept:
        yield failure_text(ask, result)
        return
    yield Say(ask.pick(f"Done: {kept[0].text}", f"完成了：{kept[0].text}"))


def read_delete(clause: str, ask: OfflineRequest) -> Script | None:
    found = _DELETE.search(without_polite_words(clause))
    if found is None:
        return None
    if "todo.delete" not in ask.tools or "todo.list" not in ask.tools:
        return _unable(ask)
    meant = _group(found)
    number = re.fullmatch(r"[#第\s]*(\d{1,9})[条个号\s]*", meant)
    if number:
        return _delete(ask, int(number[1]))
    return _delete_about(ask, meant)


def _delete(ask: OfflineRequest, number: int) -> Script:
    result = yield from use("todo.delete", id=number)
    gone = _LINE.search(result.output.removeprefix("Deleted: "))
    if not result.ok or gone is None:
        yield failure_text(ask, result)
        return
    yield Say(ask.pick(f"Off the list: {gone[3]}", f"已从待办里删除：{gone[3]}"))


def _delete_about(ask: OfflineRequest, meant: str) -> Script:
    listed = yield from use("todo.list")
    if not listed.ok:
        yield failure_text(ask, listed)
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


def _unable(ask: OfflineRequest) -> Script:
    yield Say(ask.pick("To-dos are switched off now.", "待办功能现在是关闭的。"))


def _group(found: re.Match[str] | None) -> str:
    text = " ".join(value for value in (found.groups() if found else ()) if value)
    return re.sub(r"^[\s:：,，“\"'「]+|[\s。！？!?”\"'」]+$", "", text)


def _todos(result: ToolAnswer) -> Sequence[_Todo]:
    if not result.ok:
        return ()
    return [
        _Todo(int(number), mark == "x", text, parse_due(day + clock), bool(late))
        for number, mark, text, day, clock, late in _LINE.findall(result.output)
    ]


def _lines(ask: OfflineRequest, found: Sequence[_Todo]) -> str:
    lines = [
        f"- **{one.number}** {f'~~{one.text}~~' if one.done else _with_due(ask, one)}"
        for one in found[:_SHOWN]
    ]
    if len(found) > _SHOWN:
        more = len(found) - _SHOWN
        lines.append(ask.pick(f"\nand {more} more.", f"\n还有 {more} 条。"))
    return "\n".join(lines)
