"""The tables on the server, in a schema of their own, `neodeskpet`.

The steps are ordered; never change a released one, add a new one below it.
"""

from __future__ import annotations

LOCK_NUMBER = 0x6E656F64
"""Advisory lock: one computer writes at a time, so the numbers of records are in the order in which
they become visible.
"""

NOTIFY_CHANNEL = "neodeskpet"
"""A computer that writes notifies this channel; computers that listen fetch at once."""

SCHEMA_STEPS: tuple[str, ...] = (
    """
    CREATE SEQUENCE neodeskpet.numbers;
    CREATE TABLE neodeskpet.records (
        kind text NOT NULL,
        id text NOT NULL,
        conversation text NOT NULL,
        stamp bigint NOT NULL,
        device text NOT NULL,
        gone boolean NOT NULL,
        value bytea NOT NULL,
        number bigint NOT NULL UNIQUE,
        PRIMARY KEY (kind, id)
    );
    CREATE INDEX records_of ON neodeskpet.records (conversation);
    CREATE TABLE neodeskpet.pictures (digest text PRIMARY KEY, data bytea NOT NULL);
    CREATE TABLE neodeskpet.shows (
        message text NOT NULL,
        digest text NOT NULL,
        PRIMARY KEY (digest, message)
    );
    CREATE INDEX shows_of ON neodeskpet.shows (message);
    CREATE TABLE neodeskpet.devices (
        device text PRIMARY KEY,
        name text NOT NULL,
        seen timestamptz NOT NULL,
        writing text[] NOT NULL
    );
    """,
    """
    CREATE TABLE neodeskpet.vectors (
        model text NOT NULL,
        id text NOT NULL,
        mark text NOT NULL,
        above text NOT NULL,
        data bytea NOT NULL,
        PRIMARY KEY (model, id, mark)
    );
    """,
    # A token for each push. A server that doesn't know a token was restored from a backup.
    """
    CREATE TABLE neodeskpet.pushes (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        token text NOT NULL UNIQUE DEFAULT gen_random_uuid()::text,
        at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX pushes_at ON neodeskpet.pushes (at);
    ALTER TABLE neodeskpet.itself ADD COLUMN salt bytea, ADD COLUMN passphrase_check bytea;
    """,
)

CREATE_CLEARED = "CREATE TABLE neodeskpet.cleared (at timestamptz NOT NULL DEFAULT now())"
"""After “delete everything on the server”, only this table exists: nothing is sent again unless the
user requests it.
"""

SERVER_POSITION = """
    SELECT (SELECT coalesce(max(number), 0) FROM neodeskpet.records),
        coalesce((SELECT token FROM neodeskpet.pushes ORDER BY number DESC LIMIT 1), ''),
        %(token)s::text = '' OR EXISTS (SELECT FROM neodeskpet.pushes WHERE token = %(token)s)
"""
DELETE_OLD_PUSHES = """
    DELETE FROM neodeskpet.pushes WHERE at < now() - interval '1 year'
    AND number < (SELECT max(number) FROM neodeskpet.pushes)
"""

CREATE_SCHEMA = """
    CREATE SCHEMA IF NOT EXISTS neodeskpet;
    CREATE TABLE IF NOT EXISTS neodeskpet.itself (
        one integer PRIMARY KEY CHECK (one = 1),
        server text NOT NULL,
        version integer NOT NULL
    );
    INSERT INTO neodeskpet.itself VALUES (1, gen_random_uuid()::text, 0) ON CONFLICT DO NOTHING;
"""

# The newer of two records wins. Deleted conversations stay deleted, and get no records.
PUT_RECORD = """
    INSERT INTO neodeskpet.records AS r
        (kind, id, conversation, stamp, device, gone, value, number)
    SELECT %(kind)s, %(id)s, %(conversation)s, %(stamp)s, %(device)s, %(gone)s, %(value)s,
        nextval('neodeskpet.numbers')
    WHERE %(gone)s OR %(kind)s IN ('pin', 'correction') OR NOT EXISTS (
        SELECT FROM neodeskpet.records
        WHERE kind = 'conversation' AND id = %(conversation)s AND gone
    )
    ON CONFLICT (kind, id) DO UPDATE SET
        conversation = coalesce(nullif(excluded.conversation, ''), r.conversation),
        stamp = excluded.stamp, device = excluded.device, gone = excluded.gone,
        value = excluded.value, number = excluded.number
    WHERE (excluded.gone AND NOT r.gone) OR (
        excluded.gone = r.gone
        AND (excluded.stamp, excluded.device COLLATE "C") > (r.stamp, r.device COLLATE "C")
    )
"""

