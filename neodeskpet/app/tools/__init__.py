"""The ports of the windows onto tools."""
