"""The window with the appointments: the same that the companion's tools work on."""
