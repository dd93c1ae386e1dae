"""`neodeskpet export` and `import`."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from neodeskpet.cli import export_command, import_command
from neodeskpet.core.blocks import (
    Message,
    MessageNode,
    MessageState,
    Role,
    Text,
    ToolStatus,
    ToolUse,
)
from neodeskpet.storage.chat_export_reader import ImportedConversation
from neodeskpet.storage.chat_imports import ForeignConversation
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE
from neodeskpet.storage.conversation_store import SqliteStore
from tests.support.pasts import archive, chatgpt_talk


def say_in(home: Path, *texts: str) -> None:
    async def scene() -> None:
        store = await SqliteStore.open(home / CONVERSATIONS_FILE)
        for text in texts:
            here = await store.create_conversation(text)
            said = Message(text, Role.USER, (Text(0, 0, text),), MessageState.DONE, 1.7e9)
            await store.add_message(here.id, said)
        await store.aclose()

    asyncio.run(scene())


def test_export_and_import(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home, out = tmp_path / "home", tmp_path / "out"
    home.mkdir(), out.mkdir()
    say_in(home, "kettle", "pot")
    data = ("--data-dir", str(home))
    assert export_command.run(data) == 0
    listed = dict(reversed(row.split("  ")) for row in capsys.readouterr().out.splitlines())
    assert set(listed) == {"kettle", "pot"}
    for name in ("a.json", "a.md", "a.html"):
        told = ["--conversation", listed["kettle"], str(out / name), *data]
        assert export_command.run(told) == 0
        assert "kettle" in (out / name).read_text("utf-8")
    assert export_command.run([str(out), "--all", "--as", "md", *data]) == 0
    assert len(list(out.glob("NeoDeskPet*/*.md"))) == 2
    capsys.readouterr()
    assert import_command.run([str(out / "a.json"), str(out / "a.md"), *data]) == 1
    said = capsys.readouterr()
    assert said.out.endswith("  kettle\n") and "a.md" in said.err
    assert export_command.run([str(out / "latest.json"), *data]) == 0
    assert export_command.run(data) == 0
    assert capsys.readouterr().out.count("kettle") == 2


def test_tools_have_their_titles_in_readable_formats(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()

    async def scene() -> None:
        store = await SqliteStore.open(home / CONVERSATIONS_FILE)
        here = await store.create_conversation("Notes")
        call = ToolUse(0, 0, "c", "note.search", "{}", {}, status=ToolStatus.SUCCESS, output="2")
        said = Message("a", Role.ASSISTANT, (call,), MessageState.DONE, 1.7e9)
        await store.add_message(here.id, said)
        await store.aclose()

    asyncio.run(scene())
    for name, shown, hidden in (
        ("a.md", "Search the notes", "note.search"),
        ("a.html", "Search the notes", "note.search"),
        ("a.json", "note.search", "Search the notes"),
    ):
        assert export_command.run([str(tmp_path / name), "--data-dir", str(home)]) == 0
        text = (tmp_path / name).read_text("utf-8")
        assert shown in text and hidden not in text


def test_impossible_requests(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = ("--data-dir", str(tmp_path))
    assert export_command.run([str(tmp_path / "a.json"), *data]) == 1
    assert export_command.run([str(tmp_path / "a.json"), "--conversation", "x", *data]) == 1
    assert "no such conversation" in capsys.readouterr().err
    say_in(tmp_path, "kettle")
    assert export_command.run([str(tmp_path / "no" / "a.json"), *data]) == 1
    assert "could not be written" in capsys.readouterr().err
    assert export_command.run([str(tmp_path / "a.docx"), *data]) == 2
    assert "a.docx" in capsys.readouterr().err
    assert not (tmp_path / "a.docx").exists()
    assert (export_command.run(["--no"]), import_command.run([])) == (2, 2)
    assert (export_command.run(["--help"]), import_command.run(["--help"])) == (0, 0)


def test_an_import_is_added_listed_and_undone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    talks = [chatgpt_talk("c", "Cats", "q", "a"), None, chatgpt_talk("d", "Dogs", "x")]
    path = str(archive(tmp_path / "a.zip", talks))
    data = ["--data-dir", str(tmp_path / "home")]
    assert import_command.run([path, "--list", *data]) == 0
    told = capsys.readouterr()
    assert "2 conversations, 3 messages; new: 2" in told.out and "2024-01-01" in told.out
    assert "#2: no conversation" in told.err
    assert import_command.run([path, *data]) == 0
    assert "3 messages in 2 conversations" in capsys.readouterr().out
    assert import_command.run([path, *data]) == 0
    assert "0 messages in 0 conversations" in capsys.readouterr().out
    one = str(archive(tmp_path / "b.zip", [chatgpt_talk("e", "Owls", "q")]))
    assert import_command.run([one, "--list", *data]) == 0
    assert "1 conversation, 1 message; new: 1" in capsys.readouterr().out
    assert import_command.run(["--take-back", *data]) == 0
    assert "Taken back: 3" in capsys.readouterr().out
    assert import_command.run(["--take-back", *data]) == 0
    assert "There is no import" in capsys.readouterr().out
    (tmp_path / "bad.zip").write_bytes(b"PK\x05\x06" + b"\0" * 18)
    assert import_command.run([str(tmp_path / "bad.zip"), *data]) == 1
    assert "There are no conversations in it" in capsys.readouterr().err


def test_the_latest_import_is_undone_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also if one of them was interrupted."""
    home = tmp_path / "home"
    data = ["--data-dir", str(home)]
    cats = str(archive(tmp_path / "cats.zip", [chatgpt_talk("c", "Cats", "q", "a")]))
    dogs = str(archive(tmp_path / "dogs.zip", [chatgpt_talk("d", "Dogs", "x")]))
    home.mkdir()

    async def interrupt() -> None:
        store = await SqliteStore.open(home / CONVERSATIONS_FILE)
        said = [Message("m", Role.USER, (Text(0, 0, "b"),), MessageState.DONE, 1e9)]
        begun = await store.begin_import("birds.zip", [])
        birds = ImportedConversation("Birds", said, [MessageNode("m", "")], [], "")
        await store.add_imported(ForeignConversation("b", birds, 1e9, 1e9), begun.id)
        await store.aclose()

    assert import_command.run([cats, *data]) == 0
    asyncio.run(interrupt())
    capsys.readouterr()
    assert import_command.run([dogs, *data]) == 0
    assert "birds.zip" in capsys.readouterr().err
    left = []
    for _ in range(3):
        assert import_command.run(["--take-back", *data]) == 0
        capsys.readouterr()
        export_command.run(data)
        left.append({line.split("  ")[1] for line in capsys.readouterr().out.splitlines()})
    assert left == [{"Cats", "Birds"}, {"Cats"}, {"Cats"}]  # one import is remembered beside those


