"""The versions of a conversation: a tree of messages, of which one path is shown.

`MessageTree` decides which messages are shown; the functions on a connection read and write the
rows, or copy a path into a new conversation.
"""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from neodeskpet.core.blocks import ConversationInfo, Deletion, MessageNode, ShownPath
from neodeskpet.storage.database_schema import from_column, to_column
from neodeskpet.storage.message_rows import read_path


class MessageTree:
    """The messages below `top` ("": a whole conversation). Messages with the same parent are
    versions, in the order of their time.
    """

    def __init__(self, nodes: Iterable[MessageNode] = (), top: str = "") -> None:
        """`nodes` are in the order of their time. Those that aren't below `top` are left out."""
        self._top = top
        self._nodes: dict[str, MessageNode] = {}
        self._below: dict[str, list[str]] = {top: []}
        self._order: dict[str, int] = {}
        for node in nodes:
            if node.parent in self._below:
                self._put(node)

    def __contains__(self, message_id: str) -> bool:
        return message_id in self._nodes

    def nodes(self) -> list[MessageNode]:
        """Return all messages in the order of their time."""
        return sorted(self._nodes.values(), key=lambda node: self._order[node.id])

    def path(self, after: str | None = None) -> list[str]:
        """Return the shown messages below `after` (None: below the top), in order."""
        found: list[str] = []
        at = self._chosen(self._top if after is None else after)
        while at is not None:
            found.append(at)
            at = self._chosen(at)
        return found

    def parent(self, message_id: str) -> str:
        """Return the parent of this message."""
        return self._nodes[message_id].parent

    def path_to(self, message_id: str) -> list[str]:
        """Return the path from the top to this message, including it."""
        found: list[str] = []
        while message_id != self._top:
            found.append(message_id)
            message_id = self.parent(message_id)
        return found[::-1]

    def versions(self, message_id: str) -> list[str]:
        """Return all versions at the place of this message, including it."""
        return list(self._below[self._nodes[message_id].parent])

    def add(self, message_id: str, parent: str) -> None:
        """Add a message after `parent` (the top, or a message of the tree). It is shown if its
        parent is.
        """
        self._put(MessageNode(message_id, parent))
        self._choose(message_id)

    def show_message(self, message_id: str) -> None:
        """Show this message with its ancestors; below it, the path that was last shown there."""
        for one in self.path_to(message_id):
            self._choose(one)

    def delete_message(self, message_id: str, *, below: bool) -> Deletion:
        """Remove a message: with all `below` it, or alone; then its children move to its parent."""
        node = self._nodes[message_id]
        moved = [] if below else list(self._below[message_id])
        shown = self._chosen(message_id) if moved else None
        gone = self._subtree(message_id) if below else [message_id]
        deletion = Deletion([self._nodes[one] for one in gone], moved, shown or "")
        beside = self._below[node.parent]
        place = beside.index(message_id)
        beside.remove(message_id)
        for one in gone:
            del self._nodes[one], self._below[one]
        self._move(moved, node.parent)
        if node.chosen and beside:
            self._choose(shown or beside[max(0, place - 1)])
        elif shown is not None:
            self._unchoose(shown)
        return deletion

    def restore_messages(self, deletion: Deletion) -> None:
        """Restore the messages of a deletion. Messages added since then stay."""
        first = deletion.nodes[0]
        now = self._chosen(first.parent)
        shown = now if now in deletion.moved else deletion.shown
        for node in deletion.nodes:
            self._put(node)
        self._move(deletion.moved, first.id)
        if shown:
            self._choose(shown)
        if first.chosen or shown == now:
            self._choose(first.id)

    def _put(self, node: MessageNode) -> None:
        self._order.setdefault(node.id, len(self._order))
        self._nodes[node.id] = node
        self._below.setdefault(node.id, [])
        self._insert(node.id, node.parent)

    def _insert(self, message_id: str, parent: str) -> None:
        self._below[parent].append(message_id)
        self._below[parent].sort(key=self._order.__getitem__)

    def _move(self, ids: Sequence[str], parent: str) -> None:
        for one in ids:
            before = self._nodes[one].parent
            if one in self._below.get(before, ()):
                self._below[before].remove(one)
            self._nodes[one] = replace(self._nodes[one], parent=parent)
            self._insert(one, parent)

    def _chosen(self, parent: str) -> str | None:
        return next((one for one in self._below[parent] if self._nodes[one].chosen), None)

    def _choose(self, message_id: str) -> None:
        for one in self._below[self._nodes[message_id].parent]:
            self._nodes[one] = replace(self._nodes[one], chosen=one == message_id)

    def _unchoose(self, message_id: str) -> None:
        self._nodes[message_id] = replace(self._nodes[message_id], chosen=False)

    def _subtree(self, message_id: str) -> list[str]:
        """Return a message and all its descendants, each after its parent."""
        found = [message_id]
        for one in found:
            found += self._below[one]
        return found


@dataclass(frozen=True, slots=True)
class LooseMessage:
    """A message of an earlier version or a damaged file: its parent may be unknown. `shown`: it was
    one of the shown messages.
    """

    id: str
    parent: str | None
    chosen: bool
    shown: bool


