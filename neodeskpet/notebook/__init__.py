"""The one database in which notes and timers lie."""
