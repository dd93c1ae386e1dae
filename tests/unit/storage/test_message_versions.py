"""Versions in the database: stored, shown, deleted, restored, migrated and repaired."""

from __future__ import annotations

import asyncio
import itertools
import sqlite3
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neodeskpet.core.blocks import Image, Message, MessageHead, MessageState, Role, Text
from neodeskpet.core.errors import MessageNotFound
from neodeskpet.storage.conversation_migrations import MIGRATIONS
from neodeskpet.storage.conversation_repair import merge_conversations
from neodeskpet.storage.conversation_store import SqliteStore
from neodeskpet.storage.database_schema import migrate
from neodeskpet.storage.message_tree import MessageTree
from tests.support.pictures import picture
from tests.support.unmeasured import unmeasured_children


def said(name: str, role: Role = Role.USER) -> Message:
    return Message(name, role, (Text(0, 0, name),), MessageState.DONE, 1.0)


async def talk(store: SqliteStore, *names: str) -> str:
    """A conversation of these messages; return its id."""
    made = await store.create_conversation("t")
    for name in names:
        await store.add_message(made.id, said(name))
    return made.id


async def shown(store: SqliteStore, conversation: str) -> list[str]:
    """Return what is shown: the list, the history and the path to the last message agree."""
    heads = [head.id for head in await store.heads(conversation)]
    assert [m.id for m in await store.history(conversation)] == heads
    if heads:
        way = await store.history(conversation, until=heads[-1])
        assert [m.id for m in way] == heads
    return heads


def play(scene: Callable[[SqliteStore], Awaitable[None]], path: Path | None = None) -> None:
    async def whole() -> None:
        store = await SqliteStore.open(path)
        try:
            await scene(store)
        finally:
            await store.aclose()

    asyncio.run(whole())


def test_a_version_replaces_the_shown_one_and_the_other_stays() -> None:
    async def scene(store: SqliteStore) -> None:
        here = await talk(store, "q1", "a1", "q2", "a2")
        path = await store.add_version(here, said("q1b"), beside="q1")
        assert path.after == ""
        assert path.heads == [MessageHead("q1b", "user", 3, 1, 2, 2)]
        await store.add_message(here, said("a1b"))
        assert await shown(store, here) == ["q1b", "a1b"]
        path = await store.step_version(here, "q1b", -1)
        assert path.changed == ["a1", "a1b", "a2", "q1", "q1b", "q2"]
        assert [head.id for head in path.heads] == ["q1", "a1", "q2", "a2"]
        assert [(h.version, h.versions) for h in path.heads] == [(1, 2), (1, 1), (1, 1), (1, 1)]
        assert (await store.show_message(here, "q2")).changed == []
        path = await store.add_version(here, said("a2b"), beside="a2")
        assert (path.after, path.heads[0].version, path.heads[0].versions) == ("q2", 2, 2)
        assert [m.id for m in await store.history(here, until="a1b")] == ["q1b", "a1b"]
        path = await store.show_message(here, "a1b")
        assert path.after == "" and await shown(store, here) == ["q1b", "a1b"]
        await store.show_message(here, "q2")
        assert await shown(store, here) == ["q1", "a1", "q2", "a2b"]

    play(scene)


def test_a_missing_message_is_reported() -> None:
    async def scene(store: SqliteStore) -> None:
        here = await talk(store, "a")
        there = await talk(store, "b")
        for attempt in (
            store.step_version(here, "a", 1),
            store.step_version(here, "a", -1),
            store.step_version(here, "b", 0),
            store.show_message(here, "b"),
            store.show_message(there, "nobody"),
            store.add_version(here, said("c"), beside="nobody"),
            store.delete_message(here, "b", below=True),
            store.delete_message(here, "nobody", below=True),
            store.copy_conversation("nobody", ""),
        ):
            with pytest.raises(MessageNotFound):
                await attempt
        assert len(await store.conversations()) == 2

    play(scene)


