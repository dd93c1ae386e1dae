"""Start at login, as each system does it."""
