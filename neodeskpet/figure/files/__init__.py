"""Figures as files: found, checked, tried in a subprocess, unpacked and described."""
