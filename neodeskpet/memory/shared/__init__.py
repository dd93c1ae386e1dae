"""Several computers of one person: their stores kept in step over a PostgreSQL server."""
