"""The SQLite databases: connections, migrations, backups and repair, the conversations with their
messages and pictures, and the change log for sync.
"""
