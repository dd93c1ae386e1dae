"""What depends on the operating system: processes, files, encodings, memory, secrets in logs."""
