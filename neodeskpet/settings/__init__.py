"""The settings and the keys: typed, described in one place, and stored safely."""
