"""A turn as a pure state machine: it takes signals and returns events; with its states, its draft
and its limits.
"""