def test_the_calendar_is_exported_and_imported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("home", "other"):
        (tmp_path / name).mkdir()
    home, other = (("--data-dir", str(tmp_path / name)) for name in ("home", "other"))
    file, out = tmp_path / "team.ics", tmp_path / "out.ics"
    entry = "BEGIN:VEVENT\nUID:{uid}\nSUMMARY:{title}\nDTSTART:{start}\nEND:VEVENT\n"
    events = entry.format(uid=1, title="Fair", start="29991204T170000Z")
    broken = entry.format(uid=2, title="Broken", start="soon")
    file.write_text(f"BEGIN:VCALENDAR\n{events}{broken}END:VCALENDAR\n", "utf-8")
    assert import_command.run([str(file), "--list", *home]) == 0
    assert "Fair" in capsys.readouterr().out
    assert import_command.run([str(file), *home]) == 0
    said = capsys.readouterr()
    assert "1 new, 0 already there" in said.out and "Broken: It has no readable date." in said.err
    assert import_command.run([str(file), *home]) == 0
    assert "0 new, 1 already there" in capsys.readouterr().out
    assert export_command.run([str(out), *home]) == 0
    assert "SUMMARY:Fair" in out.read_text("utf-8")
    assert import_command.run([str(out), str(tmp_path / "none.ics"), *other]) == 1
    assert "1 new" in capsys.readouterr().out
