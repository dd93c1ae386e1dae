"""What lasts: conversations in SQLite, written as they grow."""
