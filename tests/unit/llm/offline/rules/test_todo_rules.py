"""To-dos go to the to-do list, not to the notes."""

from __future__ import annotations

import asyncio

import pytest

from neodeskpet.core.blocks import Message, MessageState, Role, Text
from neodeskpet.notebook.note_tools import note_tools
from neodeskpet.notebook.notebook import Notebook
from neodeskpet.notebook.todo_tools import todo_tools
from neodeskpet.notebook.todos import TodoStore
from neodeskpet.toolkit.toolbox import AppTools, Toolbox
from tests.unit.llm.offline.talking import Calls, Reply, Talk, one


def said(words: str, *there: str) -> tuple[Reply, list[str]]:
    """Return the calls and answers of the offline helper, and the list afterwards (x: done)."""

    async def talk() -> tuple[Reply, list[str]]:
        talk = Talk("native")
        notebook = await Notebook.open(None)
        try:
            book = TodoStore(notebook)
            for text in there:
                await book.add(text)
            tools = [*todo_tools(book), *note_tools(talk.notes)]
            talk.toolbox = Toolbox(AppTools(tools), enabled=lambda _spec: True)
            talk.model = talk.offline_model(talk.toolbox)
            person = Message("u", Role.USER, (Text(0, 0, words),), MessageState.DONE, talk.now)
            talk.history.append(person)
            reply = await talk.answer()
            kept = [
                f"{'x ' if one.done else ''}{one.text}{f' {one.due}' if one.due else ''}"
                for one in await book.todos()
            ]
            return reply, kept
        finally:
            await notebook.aclose()

    return asyncio.run(asyncio.wait_for(talk(), 30))


@pytest.mark.parametrize(
    ("words", "calls", "answer", "left"),
    [
        (
            "add bread to my to-do list",
            one("todo.add", text="bread"),
            "It's on your to-do list (number 3): bread",
            ["buy milk", "call mum", "bread"],
        ),
        (
            "todo: water the plants, then rest",
            one("todo.add", text="water the plants, then rest"),
            "number 3",
            ["buy milk", "call mum", "water the plants, then rest"],
        ),
        (
            "待办里加上买猫粮",
            one("todo.add", text="买猫粮"),
            "买猫粮",
            ["buy milk", "call mum", "买猫粮"],
        ),
        (
            "I finished buying milk",
            [("todo.list", {}), ("todo.done", {"id": 1})],
            "Done: buy milk",
            ["call mum", "x buy milk"],
        ),
        (
            "call mum搞定了",
            [("todo.list", {}), ("todo.done", {"id": 2})],
            "完成了：call mum",
            ["buy milk", "x call mum"],
        ),
        (
            "交电费做完了",
            one("todo.list"),
            "真棒！待办里没有“交电费”。",
            ["buy milk", "call mum"],
        ),
        (
            "第二条待办完成了",
            one("todo.done", id=2),
            "完成了：call mum",
            ["buy milk", "x call mum"],
        ),
        (
            "待办：买面包",
            one("todo.add", text="买面包"),
            "记进待办了（第 3 条）：买面包",
            ["buy milk", "call mum", "买面包"],
        ),
        (
            "把交房租加到待办里",
            one("todo.add", text="交房租"),
            "（第 3 条）",
            ["buy milk", "call mum", "交房租"],
        ),
        ("what's on my to-do list?", one("todo.list"), "- **1** buy milk\n- **2** call mum", None),
        ("我的待办", one("todo.list"), "- **1** buy milk", None),
        (
            "mark to-do 2 as done",
            one("todo.done", id=2),
            "Done: call mum",
            ["buy milk", "x call mum"],
        ),
        ("to-do 2 is done", one("todo.done", id=2), "Done: call mum", ["buy milk", "x call mum"]),
        ("第1条待办完成了", one("todo.done", id=1), "完成了：buy milk", ["call mum", "x buy milk"]),
        ("to-do 9 is done", one("todo.done", id=9), "there is no to-do 9", None),
        ("delete to-do 1", one("todo.delete", id=1), "Off the list: buy milk", ["call mum"]),
        ("删除第2条待办", one("todo.delete", id=2), "已从待办里删除：call mum", ["buy milk"]),
        ("delete the to-do about cheese", one("todo.list"), "Which to-do?", None),
        ("delete all to-dos", one("todo.list"), "Which to-do?", None),
        (
            "add to my list: hand in the form by 17 May 2090 5 pm",
            one("todo.add", text="hand in the form", due="2090-05-17 17:00"),
            "number 3): hand in the form, due **Wed, 17 May 2090 17:00**",
            ["hand in the form 2090-05-17 17:00", "buy milk", "call mum"],
        ),
        (
            "待办加一条：2090年5月17日前交表",
            one("todo.add", text="交表", due="2090-05-17"),
            "（第 3 条）：交表，**2090年5月17日 周三** 截止",
            ["交表 2090-05-17", "buy milk", "call mum"],
        ),
        (
            "add prepare Friday's meeting to my to-do list",
            one("todo.add", text="prepare Friday's meeting"),
            "It has no due date: I'm not sure about the time in it. When is it due? Say “to-do 3",
            ["buy milk", "call mum", "prepare Friday's meeting"],
        ),
        (
            "to-do 2 is due on 17 May 2090",
            one("todo.edit", id=2, due="2090-05-17"),
            "To-do 2: call mum, due **Wed, 17 May 2090**",
            ["call mum 2090-05-17", "buy milk"],
        ),
        (
            "第二条待办2090年5月17日下午五点截止",
            one("todo.edit", id=2, due="2090-05-17 17:00"),
            "第 2 条待办：call mum，**2090年5月17日 周三 17:00** 截止",
            ["call mum 2090-05-17 17:00", "buy milk"],
        ),
        (
            "to-do 9 is due 17 May 2090",
            one("todo.edit", id=9, due="2090-05-17"),
            "no to-do 9",
            None,
        ),
    ],
)
def test_texts_and_their_results(
    words: str, calls: Calls, answer: str, left: list[str] | None
) -> None:
    reply, kept = said(words, "buy milk", "call mum")
    assert reply.calls == calls
    assert answer in reply.text
    assert kept == (["buy milk", "call mum"] if left is None else left)


def test_a_todo_is_found_by_its_words() -> None:
    reply, kept = said("remove milk from my to-do list", "buy milk", "call mum")
    assert [name for name, _ in reply.calls] == ["todo.list", "todo.delete"]
    assert "Off the list: buy milk" in reply.text and kept == ["call mum"]


def test_an_empty_list_and_a_long_one() -> None:
    assert "There is nothing to do." in said("show my todos")[0].text
    assert "没有待办。" in said("有哪些待办")[0].text
    long = said("show my todos", *(f"task {n}" for n in range(20)))[0].text
    assert "- **15** task 14" in long and "and 5 more." in long


@pytest.mark.parametrize(
    "words", ["add eggs to my todos", "show my todos", "delete to-do 1", "to-do 1 is done"]
)
def test_without_the_tools_it_says_so(talk: Talk, words: str) -> None:
    assert talk.say(words).text == "To-dos are switched off now."


def test_which_of_several_todos_is_done_is_asked() -> None:
    reply, kept = said("done with the milk", "buy milk", "drink milk")
    assert "Which one? Say “to-do 3 is done”." in reply.text
    assert kept == ["buy milk", "drink milk"]
