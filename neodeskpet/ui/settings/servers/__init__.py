"""The servers of tools in the settings: which there are, what they run, and how they do."""
