"""The companion on the desktop: its window, its speech bubble, and their connection to turns."""
