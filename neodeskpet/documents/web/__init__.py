"""Untrusted pages and files of the web."""
