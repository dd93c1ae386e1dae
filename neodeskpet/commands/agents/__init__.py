"""Coding agents: what their hooks tell and ask, and how the hooks get into their settings."""
