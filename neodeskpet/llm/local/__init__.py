"""A model of one's own: a GGUF file that a child process serves on loopback."""
