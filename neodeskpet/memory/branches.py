"""The tree of a conversation, in its rows: what was decided in `tree.py` is written here.

A row says which message it follows (`parent`: an id, "" at the beginning, null where an earlier
version didn't say), whether it is `chosen`, and by `replaced` whether that makes it one of those
that are shown; so that those can be read from the index alone. A message is always younger than the
one it follows: in the order of their numbers the shown ones are the path.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from neodeskpet.core.records import Deletion, MessageNode, ShownPath
from neodeskpet.database.columns import from_column, to_column
from neodeskpet.memory.reading import read_path
from neodeskpet.memory.tree import LooseMessage, MessageTree, repair_nodes

STATE_SHOWN, STATE_HIDDEN, STATE_DELETED = 0, 1, 2
"""What `replaced` says. A deleted message is there until its deletion can't be undone any more."""


@dataclass(frozen=True, slots=True)
class _BranchRow:
    id: str
    parent: str | None
    chosen: bool
    replaced: int


def last_shown_message(connection: sqlite3.Connection, conversation_id: str) -> str:
    """The last message that is shown, "" where there is none."""
    row = connection.execute(
        "SELECT id FROM messages WHERE conversation = ? AND replaced = 0 "
        "ORDER BY number DESC LIMIT 1",
        (conversation_id,),
    ).fetchone()
    return str(row[0]) if row else ""


def parent_of(connection: sqlite3.Connection, message_id: str) -> str | None:
    """What a message follows; None when it isn't there (any more)."""
    row = connection.execute(
        "SELECT parent FROM messages WHERE id = ? AND replaced != 2", (message_id,)
    ).fetchone()
    return None if row is None else str(row[0] or "")


def show_message(
    connection: sqlite3.Connection, conversation_id: str, message_id: str
) -> ShownPath | None:
    """Let this message be shown. What changed of the path; None when it isn't there."""
    top = parent_of(connection, message_id)
    while top and not _is_shown(connection, top):
        top = parent_of(connection, top)
    branch = _read_subtree(connection, conversation_id, message_id, top)
    if branch is None:
        return None
    branch.tree.show_message(message_id)
    return branch.write()


def step_version(
    connection: sqlite3.Connection, conversation_id: str, message_id: str, by: int
) -> ShownPath | None:
    """Show the version so many before or after this message. None where there is none."""
    top = parent_of(connection, message_id)
    branch = _read_subtree(connection, conversation_id, message_id, top)
    if branch is None:
        return None
    versions = branch.tree.versions(message_id)
    at = versions.index(message_id) + by
    if not 0 <= at < len(versions):
        return None
    branch.tree.show_message(versions[at])
    return branch.write()


def delete_message(
    connection: sqlite3.Connection, conversation_id: str, message_id: str, *, below: bool, at: float
) -> tuple[ShownPath, Deletion] | None:
    """Take a message out of what is shown and counted, at the time `at` (unix seconds)."""
    top = parent_of(connection, message_id)
    branch = _read_subtree(connection, conversation_id, message_id, top)
    if branch is None:
        return None
    deletion = branch.tree.delete_message(message_id, below=below)
    connection.executemany(
        "UPDATE messages SET replaced = 2, touched = ? WHERE id = ?",
        [(at, node.id) for node in deletion.nodes],
    )
    delete_summaries(connection, [message_id])
    return branch.write(), deletion


def delete_summaries(connection: sqlite3.Connection, ids: Sequence[str]) -> None:
    """A summary may tell of these messages, which are deleted: another one is written."""
    connection.executemany(
        "DELETE FROM state WHERE key = "
        "(SELECT 'summary:' || conversation FROM messages WHERE id = ?)",
        [(one,) for one in ids],
    )


def update_summary(
    connection: sqlite3.Connection,
    conversation_id: str,
    value: str | None,
    *,
    instead: Callable[[str | None], bool],
    tells_of: Sequence[str],
) -> bool:
    """Keep a summary, unless one is kept that isn't to be replaced, or not all the messages that it
    tells of are there any more.
    """
    key = f"summary:{conversation_id}"
    row = connection.execute("SELECT value FROM state WHERE key = ?", (key,)).fetchone()
    there = (parent_of(connection, one) is not None for one in tells_of)
    if not instead(None if row is None else from_column(row[0])) or not all(there):
        return False
    connection.execute("DELETE FROM state WHERE key = ?", (key,))
    if value is not None:
        connection.execute("INSERT INTO state VALUES (?, ?)", (key, to_column(value)))
    return True


