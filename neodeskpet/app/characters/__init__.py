"""Characters in the windows: the page's port, and who speaks in the open conversation."""
