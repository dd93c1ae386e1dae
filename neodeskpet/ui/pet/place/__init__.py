"""The companion's place on the desktop, in its window."""
