"""Speech synthesizers that don't use HTTP: one file for each, and the child of Kokoro."""
