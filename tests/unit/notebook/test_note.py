"""Notes: stored, found, deleted; as the model sees them."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.tool_result import ShownList, ToolResult
from neodeskpet.notebook.note_tools import note_tools
from neodeskpet.notebook.notes import NotesInMemory
from neodeskpet.toolkit.toolbox import AppTools, Toolbox

Run = Callable[..., Any]


@pytest.fixture
def run() -> Run:
    toolbox = Toolbox(AppTools(note_tools(NotesInMemory())))

    def run(name: str, **arguments: object) -> Any:
        return json.loads(
            asyncio.run(toolbox.offer().run(name, arguments, lambda fraction, text: None)).text
        )

    return run


def found(run: Run, **arguments: object) -> list[str]:
    return [note["text"] for note in run("note.search", **arguments)["notes"]]


def test_a_note_is_stored_and_found(run: Run) -> None:
    added = run("note.add", text=" 伞放在玄关 ", tags=["home", " "])["added"]
    assert (added["id"], added["text"], added["tags"]) == (1, "伞放在玄关", ["home"])
    run("note.add", text="The umbrella is Red, 100% sure_")
    assert found(run) == ["The umbrella is Red, 100% sure_", "伞放在玄关"]
    assert found(run, query="玄") == ["伞放在玄关"]
    assert found(run, query="放在玄") == ["伞放在玄关"]
    assert found(run, query="HOME") == ["伞放在玄关"]
    assert found(run, query="red umbrella") == ["The umbrella is Red, 100% sure_"]
    assert found(run, query="%") == ["The umbrella is Red, 100% sure_"]
    assert found(run, query="red 伞") == []
    assert found(run, limit=1) == ["The umbrella is Red, 100% sure_"]


def test_tags_in_text_mode(run: Run) -> None:
    assert run("note.add", text="milk", tags="todo, shop")["added"]["tags"] == ["todo", "shop"]


def test_deleting_repeats_the_text(run: Run) -> None:
    run("note.add", text="one")
    run("note.add", text="two")
    assert run("note.delete", id="1")["deleted"]["text"] == "one"
    assert found(run) == ["two"]
    with pytest.raises(InvalidArguments, match="there is no note 1"):
        run("note.delete", id=1)
    assert run("note.add", text="three")["added"]["id"] == 3


@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_empty_note_is_refused(run: Run, text: str) -> None:
    with pytest.raises(InvalidArguments, match="text: "):
        run("note.add", text=text)
    assert found(run) == []


def test_found_notes_are_shown_as_a_list() -> None:
    store = NotesInMemory()
    offer = Toolbox(AppTools(note_tools(store))).offer()

    def search() -> ToolResult:
        return asyncio.run(offer.run("note.search", {}, lambda fraction, text: None))

    assert search().shown is None
    asyncio.run(store.add("milk"))
    asyncio.run(store.add("bread"))
    result = search()
    assert result.shown == ShownList(("bread", "milk"))
    assert json.loads(result.text) == result.data
