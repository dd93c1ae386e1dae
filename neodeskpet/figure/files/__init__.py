"""Figures as files: search, checks, a trial load in a child process, import and description."""
