"""The window with the timers and the notes: the same that the companion's tools work on."""
