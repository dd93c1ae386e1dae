"""Things that stand beside the companion while the two play."""