# Texts of deleted records are erased.
DELETE_ORPHANS = """
    DELETE FROM neodeskpet.records
    WHERE kind NOT IN ('conversation', 'pin', 'correction') AND conversation IN (
        SELECT id FROM neodeskpet.records WHERE kind = 'conversation' AND gone AND id = ANY(%(ids)s)
    );
"""
# A user's edits are deleted with their message, also if they arrive later, and each
# computer is notified: the one with the edit may not know that the message was deleted.
MARK_DELETED = """
    UPDATE neodeskpet.records AS r
    SET gone = true, value = '', number = nextval('neodeskpet.numbers')
    WHERE r.kind IN ('pin', 'correction') AND NOT r.gone AND (
        EXISTS (
            SELECT FROM neodeskpet.records AS m WHERE m.kind = 'message' AND m.gone
            AND m.id IN (r.id, regexp_replace(r.id, '/[^/]*$', ''))
        ) OR EXISTS (
            SELECT FROM neodeskpet.records AS c
            WHERE c.kind = 'conversation' AND c.gone AND c.id = r.conversation
        )
    )
"""
# A vector belongs to a message, or to a part of one (`above`), and is deleted with it.
_VECTOR_MESSAGE = """
    SELECT FROM neodeskpet.records AS r
    WHERE r.kind = 'message' AND NOT r.gone AND r.id IN ({id}, {above})
"""
DELETE_ORPHAN_VECTORS = f"""
    DELETE FROM neodeskpet.vectors AS v
    WHERE NOT EXISTS ({_VECTOR_MESSAGE.format(id="v.id", above="v.above")})
"""
PUT_VECTOR = f"""
    INSERT INTO neodeskpet.vectors (model, id, mark, above, data)
    SELECT %(model)s, %(id)s, %(mark)s, %(above)s, %(data)s
    WHERE EXISTS ({_VECTOR_MESSAGE.format(id="%(id)s", above="%(above)s")}) ON CONFLICT DO NOTHING
"""
GET_VECTORS = """
    SELECT v.id, v.data FROM neodeskpet.vectors AS v
    JOIN unnest(%s::text[], %s::text[]) AS a (id, mark) ON v.id = a.id AND v.mark = a.mark
    WHERE v.model = %s
"""
VECTOR_CHECKSUM = """
    SELECT count(*),
        coalesce(sum(('x' || left(md5(id || ' ' || mark), 12))::bit(48)::bigint), 0)::bigint
    FROM neodeskpet.vectors WHERE model = %s
"""
DELETE_ORPHAN_REFERENCES = """
    DELETE FROM neodeskpet.shows AS s WHERE NOT EXISTS (
        SELECT FROM neodeskpet.records AS r
        WHERE r.kind = 'message' AND r.id = s.message AND NOT r.gone
    )
"""
DELETE_ORPHAN_PICTURES = """
    DELETE FROM neodeskpet.pictures AS p WHERE NOT EXISTS (
        SELECT FROM neodeskpet.shows AS s WHERE s.digest = p.digest
    )
"""
PULL_RECORDS = """
    SELECT kind, id, conversation, stamp, device, gone, value, number FROM neodeskpet.records
    WHERE number > %s AND kind = ANY(%s) ORDER BY number LIMIT %s
"""
# The latest conversation is returned completely before the next one: it is opened first.
LATEST_RECORDS = """
    SELECT kind, id, conversation, stamp, device, gone, value, number FROM neodeskpet.records
    JOIN (
        SELECT conversation, max(number) AS last FROM neodeskpet.records GROUP BY conversation
        ORDER BY conversation = '' DESC, max(number) DESC LIMIT %s
    ) AS lately USING (conversation)
    WHERE kind = ANY(%s) ORDER BY conversation = '' DESC, last DESC, number LIMIT %s
"""
