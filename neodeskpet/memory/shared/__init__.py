"""Sync: keeps the data of several computers of one person equal through a PostgreSQL server."""
