"""The companion's place on the desktop, as the settings want it."""
