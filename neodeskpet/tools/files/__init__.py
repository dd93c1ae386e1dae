"""Access to the user's files within the allowed folders."""