def restore_messages(
    connection: sqlite3.Connection, conversation_id: str, deletion: Deletion
) -> ShownPath | None:
    """Put back what was deleted; None when it is too late."""
    top = deletion.nodes[0].parent
    marks = ", ".join("?" * len(deletion.nodes))
    ids = [node.id for node in deletion.nodes]
    (left,) = connection.execute(
        f"SELECT count(*) FROM messages WHERE replaced = 2 AND id IN ({marks})", ids
    ).fetchone()
    if left != len(ids) or (top and parent_of(connection, top) is None):
        return None
    branch = _Subtree(connection, conversation_id, top)
    if not all(one in branch.tree for one in deletion.moved):
        return None
    branch.tree.restore_messages(deletion)
    branch.add_deleted(deletion.nodes)
    return branch.write()


def repair_tree(connection: sqlite3.Connection, conversation_id: str) -> None:
    """Make one valid tree of what was put together, or is left, of a conversation."""
    rows = _rows(connection, conversation_id, "")
    tree = repair_nodes(
        LooseMessage(row.id, row.parent, row.chosen, row.replaced == STATE_SHOWN) for row in rows
    )
    _write(connection, rows, tree, shown=True)


def read_nodes(connection: sqlite3.Connection, conversation_id: str) -> list[MessageNode]:
    """The whole tree, in the order the messages were said."""
    rows = _rows(connection, conversation_id, "")
    return [MessageNode(row.id, row.parent or "", row.chosen) for row in rows]


def _read_subtree(
    connection: sqlite3.Connection, conversation_id: str, message_id: str, top: str | None
) -> _Subtree | None:
    """What hangs below `top`; None where this message isn't among it."""
    found = None if top is None else _Subtree(connection, conversation_id, top)
    return found if found is not None and message_id in found.tree else None


class _Subtree:
    """What hangs below a message, while it changes."""

    def __init__(self, connection: sqlite3.Connection, conversation_id: str, top: str) -> None:
        self._connection = connection
        self._conversation = conversation_id
        self._top = top
        self._rows = _rows(connection, conversation_id, top)
        self.tree = MessageTree(
            (MessageNode(r.id, r.parent or "", r.chosen) for r in self._rows), top
        )
        shown = (row.id for row in self._rows if row.replaced == STATE_SHOWN)
        self._shown = {one for one in shown if one in self.tree}

    def add_deleted(self, nodes: Iterable[MessageNode]) -> None:
        """Rows that were deleted come back."""
        self._rows += [
            _BranchRow(node.id, node.parent, node.chosen, STATE_DELETED) for node in nodes
        ]

    def write(self) -> ShownPath:
        shown = not self._top or _is_shown(self._connection, self._top)
        _write(self._connection, self._rows, self.tree, shown=shown)
        changed = self._shown ^ set(self.tree.path() if shown else ())
        path = read_path(self._connection, self._conversation, self._top)
        return replace(path, changed=sorted(changed))


def _is_shown(connection: sqlite3.Connection, message_id: str) -> bool:
    row = connection.execute(
        "SELECT 1 FROM messages WHERE id = ? AND replaced = 0", (message_id,)
    ).fetchone()
    return row is not None


def _rows(connection: sqlite3.Connection, conversation_id: str, top: str) -> list[_BranchRow]:
    """All that is younger than `top`, where everything below it is; what was deleted left out."""
    found = connection.execute(
        "SELECT id, parent, chosen, replaced FROM messages INDEXED BY message_heads "
        "WHERE conversation = ? AND replaced IN (0, 1) "
        "AND number > coalesce((SELECT number FROM messages WHERE id = ?), 0) ORDER BY number",
        (conversation_id, top),
    )
    return [
        _BranchRow(one, parent, bool(chosen), replaced) for one, parent, chosen, replaced in found
    ]


def _write(
    connection: sqlite3.Connection, rows: Iterable[_BranchRow], tree: MessageTree, *, shown: bool
) -> None:
    """Write what is otherwise now than in `rows`."""
    path = set(tree.path()) if shown else set()
    nodes = {node.id: node for node in tree.nodes()}
    changed = []
    for row in rows:
        node = nodes.get(row.id)
        if node is None:
            continue
        now = (node.parent, node.chosen, STATE_SHOWN if row.id in path else STATE_HIDDEN)
        if now != (row.parent, row.chosen, row.replaced):
            changed.append((*now, row.id))
    connection.executemany(
        "UPDATE messages SET parent = ?, chosen = ?, replaced = ? WHERE id = ?", changed
    )
