"""The companion on the desktop: its window, its bubble, and what joins them to the turn."""
