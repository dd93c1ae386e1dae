"""The person's files, as far as the folders that they allowed."""
