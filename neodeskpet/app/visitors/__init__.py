"""Where other programs meet the windows."""
