"""The window "Today" with its tabs; the companion's tools use the same data."""
