"""Rules for notes: add, find, delete."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from neodeskpet.llm.offline.request_reader import OfflineRequest, ToolAnswer
from neodeskpet.llm.offline.rules.rule import pattern, without_polite_words
from neodeskpet.llm.offline.scripts import Lead, Say, Script, failure_text, use

_SHOWN = 10

_ADD = pattern(
    r"^(?:take|make|write|add|save|keep|leave)?\s*(?:down\s+)?(?:a |the |this )?(?:new )?"
    r"(?:note|memo)\s*(?:to self|down)?\s*"
    r"(?:[:：,]|\bthat\b|\bto\b|\babout\b|\bof\b|\s)\s*(?P<a>.+)$",
    r"^(?:write|note|jot)(?: this| that)? down\s*[:：,]?\s*(?:that\s+)?(?P<b>.+)$",
    r"^remember(?! me\b)\s*[:：,]?\s*(?:that\s+)?(?P<c>.+)$",
    r"^(?:记|写|做|加|添加|新建)(?:一?[条个篇]|一下)?(?:笔记|备忘录?)\s*[:：,，]?\s*(?P<e>.+)$",
    r"^(?:随手记|记下来)\s*[:：,，]\s*(?P<f>.+)$|^(?:take|jot|write|put) (?:this"
    r"|that) down\s*[:：,]?\s*(?P<g>.+)$",
    r"^keep a note (?:of|that|about)\s+(?P<h>.+)$",
    r"^(?:你?要)?(?:记一下|记下来?|记住|记个笔记|做个笔记|写个?笔记|写下来?|备忘|笔记|"
    r"记录(?:一下)?|记(?!得|者|忆|录))\s*[:：,，]?\s*(?P<d>.+)$",
)
_LIST = pattern(
    r"^(?:show|list|see|read|open|what(?:'s| is| are)?(?: in)?|give me|get)?\s*(?:me )?(?:all )?"
    r"(?:my|the|all)?\s*notes$",
    r"\bwhat(?:'s| is| are)? (?:on|in) my note",
    r"\b(?:do i have|are there) (?:any )?notes\b",
    r"^what (?:did|have) i (?:note|noted|write down|written down)$",
    r"^(?:看看|查查)?我(?:之前|以前|昨天|今天)?(?:都)?(?:记|写)(?:下)?了?(?:些)?什么(?:了|呢)?$",
    r"^what (?:have|did) i (?:written|wrote|write|noted?)(?: down)?$",
    r"^我(?:都)?(?:记|写)(?:下)?了?(?:些)?什么(?:了|呢)?$",
    r"^(?:看看|看一下|查看|显示|列出|打开|读一?下?)?(?:我的|所有|全部)?(?:的)?"
    r"笔记(?:列表)?(?:有哪些|有什么|里有什么|列表)?$",
    r"(?:有|记了)(?:哪些|什么)笔记",
)
_FIND = pattern(
    r"^(?:find|search|look up|look for|show)\b.*?\bnotes?\b\s*(?:for|about|on|with|:)?\s*"
    r"(?P<a>.+)$",
    r"^(?:search|find)\s+(?P<b>.+?)\s+in (?:my |the )?notes$",
    r"^(?:do you remember|what do you (?:know|remember) about|"
    r"what did i (?:say|tell you|note) about)\s+(?P<c>.+)$",
    r"^(?:找一?下?|找找|搜索?一?下?|查找?一?下?|搜一搜)(?:关于|有关|包含)?(?P<d>.+?)(?:的)?笔记$",
    r"^(?:在)?笔记(?:里|中)?(?:找|搜|搜索|查)(?:一下)?\s*(?P<e>.+)$",
    r"^(?:搜索|查找|找)笔记\s*[:：]?\s*(?P<f>.+)$",
    r"^你?还?记得(?P<g>.+?)$",
    r"^what(?:'s| is| was) my (?P<h>.+)$|^where (?:is|are|did i (?:put|leave|park)) (?:my"
    r"|the) (?P<i>.+)$",
    r"^(?:我的?)?(?P<j>.+?)(?:是多少|是什么|在哪里?|在哪儿|放哪了?)来着$|^查一?下?(?P<k>.+?)的?笔记$",
)
_DELETE = pattern(
    r"^(?:delete|remove|erase|forget)\b.*?\b(?:note|memo)s?\b\s*(?:number|no\.?|#)?\s*"
    r"(?:about|on|with|:)?\s*(?P<a>.*)$",
    r"^(?:删除?掉?|移除|忘掉|忘记|清除)(?:一下|第)?(?P<b>.*?)(?:条|个|号)?(?:的)?"
    r"(?:笔记|备忘)(?P<c>.*)$",
    r"^把(?P<d>.+?)(?:的)?(?:笔记|备忘)(?:删掉|删除|删了)$",
)
_AROUND = pattern(
    r"\b(?:where|what|when|who|how|if|that|is|are|was|were|my|the|a|an|about|i|did|do|put|we|said)\b",
    "^(?:关于|有关)",
    "(?:放)?(?:的事情?|在哪里?|在哪儿|是什么|是多少|是谁|的)+$",
)


def _group(found: re.Match[str]) -> str:
    text = " ".join(value for value in found.groups() if value)
    return re.sub(r"^[\s:：,，“\"'「]+|[\s。！？!?”\"'」]+$", "", text)


def begins_note(clause: str) -> bool:
    """A note may begin anywhere; its patterns find where."""
    return True


def read_add(text: str, ask: OfflineRequest) -> Script | None:
    text = without_polite_words(text)
    found = _ADD.search(text)
    if found is None or not _group(found):
        return None
    return _add(ask, _group(found)) if "note.add" in ask.tools else _unable(ask)


def _add(ask: OfflineRequest, text: str) -> Script:
    yield Lead(ask.pick("I'll write it down. ", "我记下来。"))
    result = yield from use("note.add", text=text)
    note = result.data.get("added")
    if not result.ok or not isinstance(note, dict):
        yield failure_text(ask, result)
        return
    number = note.get("id")
    yield Say(ask.pick(f"Noted (number {number}): {text}", f"记下了（第 {number} 条）：{text}"))


def read_search(clause: str, ask: OfflineRequest) -> Script | None:
    text = without_polite_words(clause)
    if _LIST.search(text):
        return _search(ask, "") if "note.search" in ask.tools else _unable(ask)
    found = _FIND.search(text)
    if found is None or not _group(found):
        return None
    return _search(ask, _topic(_group(found))) if "note.search" in ask.tools else _unable(ask)


def _topic(words: str) -> str:
    """Return the subject of a note without the words around it (all words, if nothing is left)."""
    topic = " ".join(_AROUND.sub(" ", words).split())
    return topic or words


def _search(ask: OfflineRequest, query: str) -> Script:
    yield Lead(ask.pick("Let me look through the notes. ", "我翻翻笔记。"))
    result = yield from use("note.search", **({"query": query} if query else {}))
    if not result.ok:
        yield failure_text(ask, result)
        return
    notes = _notes(result)
    if notes:
        found = ask.pick("Here it is:\n\n", "找到了：\n\n") if query else ""
        yield Say(found + _lines(ask, notes))
    elif query:
        yield Say(ask.pick(f"There is no note about “{query}”.", f"没有关于“{query}”的笔记。"))
    else:
        yield Say(ask.pick("There is nothing yet.", "还什么都没有。"))


def read_delete(clause: str, ask: OfflineRequest) -> Script | None:
    text = without_polite_words(clause)
    found = _DELETE.search(text)
    if found is None:
        return None
    if "note.delete" not in ask.tools or "note.search" not in ask.tools:
        return _unable(ask)
    meant = _topic(_group(found))
    number = re.search(r"\d+", meant)
    if number and re.fullmatch(r"[#第\s]*\d+[条个号\s]*", meant):
        return _delete_number(ask, int(number[0]))
    if not meant or re.fullmatch(r"all|所有|全部", meant, re.IGNORECASE):
        return _ask_which(ask)
    return _delete_about(ask, meant)


def _delete_number(ask: OfflineRequest, number: int) -> Script:
    result = yield from use("note.delete", id=number)
    yield _word_deleted(ask, result)


def _delete_about(ask: OfflineRequest, query: str) -> Script:
    yield Lead(ask.pick("Let me find it. ", "我先找找。"))
    listed = yield from use("note.search", query=query)
    if not listed.ok:
        yield failure_text(ask, listed)
        return
    notes = _notes(listed)
    if not notes:
        yield Say(ask.pick(f"There is no note about “{query}”.", f"没有关于“{query}”的笔记。"))
    elif len(notes) > 1:
        which = ask.pick(
            f"Several fit. Say “delete note {notes[0]['id']}”, for example:\n",
            f"有好几条。请说明是哪一条，比如“删除笔记 {notes[0]['id']}”：\n",
        )
        yield Say(which + _lines(ask, notes))
    else:
        result = yield from use("note.delete", id=notes[0]["id"])
        yield _word_deleted(ask, result)


def _word_deleted(ask: OfflineRequest, result: ToolAnswer) -> Say:
    note = result.data.get("deleted")
    if not result.ok or not isinstance(note, dict):
        return failure_text(ask, result)
    return Say(
        ask.pick(
            f"Deleted: {note.get('text')}\n\nSay “note: …” with that text to have it back.",
            f"已删除：{note.get('text')}\n\n想找回来的话，对我说“记一下：……”加上这句话就好。",
        )
    )


def _ask_which(ask: OfflineRequest) -> Script:
    yield Say(
        ask.pick(
            "Which note? I delete one at a time: “delete note 3” or “delete the note about milk”.",
            "删除哪一条呢？我一次删一条：“删除笔记 3”或者“删掉关于牛奶的笔记”。",
        )
    )


def _unable(ask: OfflineRequest) -> Script:
    yield Say(ask.pick("Notes are switched off now.", "笔记功能现在是关闭的。"))


def _notes(result: ToolAnswer) -> Sequence[Mapping[str, Any]]:
    notes = result.data.get("notes")
    return notes if isinstance(notes, list) else []


def _lines(ask: OfflineRequest, notes: Sequence[Mapping[str, Any]]) -> str:
    lines = [f"- **{note['id']}** {note['text']}" for note in notes[:_SHOWN]]
    if len(notes) >= _SHOWN:
        lines.append(ask.pick("\nThese are the newest.", "\n以上是最新的几条。"))
    return "\n".join(lines)
