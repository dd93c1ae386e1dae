"""That a key was pressed, anywhere: which one is never asked, read or kept."""
