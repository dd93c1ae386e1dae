"""Conversations: the runner that drives a turn, and who calls it."""
