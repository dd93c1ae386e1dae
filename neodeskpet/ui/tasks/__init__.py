"""The window of the background tasks."""
