"""Notes, to-dos, timers and appointments: their stores in one database, and their tools."""
