"""Its place on the desktop: what it can stand on, falling, walking. Nothing here knows a window."""
