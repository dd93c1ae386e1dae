"""Runs what outlives its turn, and has the companion told of it."""
