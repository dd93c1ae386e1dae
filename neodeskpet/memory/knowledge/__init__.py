"""The knowledge base: files, folders and web pages that the user added, indexed as passages."""
