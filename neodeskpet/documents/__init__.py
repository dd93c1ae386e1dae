"""Reads the user's files as text: PDF, Word, EPUB, HTML, code. Runs in a child process."""