def test_deleting_and_restoring(tmp_path: Path) -> None:
    async def scene(store: SqliteStore) -> None:
        here = await talk(store, "a", "b")
        red = picture("red")
        shows = Message(
            "c", Role.USER, (Image(0, 0, red.digest, "image/png"),), MessageState.DONE, 1.0
        )
        await store.add_message(here, shows, [red])
        path, deletion = await store.delete_message(here, "b", below=False)
        assert (path.after, [head.id for head in path.heads]) == ("a", ["c"])
        await store.restore_messages(here, deletion)
        assert await shown(store, here) == ["a", "b", "c"]
        _, deletion = await store.delete_message(here, "b", below=True)
        assert await shown(store, here) == ["a"]
        assert await store.picture(red.digest) == red.data, "it may be restored"
        await store.restore_messages(here, deletion)
        assert await shown(store, here) == ["a", "b", "c"]
        _, late = await store.delete_message(here, "b", below=True)
        await store.delete_message(here, "a", below=True)
        with pytest.raises(MessageNotFound):
            await store.restore_messages(here, late)
        assert await store.picture(red.digest) is None
        assert await store.messages(["b", "c"]) == []

    play(scene, tmp_path / "s.db")

    async def next_start(store: SqliteStore) -> None:
        assert await store.messages(["a"]) == [], "deleted at the end"

    play(next_start, tmp_path / "s.db")


def test_a_new_conversation_from_the_path_to_a_message() -> None:
    async def scene(store: SqliteStore) -> None:
        here = await talk(store, "q1", "a1", "q2")
        await store.add_version(here, said("q1b"), beside="q1")
        made = await store.copy_conversation("a1", "copy")
        copies = await store.history(made.id)
        assert [m.text for m in copies] == ["q1", "a1"]
        assert not {m.id for m in copies} & {"q1", "a1"}
        await store.add_message(made.id, said("more"))
        await store.delete_conversation(here)
        assert [m.text for m in await store.history(made.id)] == ["q1", "a1", "more"]

    play(scene)


_KINDS = st.sampled_from(["add", "edit", "show", "delete", "cut", "undo"])
_STEPS = st.lists(
    st.tuples(_KINDS, st.integers(0, 10**6)),
    max_size=14,
)


@settings(max_examples=40, deadline=None)
@given(_STEPS)
def test_the_rows_equal_the_tree(steps: list[tuple[str, int]]) -> None:
    async def scene(store: SqliteStore) -> None:
        here = await talk(store)
        tree, undo = MessageTree(), []
        for number, (what, at) in enumerate(steps):
            nodes = tree.nodes()
            one = nodes[at % len(nodes)].id if nodes else ""
            name = f"m{number}"
            if what == "add" or not nodes:
                await store.add_message(here, said(name))
                tree.add(name, ["", *tree.path()][-1])
            elif what == "edit":
                await store.add_version(here, said(name), beside=one)
                tree.add(name, tree.parent(one))
                tree.show_message(name)
            elif what == "show":
                await store.show_message(here, one)
                tree.show_message(one)
            elif what == "undo":
                if undo:
                    await store.restore_messages(here, undo[-1])
                    tree.restore_messages(undo[-1])
                    undo.clear()
            else:
                _, deletion = await store.delete_message(here, one, below=what == "cut")
                tree.delete_message(one, below=what == "cut")
                undo.append(deletion)
            assert await store.nodes(here) == sorted(tree.nodes(), key=lambda n: int(n.id[1:]))
            assert await shown(store, here) == tree.path()
            for head in await store.heads(here):
                versions = sorted(tree.versions(head.id), key=lambda one: int(one[1:]))
                assert (head.versions, head.version) == (len(versions), versions.index(head.id) + 1)

    play(scene)


