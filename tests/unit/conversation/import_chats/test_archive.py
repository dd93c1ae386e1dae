"""Archives that are complete, damaged or malicious."""

from __future__ import annotations

import io
import json
import os
import random
import zipfile
from pathlib import Path

import pytest

from neodeskpet.conversation.import_chats.archive_file import (
    Archive,
    ArchiveRefused,
    SkippedItem,
    archive_parts,
)
from neodeskpet.conversation.import_chats.thread_builder import ImportedThread
from tests.support.pasts import archive, chatgpt_talk, claude_conversation, claude_message, words

TALK = chatgpt_talk("c", "Cats", "hello", "hi")


def found(path: Path) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the titles, and the omissions with their reasons."""
    whole = Archive(path)
    things = [one for one in whole.conversations() if one is not None]
    whole.close()
    titles = [one.title for one in things if isinstance(one, ImportedThread)]
    return titles, [(one.item, one.reason) for one in things if isinstance(one, SkippedItem)]


def test_an_archive_as_a_zip_as_a_file_and_in_parts(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.zip", [TALK])
    assert found(path) == (["Cats"], [])
    (tmp_path / "conversations.json").write_text(json.dumps([TALK]), "utf-8")
    assert found(tmp_path / "conversations.json") == (["Cats"], [])
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as out:
        for place in (1, 0):
            talk = chatgpt_talk(f"c{place}", f"T{place}", "x")
            out.writestr(f"export/conversations-00{place}.json", json.dumps([talk]))
    assert found(tmp_path / "b.zip") == (["T0", "T1"], [])
    assert found(archive(tmp_path / "c.zip", {"conversations": [TALK]})) == (["Cats"], [])
    assert found(archive(tmp_path / "d.zip", TALK)) == (["Cats"], [])


def test_memories_and_projects_of_claude(tmp_path: Path) -> None:
    talk = claude_conversation(
        "c", "Talk", claude_message("m", "human", words("x")), project={"uuid": "p"}
    )
    files = {
        "projects.json": json.dumps([{"uuid": "p", "name": "Garden"}]),
        "memories.json": json.dumps([{"conversations_memory": "Grows beans."}]),
        "users.json": "[]",
    }
    whole = Archive(archive(tmp_path / "a.zip", [talk], files))
    threads = [one for one in whole.conversations() if isinstance(one, ImportedThread)]
    assert [one.folder for one in threads] == ["Claude · Garden", "Claude"]
    assert threads[1].rows[0]["blocks"][0]["text"] == "Grows beans."


def test_instructions_and_documents_of_claude_projects(tmp_path: Path) -> None:
    project = {
        "uuid": "p",
        "name": "Garden",
        "description": "Beans",
        "prompt_template": "Answer briefly.",
        "docs": [{"filename": "plan.md", "content": "Sow in May."}, {"filename": "empty"}],
    }
    empty = {"uuid": "q", "name": "Empty", "docs": []}
    talk = claude_conversation("c", "Talk", claude_message("m", "human", words("x")))
    files = {"projects.json": json.dumps([project, empty])}
    whole = Archive(archive(tmp_path / "a.zip", [talk], files))
    threads = [one for one in whole.conversations() if isinstance(one, ImportedThread)]
    assert [one.title for one in threads] == ["Talk", "Project “Garden”"]
    told = json.dumps(threads[1].rows, ensure_ascii=False)
    assert threads[1].folder == "Claude · Garden"
    assert all(text in told for text in ("Beans", "Answer briefly.", "plan.md", "Sow in May."))


def test_an_archive_inside_an_archive_is_named(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.zip", [TALK], {"old/inner.zip": "x"})
    assert found(path) == (["Cats"], [("old/inner.zip", "inner_archive")])
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as out:
        out.writestr("inner.zip", "x")
    with pytest.raises(ArchiveRefused, match="inner_archive"):
        Archive(tmp_path / "b.zip")


def test_conversations_without_a_time_get_the_time_of_the_archive(tmp_path: Path) -> None:
    """Not 1970: with a limited retention they would be deleted at once."""
    node = {"id": "m", "parent": None, "children": []}
    said = {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["hello"]}}
    one = {"conversation_id": "c", "mapping": {"m": node | {"message": said}}}
    other = {"uuid": "d", "chat_messages": [{"uuid": "n", "sender": "human", "text": "hello"}]}
    path = archive(tmp_path / "a.zip", [one, other])
    os.utime(path, (1.7e9, 1.7e9))
    threads = [each for each in Archive(path).conversations() if isinstance(each, ImportedThread)]
    assert [(each.created, each.rows[0]["created"]) for each in threads] == [(1.7e9, 1.7e9)] * 2


def test_an_unpacked_archive_is_recognised_by_any_of_its_files(tmp_path: Path) -> None:
    """Safari, for example, unpacks downloads."""
    for place in range(3):
        talk = chatgpt_talk(f"c{place}", f"T{place}", "x")
        (tmp_path / f"conversations-00{place}.json").write_text(json.dumps([talk]), "utf-8")
    (tmp_path / "memories.json").write_text(json.dumps([{"conversations_memory": "Beans."}]))
    (tmp_path / "file-Abc123-photo.png").write_bytes(b"PNG")
    (tmp_path / "secret.txt").write_text("of somebody else")
    (tmp_path / "file-Def456.txt").symlink_to(tmp_path / "secret.txt")
    titles = ["T0", "T1", "T2", "What Claude remembered"]
    assert found(tmp_path / "conversations-001.json") == (titles, [])
    assert archive_parts(tmp_path / "conversations-001.json")[0].name == "conversations-000.json"
    whole = Archive(tmp_path / "conversations-002.json")
    assert whole.file("file-service://file-Abc123") == ("file-Abc123-photo.png", b"PNG")
    assert whole.file("file-Def456") is None, "it leads elsewhere"
    whole.close()


def test_invalid_entries_are_reported_and_the_others_stay(tmp_path: Path) -> None:
    deep = "[" * 400 + "]" * 400
    items = ["null", "42", '{"title": "Odd"}', '{"bad": }', deep, json.dumps(TALK)]
    items.append(json.dumps(chatgpt_talk("e", "Empty")))
    path = archive(tmp_path / "a.zip", f"[{', '.join(items)}]")
    assert found(path) == (
        ["Cats"],
        [
            ("#1", "item_foreign"),
            ("#2", "item_foreign"),
            ("Odd", "item_foreign"),
            ("#4", "item_broken"),
            ("#5", "item_large"),
            ("Empty", "item_empty"),
        ],
    )


def test_an_archive_that_is_cut_off(tmp_path: Path) -> None:
    raw = json.dumps([TALK, TALK])
    (tmp_path / "c.json").write_text(raw[:-20], "utf-8")
    assert found(tmp_path / "c.json") == (["Cats"], [("#2", "item_broken")])


def test_lone_surrogates_and_invalid_bytes(tmp_path: Path) -> None:
    raw = json.dumps([TALK]).replace("hello", "\\ud83d broken").encode().replace(b"hi", b"h\xff")
    (tmp_path / "c.json").write_bytes(raw)
    (thread,) = (one for one in Archive(tmp_path / "c.json").conversations() if one)
    assert isinstance(thread, ImportedThread)
    texts = [row["blocks"][0]["text"] for row in thread.rows]
    assert texts == ["\ufffd broken", "h\ufffd"]


def test_zip_bombs_encrypted_and_unknown_archives_are_refused(tmp_path: Path) -> None:
    bomb = archive(tmp_path / "bomb.zip", "[" + " " * 80_000_000 + "]")
    with pytest.raises(ArchiveRefused, match="bomb"):
        Archive(bomb)
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as out:
        out.writestr("../../evil.txt", "[]")
    with pytest.raises(ArchiveRefused, match="foreign"):
        Archive(tmp_path / "other.zip")
    locked = bytearray(archive(tmp_path / "locked.zip", [TALK]).read_bytes())
    at = locked.rindex(b"PK\x01\x02")
    locked[at + 8] |= 1
    (tmp_path / "locked.zip").write_bytes(locked)
    with pytest.raises(ArchiveRefused, match="encrypted"):
        Archive(tmp_path / "locked.zip")


def test_files_are_found_by_their_names_in_conversations(tmp_path: Path) -> None:
    files = {
        "file-Abc123-photo.png": b"PNG",
        "dalle-generations/file-Def456-1b2c.webp": b"WEBP",
        "file_0000aa-sanitized.txt": "words",
        "file-Bin.txt": b"a\0b",
    }
    whole = Archive(archive(tmp_path / "a.zip", [TALK], files))
    assert whole.file("file-service://file-Abc123") == ("file-Abc123-photo.png", b"PNG")
    assert whole.file("sediment://file_0000aa") == ("file_0000aa-sanitized.txt", b"words")
    assert whole.file("file-Def456") == ("file-Def456-1b2c.webp", b"WEBP")
    assert whole.text("sediment://file_0000aa") == "words"
    assert whole.text("file-Bin") == whole.text("file-Abc123") == ""
    assert whole.file("../../etc/passwd") is whole.file("") is whole.file("file-Gone") is None


def test_a_thousand_damaged_archives_raise_no_other_error(tmp_path: Path) -> None:
    made = random.Random(7)
    whole = archive(tmp_path / "a.zip", [TALK, chatgpt_talk("d", "Dogs", "woof")]).read_bytes()
    ended = 0
    path = tmp_path / "b.zip"
    for _ in range(1000):
        spoilt = bytearray(whole)
        for _ in range(made.randint(1, 12)):
            spoilt[made.randrange(len(spoilt))] = made.randrange(256)
        path.write_bytes(spoilt[: made.randint(len(spoilt) // 2, len(spoilt))])
        try:
            found(path)
        except (ArchiveRefused, OSError, zipfile.BadZipFile, ValueError, NotImplementedError):
            ended += 1
    assert 0 < ended < 1000


def test_false_sizes_are_detected_in_time(tmp_path: Path) -> None:
    raw = bytearray(archive(tmp_path / "a.zip", [TALK] * 50).read_bytes())
    at = raw.rindex(b"PK\x01\x02")
    raw[at + 24 : at + 28] = (500).to_bytes(4, "little")  # the stated unpacked size
    (tmp_path / "b.zip").write_bytes(raw)
    titles, omitted = found(tmp_path / "b.zip")
    assert len(titles) <= 1 and omitted
    assert io.BytesIO(raw).getbuffer().nbytes < 100_000
