"""An exported conversation is restored completely, with its versions; other files do no harm."""

from __future__ import annotations

import asyncio
import json
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neodeskpet.conversation.export_chats.exporter import export_conversation
from neodeskpet.conversation.export_chats.text_export import JsonFormat
from neodeskpet.core.blocks import (
    Block,
    Image,
    Message,
    MessageState,
    Notice,
    Role,
    Text,
    Thinking,
    ToolStatus,
    ToolUse,
    Usage,
)
from neodeskpet.core.data_labels import IMPORTED_LABELS
from neodeskpet.core.errors import Action, ToolFault
from neodeskpet.core.i18n import Reason
from neodeskpet.core.tool_result import ShownDiff
from neodeskpet.storage.chat_export_reader import NotAnExport, read_export
from neodeskpet.storage.conversation_store import SqliteStore
from tests.support.pictures import picture


def said(name: str, *blocks: Block, role: Role = Role.USER) -> Message:
    shown = blocks or (Text(0, 0, name),)
    return Message(name, role, shown, MessageState.DONE, 1.0, 2.0)


async def export(store: SqliteStore, here: str, path: Path) -> None:
    (info,) = [one for one in await store.conversations() if one.id == here]
    await export_conversation(store, replace(info, title="Cats"), path, JsonFormat)


def test_versions_and_pictures_are_restored(tmp_path: Path) -> None:
    async def scene() -> None:
        store = await SqliteStore.open(tmp_path / "a.db")
        here = (await store.create_conversation()).id
        red = picture("red", "red.png")
        image = Image(0, 0, red.digest, "image/png", "red.png")
        await store.add_message(here, said("q", image, Text(1, 0, "look")), [red])
        for name in ("a1", "q2"):
            await store.add_message(here, said(name))
        await store.add_version(here, said("a2"), beside="a1")
        await store.add_version(here, said("p"), beside="q")
        await store.step_version(here, "p", -1)
        path = tmp_path / "out.json"
        await export(store, here, path)
        await store.aclose()

        store = await SqliteStore.open(tmp_path / "b.db")
        there = await store.import_conversation(read_export(path))
        assert there.title == "Cats"
        heads = await store.heads(there.id)
        assert [(h.version, h.versions) for h in heads] == [(1, 2), (2, 2)]
        texts = [m.text for m in await store.history(there.id)]
        assert texts == ["look", "a2"]
        assert await store.picture(red.digest) == red.data
        await store.step_version(there.id, heads[1].id, -1)
        assert [m.text for m in await store.history(there.id)] == ["look", "a1", "q2"]
        again = await store.import_conversation(read_export(path))
        assert len(await store.heads(again.id)) == 2, "any number of times"
        await store.aclose()

    asyncio.run(scene())


def test_every_field_is_restored(tmp_path: Path) -> None:
    fault = ToolFault("tool_failed", {"a": "b"}, (Reason("r", {}, ""),), "detail")
    run = (
        Thinking(0, 0, "Hm", "opaque", 1.0, 2.0),
        Text(1, 0, "猫"),
        ToolUse(
            2, 0, "c", "look", '{"a": [1]}', {"a": [1]}, ToolStatus.ERROR, error="no", fault=fault,
            started=1.0, ended=2.0, data={"x": None}, shown=ShownDiff("old", "new"),
        ),
        Notice(3, 1, "round_limit", {"count": "12"}, actions=(Action.CONTINUE,)),
    )  # fmt: skip
    usage = Usage(1, 2, 3, 4, 5, 0.5, "EUR")
    before = Message("m", Role.ASSISTANT, run, MessageState.FAILED, 1.0, 2.0, usage, 2, "tiny", 3.0)

    async def scene() -> None:
        store = await SqliteStore.open(None)
        here = (await store.create_conversation()).id
        await store.add_message(here, before)
        await export(store, here, tmp_path / "out.json")
        there = await store.import_conversation(read_export(tmp_path / "out.json"))
        (message,) = await store.history(there.id)
        thinking, text, call, notice = before.blocks
        assert isinstance(text, Text) and isinstance(call, ToolUse)
        text = replace(text, untrusted=IMPORTED_LABELS.untrusted)
        marked = (thinking, text, replace(call, labels=IMPORTED_LABELS), notice)
        assert replace(message, id="m") == replace(before, blocks=marked)
        await store.aclose()

    asyncio.run(scene())


def test_an_older_export_is_one_path(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    rows = [{"id": name, "role": "user", "state": "running", "blocks": []} for name in "abc"]
    path.write_text(json.dumps({"messages": rows}))
    found = read_export(path)
    assert [node.parent for node in found.nodes] == ["", *(m.id for m in found.messages[:2])]
    assert {message.state for message in found.messages} == {MessageState.CANCELLED}


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"messages": 3}', '"x"', "[" * 100_000])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(NotAnExport):
        read_export(path)


def test_pictures_are_only_read_from_beside_the_file(tmp_path: Path) -> None:
    red = picture("red")
    (tmp_path / "secret.png").write_bytes(red.data)
    inside = tmp_path / "in"
    inside.mkdir()
    (inside / "other.png").write_bytes(picture("blue").data)
    files = ["../secret.png", str(tmp_path / "secret.png"), "other.png", "\0", "no", 3]
    image = {"kind": "image", "round": 0, "digest": red.digest, "media_type": "image/png"}
    blocks = [{**image, "file": file} for file in files]
    row = {"id": "m", "role": "user", "state": "done", "blocks": blocks}
    path = inside / "x.json"
    path.write_text(json.dumps({"title": 5, "messages": [row, "x"], "versions": 3}))
    found = read_export(path)
    assert found.pictures == []
    assert len(found.messages[0].blocks) == len(blocks)


@settings(max_examples=60, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=4),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["id", "parent", "number", "blocks", "kind", "role", "usage", "text"]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=10,
    )
)
def test_no_invalid_row_breaks_it(row: object) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.json"
        path.write_text(json.dumps({"messages": [row, {"id": "a"}], "versions": [row]}))
        assert len(read_export(path).messages) <= 3


@pytest.mark.parametrize(
    ("start", "said"),
    [
        (b"", "The file is empty."),
        (b"PK\x03\x04", "The archive is incomplete or damaged. Download it again."),
        (b"\x7fELF", "It is neither an exported conversation (JSON) nor an archive (zip)."),
        (b"{", "It is larger than 256 MB."),
    ],
)
def test_a_wrong_file_is_refused_by_its_beginning_and_size(
    tmp_path: Path, start: bytes, said: str
) -> None:
    """The files are sparse and huge: reading one completely would take all memory."""
    path = tmp_path / "a.zip"
    with path.open("wb") as file:
        file.write(start)
        if start:
            file.truncate(1 << 42)
    with pytest.raises(NotAnExport) as refused:
        read_export(path)
    assert said in str(refused.value)