def repair_nodes(rows: Iterable[LooseMessage]) -> MessageTree:
    """Make a valid tree of `rows`, which are in the order of their time. A message with an unknown
    parent follows the message shown before it; of several chosen versions, the last is shown.
    """
    nodes: dict[str, MessageNode] = {}
    chosen: dict[str, str] = {}
    shown_last = ""
    for row in rows:
        known = row.parent is not None and (row.parent == "" or row.parent in nodes)
        parent = row.parent if known and row.parent is not None else shown_last
        nodes[row.id] = MessageNode(row.id, parent, chosen=False)
        if row.chosen or parent not in chosen:
            chosen[parent] = row.id
        if row.shown:
            shown_last = row.id
    return MessageTree(
        replace(node, chosen=chosen[node.parent] == node.id) for node in nodes.values()
    )


STATE_SHOWN, STATE_HIDDEN, STATE_DELETED = 0, 1, 2
"""The values of `replaced`. A deleted message is kept until its deletion can't be undone
any more.
"""


@dataclass(frozen=True, slots=True)
class _BranchRow:
    id: str
    parent: str | None
    chosen: bool
    replaced: int


def last_shown_message(connection: sqlite3.Connection, conversation_id: str) -> str:
    """Return the id of the last shown message, "" if there is none."""
    row = connection.execute(
        "SELECT id FROM messages WHERE conversation = ? AND replaced = 0 "
        "ORDER BY number DESC LIMIT 1",
        (conversation_id,),
    ).fetchone()
    return str(row[0]) if row else ""


def parent_of(connection: sqlite3.Connection, message_id: str) -> str | None:
    """Return the parent of a message; None if the message doesn't exist (any more)."""
    row = connection.execute(
        "SELECT parent FROM messages WHERE id = ? AND replaced != 2", (message_id,)
    ).fetchone()
    return None if row is None else str(row[0] or "")


def show_message(
    connection: sqlite3.Connection, conversation_id: str, message_id: str
) -> ShownPath | None:
    """Show this message. Return the changed path; None if it doesn't exist."""
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
    """Show the version `by` places before or after this message. Return None if there is none."""
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
    """Remove a message from what is shown and counted, at the time `at` (unix seconds)."""
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
    """Delete summaries that may cover these deleted messages; they will be written again."""
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
    """Store a summary, unless `instead` rejects replacing the stored one, or a message that it
    covers was deleted. Return whether it was stored.
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
    """Restore deleted messages; return None if it is too late."""
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
    """Make a valid tree of the merged or salvaged rows of a conversation."""
    rows = _rows(connection, conversation_id, "")
    tree = repair_nodes(
        LooseMessage(row.id, row.parent, row.chosen, row.replaced == STATE_SHOWN) for row in rows
    )
    _write(connection, rows, tree, shown=True)


def read_nodes(connection: sqlite3.Connection, conversation_id: str) -> list[MessageNode]:
    """Return the whole tree in the order of the messages' time."""
    rows = _rows(connection, conversation_id, "")
    return [MessageNode(row.id, row.parent or "", row.chosen) for row in rows]


def _read_subtree(
    connection: sqlite3.Connection, conversation_id: str, message_id: str, top: str | None
) -> _Subtree | None:
    """Return the messages below `top`; None if this message isn't one of them."""
    found = None if top is None else _Subtree(connection, conversation_id, top)
    return found if found is not None and message_id in found.tree else None


class _Subtree:
    """The messages below a message, while they are changed."""

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
        """Add restored rows."""
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
    """Return the rows of all messages younger than `top`, which include all its descendants;
    without deleted ones.
    """
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
    """Write the differences between the tree and `rows`."""
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


_COPIED_MESSAGE_COLUMNS = (
    "role, state, created, ended, usage, rounds, model, paused, writer, touched, chars, blocks"
)
_COPIED_BLOCK_COLUMNS = "position, kind, chars, fields, body"


def copy_path(connection: sqlite3.Connection, message_id: str, made: ConversationInfo) -> bool:
    """Write the conversation `made` with copies of this message and all its ancestors. Return False
    if it doesn't exist. Call it in a transaction.
    """
    way = _path_numbers(connection, message_id)
    if not way:
        return False
    connection.execute(
        "INSERT INTO conversations (id, title, created, updated) VALUES (?, ?, ?, ?)",
        (made.id, to_column(made.title), made.created, made.updated),
    )
    parent = ""
    for number in way:
        copy = str(uuid.uuid4())
        own = connection.execute(
            f"INSERT INTO messages (id, conversation, parent, {_COPIED_MESSAGE_COLUMNS}) "
            f"SELECT ?, ?, ?, {_COPIED_MESSAGE_COLUMNS} FROM messages WHERE number = ?",
            (copy, made.id, parent, number),
        ).lastrowid
        connection.execute(
            f"INSERT INTO blocks (message, {_COPIED_BLOCK_COLUMNS}) "
            f"SELECT ?, {_COPIED_BLOCK_COLUMNS} FROM blocks WHERE message = ?",
            (own, number),
        )
        connection.execute(
            "INSERT INTO segments (message, position, text) "
            "SELECT ?, position, text FROM segments WHERE message = ? ORDER BY number",
            (own, number),
        )
        parent = copy
    return True


def _path_numbers(connection: sqlite3.Connection, message_id: str) -> list[int]:
    """Return the numbers of a message and its ancestors."""
    found = connection.execute(
        "WITH RECURSIVE way (number, parent) AS ("
        "SELECT number, parent FROM messages WHERE id = ? AND replaced != 2 UNION ALL "
        "SELECT m.number, m.parent FROM messages AS m JOIN way ON m.id = way.parent) "
        "SELECT number FROM way ORDER BY number",
        (message_id,),
    )
    return [number for (number,) in found]