def before_branches(path: Path, rows: Iterable[tuple[str, int]]) -> None:
    """Return a file of version 0.4: regenerated answers are only marked."""
    with sqlite3.connect(path, isolation_level=None) as old:
        migrate(old, None, dict(list(MIGRATIONS.items())[:4]))
        old.execute("INSERT INTO conversations VALUES ('c', 't', 1, 1, 0)")
        for name, replaced in rows:
            old.execute(
                "INSERT INTO messages (id, conversation, role, state, created, rounds, model, "
                "replaced, touched) VALUES (?, 'c', 'user', 'done', 1, 0, '', ?, 1)",
                (name, replaced),
            )
    old.close()


def test_regenerated_answers_become_versions(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    rows = [("q", 0), ("a1", 1), ("a2", 1), ("a3", 0), ("q2", 0), ("b1", 1), ("b2", 1)]
    before_branches(path, rows)

    async def scene(store: SqliteStore) -> None:
        assert await shown(store, "c") == ["q", "a3", "q2", "b2"]
        heads = await store.heads("c")
        assert [(h.version, h.versions) for h in heads] == [(1, 1), (3, 3), (1, 1), (2, 2)]
        await store.step_version("c", "a3", -1)
        assert await shown(store, "c") == ["q", "a2"]
        await store.step_version("c", "a2", 1)
        assert await shown(store, "c") == ["q", "a3", "q2", "b2"]
        nodes = await store.nodes("c")
        assert MessageTree(nodes).nodes() == nodes

    play(scene, path)


def test_two_files_that_continued_the_same_message_are_merged_as_versions(tmp_path: Path) -> None:
    def filled(name: str, more: str) -> sqlite3.Connection:
        path = tmp_path / name

        async def scene(store: SqliteStore) -> None:
            await store.create_conversation("t")

        play(scene, path)
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("UPDATE conversations SET id = 'c'")
        for number, (one, parent) in enumerate([("a", ""), (more, "a")], 1):
            connection.execute(
                "INSERT INTO messages (number, id, conversation, role, state, created, rounds, "
                "model, touched, parent) VALUES (?, ?, 'c', 'user', 'done', 1, 0, '', 1, ?)",
                (number, one, parent),
            )
        return connection

    ours, theirs = filled("ours.db", "b1"), filled("theirs.db", "b2")
    assert merge_conversations(ours, theirs) == 1
    ours.close()
    theirs.close()

    async def scene(store: SqliteStore) -> None:
        assert await shown(store, "c") == ["a", "b1"]
        await store.step_version("c", "b1", -1)
        assert await shown(store, "c") == ["a", "b2"]

    play(scene, tmp_path / "theirs.db")


_TALKER = """
import asyncio, random, sys
from neodeskpet.storage.conversation_store import SqliteStore
from tests.unit.storage.test_message_versions import said

async def talk(path, seed):
    chance = random.Random(seed)
    store = await SqliteStore.open(path)
    here = (await store.create_conversation()).id
    names = []
    while True:
        name = f"{seed} {len(names)}"
        one = chance.choice(names) if names else ""
        if len(names) < 4 or chance.random() < 0.4:
            await store.add_message(here, said(name))
        elif chance.random() < 0.6:
            await store.add_version(here, said(name), extra=one)
        else:
            await store.show_message(here, one)
            continue
        names.append(name)
        print(name, flush=True)

from pathlib import Path
asyncio.run(talk(Path(sys.argv[1]), int(sys.argv[2])))
"""


def test_after_a_kill_at_any_moment_every_version_exists(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    told: list[str] = []
    for seed in range(4):
        words = [sys.executable, "-c", _TALKER, str(path), str(seed)]
        with (
            unmeasured_children(),
            subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as talker,
        ):
            assert talker.stdout is not None
            told += map(str.strip, itertools.islice(talker.stdout, 20 + 15 * seed))
            talker.kill()

    async def scene(store: SqliteStore) -> None:
        found: set[str] = set()
        for info in await store.conversations():
            nodes = await store.nodes(info.id)
            tree = MessageTree(nodes)
            assert tree.nodes() == nodes, "each has an existing parent"
            assert await shown(store, info.id) == tree.path()
            found |= {node.id for node in nodes}
        assert set(told) <= found

    play(scene, path)
