"""Local models: a child process serves a GGUF file on the loopback address."""
