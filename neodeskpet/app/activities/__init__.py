"""Activities of the companion that the settings switch on: holidays, focus sessions, games, and
reactions to music and typing.
"""
