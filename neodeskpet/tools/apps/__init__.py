"""Apps that the companion and the person both use: windows for the one, panels for the other."""
