"""Imports chats from the archives of other programs.

A child process reads the archive, because it is untrusted.
"""
