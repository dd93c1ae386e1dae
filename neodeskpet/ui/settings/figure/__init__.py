"""The settings of the figure on the desktop."""
