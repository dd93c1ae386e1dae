"""Schedules: rules and their next runs, and the phrases in which people write them."""
