"""The settings window, made from the description of the settings."""
