"""Timers and reminders: the companion, its windows and the person share one book."""
