"""The migrations of the conversations' database.

Never change a released migration; add a new one below it.
"""

from __future__ import annotations

from neodeskpet.storage import change_log

CONVERSATIONS_FILE = "neodeskpet.db"
"""The name of the database in the data folder."""

MIGRATIONS: dict[str, str] = {
    "001-conversations": """
        CREATE TABLE conversations (
            id TEXT PRIMARY KEY,
            title TEXT NOT NULL,
            created REAL NOT NULL,
            updated REAL NOT NULL,
            pinned INTEGER NOT NULL DEFAULT 0
        );
        CREATE TABLE messages (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            conversation TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            role TEXT NOT NULL,
            state TEXT NOT NULL,
            created REAL NOT NULL,
            ended REAL,
            usage TEXT,
            rounds INTEGER NOT NULL,
            model TEXT NOT NULL,
            replaced INTEGER NOT NULL DEFAULT 0,
            writer TEXT,
            touched REAL NOT NULL,
            chars INTEGER NOT NULL DEFAULT 0,
            blocks INTEGER NOT NULL DEFAULT 0
        );
        CREATE INDEX message_heads
            ON messages (conversation, replaced, number, id, role, chars, blocks);
        CREATE INDEX running_messages ON messages (state) WHERE state = 'running';
        CREATE TABLE blocks (
            message INTEGER NOT NULL REFERENCES messages(number) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            kind TEXT NOT NULL,
            chars INTEGER NOT NULL,
            fields TEXT NOT NULL,
            body TEXT NOT NULL,
            PRIMARY KEY (message, position)
        );
        CREATE TABLE segments (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            message INTEGER NOT NULL,
            position INTEGER NOT NULL,
            text TEXT NOT NULL,
            FOREIGN KEY (message, position) REFERENCES blocks(message, position) ON DELETE CASCADE
        );
        CREATE INDEX segments_of_block ON segments (message, position, number);
        CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL);
    """,
    "002-pictures": """
        CREATE TABLE descriptions (
            digest TEXT PRIMARY KEY,
            text TEXT NOT NULL,
            created REAL NOT NULL
        );
        CREATE INDEX picture_blocks ON blocks (message) WHERE kind = 'image';
    """,
    # The fields of a call contain what its result shows, its data and its pictures; older calls
    # have none.
    "003-tool-results": """
        CREATE INDEX picture_results ON blocks (message)
            WHERE kind = 'tool_use' AND instr(fields, '"images": [{') > 0;
    """,
    "004-pauses": """
        ALTER TABLE messages ADD COLUMN paused REAL NOT NULL DEFAULT 0;
    """,
    # Earlier answers of a regenerated reply were hidden until now; they become versions of the
    # answer that replaced them. One that nothing replaced (the app was killed) is shown again.
    "005-branches": """
        ALTER TABLE messages ADD COLUMN parent TEXT;
        ALTER TABLE messages ADD COLUMN chosen INTEGER NOT NULL DEFAULT 1;
        UPDATE messages SET parent = coalesce((
            SELECT p.id FROM messages AS p
            WHERE p.conversation = messages.conversation AND p.replaced = 0
                AND p.number < messages.number
            ORDER BY p.number DESC LIMIT 1
        ), '');
        UPDATE messages SET replaced = 0 WHERE replaced = 1 AND number = (
            SELECT max(m.number) FROM messages AS m WHERE m.conversation = messages.conversation
        );
        UPDATE messages SET chosen = 0 WHERE replaced = 1;
        DROP INDEX message_heads;
        CREATE INDEX message_heads ON messages
            (conversation, replaced, number, id, role, chars, blocks, parent, chosen);
        CREATE INDEX deleted_messages ON messages (touched) WHERE replaced = 2;
    """,
    # A call that runs longer than its turn, with its conversation; `told` is set once a message
    # reports its end.
    "006-tasks": """
        CREATE TABLE tasks (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            conversation TEXT NOT NULL,
            state TEXT NOT NULL,
            told INTEGER NOT NULL DEFAULT 0,
            writer TEXT,
            begun REAL NOT NULL,
            kind TEXT NOT NULL,
            fields TEXT NOT NULL,
            body TEXT NOT NULL
        );
        CREATE INDEX task_ends ON tasks (conversation, told, state);
    """,
    # Archived conversations, folders (by name), and recently deleted conversations.
    "007-lists": """
        ALTER TABLE conversations ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE conversations ADD COLUMN folder TEXT NOT NULL DEFAULT '';
        ALTER TABLE conversations ADD COLUMN discarded REAL;
        CREATE TABLE draft_pictures (
            conversation TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            digest TEXT NOT NULL,
            media_type TEXT NOT NULL,
            name TEXT NOT NULL,
            quoted INTEGER NOT NULL,
            PRIMARY KEY (conversation, position)
        );
    """,
    # The cost of each request, kept after its conversation is deleted. Before, only messages had
    # it.
    "008-spending": """
        CREATE TABLE spending (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            at REAL NOT NULL,
            conversation TEXT NOT NULL,
            purpose TEXT NOT NULL,
            model TEXT NOT NULL,
            input INTEGER NOT NULL,
            output INTEGER NOT NULL,
            cached INTEGER NOT NULL,
            seconds REAL NOT NULL,
            cost REAL,
            currency TEXT NOT NULL
        );
        CREATE INDEX spending_times ON spending (at);
        CREATE INDEX spending_of ON spending (conversation);
        INSERT INTO spending (at, conversation, purpose, model, input, output, cached, seconds,
                cost, currency)
            SELECT created, conversation, 'chat', model,
                coalesce(json_extract(told, '$.input_tokens'), 0),
                coalesce(json_extract(told, '$.output_tokens'), 0),
                coalesce(json_extract(told, '$.cached_tokens'), 0),
                max(0, coalesce(ended, created) - created - paused),
                json_extract(told, '$.cost'), coalesce(json_extract(told, '$.currency'), '')
            FROM (SELECT *, CASE WHEN json_valid(usage) THEN usage ELSE '{}' END AS told
                FROM messages WHERE usage IS NOT NULL)
            WHERE json_extract(told, '$.input_tokens') + json_extract(told, '$.output_tokens') > 0;
    """,
    # The changes since the last sync; empty while this computer doesn't sync.
    "009-sharing": change_log.CONVERSATION_LOG,
    # Ids of imported messages are derived from those in the archive (version 5 of UUIDs): their
    # text
    # is untrusted.
    "010-origins": """
        UPDATE blocks
        SET fields = json_set(fields, '$.untrusted', json('[{"material": "archive", "name": ""}]'))
        WHERE kind = 'text' AND typeof(fields) = 'text' AND json_valid(fields)
        AND message IN (SELECT number FROM messages WHERE substr(id, 15, 1) = '5');
    """,
    "011-sync-stamps": change_log.CONVERSATION_STAMPS,
    # The message came from the sync server unencrypted: others may have written it.
    "012-synced": "ALTER TABLE messages ADD COLUMN synced INTEGER NOT NULL DEFAULT 0;",
    # The first sync reads the shown version below each message.
    "013-chosen": """
        CREATE INDEX chosen_messages ON messages (conversation, parent) WHERE chosen = 1;
    """,
    "014-characters": change_log.CHARACTER_LOG,
}
