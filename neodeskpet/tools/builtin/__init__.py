"""The tools that come with the companion: one family a file."""
