"""SQLite files that repair themselves: what the conversations, the notes and the timers lie in."""
