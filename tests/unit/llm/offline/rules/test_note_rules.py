"""Notes."""

from __future__ import annotations

import asyncio

import pytest

from tests.unit.llm.offline.talking import Calls, Talk, expect, one


@pytest.mark.parametrize(
    ("words", "calls", "answer"),
    [
        (
            "note: the umbrella is in the hall, and the key too",
            one("note.add", text="the umbrella is in the hall, and the key too"),
            "Noted (number 1): the umbrella",
        ),
        (
            "remember that I like tea",
            one("note.add", text="I like tea"),
            "Noted (number 1): I like tea",
        ),
        ("记一下，牛奶和鸡蛋", one("note.add", text="牛奶和鸡蛋"), "记下了（第 1 条）：牛奶和鸡蛋"),
        ("show my notes", one("note.search"), "There is nothing yet."),
        ("What did I note?", one("note.search"), "There is nothing yet."),
        ("我记了什么？", one("note.search"), "还什么都没有。"),
        ("我都记了些什么", one("note.search"), "还什么都没有。"),
        ("find notes about tea", one("note.search", query="tea"), "There is no note about “tea”."),
        ("找一下关于茶的笔记", one("note.search", query="茶"), "没有关于“茶”的笔记。"),
        ("delete note 7", one("note.delete", id=7), "There is no such note."),
        ("删除第7条笔记", one("note.delete", id=7), "没有这条笔记。"),
        ("delete all notes", [], "Which note? I delete one at a time"),
        ("删掉关于茶的笔记", one("note.search", query="茶"), "没有关于“茶”的笔记。"),
    ],
)
def test_texts_and_their_results(talk: Talk, words: str, calls: Calls, answer: str) -> None:
    expect(talk, words, calls, answer)


def test_notes_from_beginning_to_end(talk: Talk) -> None:
    talk.say("note: the umbrella is in the hall")
    talk.say("记一下：伞要修")
    talk.say("记一下：牛奶在伞旁边")
    assert talk.say("do you remember where the umbrella is?").text.endswith(
        "Here it is:\n\n- **1** the umbrella is in the hall"
    )
    several = talk.say("删掉关于伞的笔记")
    assert "有好几条" in several.text
    assert [name for name, _ in several.calls] == ["note.search"]
    gone = talk.say("delete the note about umbrella")
    assert [name for name, _ in gone.calls] == ["note.search", "note.delete"]
    assert gone.message.rounds == 3
    assert "Deleted: the umbrella is in the hall" in gone.text
    assert "已删除：伞要修" in talk.say("删除笔记 2").text
    assert talk.say("我的笔记").text.endswith("- **3** 牛奶在伞旁边")


def test_many_notes_are_not_all_listed(talk: Talk) -> None:
    for number in range(12):
        asyncio.run(talk.notes.add(f"n{number}"))
    text = talk.say("show my notes").text
    assert text.count("- **") == 10
    assert "These are the newest." in text
