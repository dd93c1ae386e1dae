"""What the figure does by itself: idling, sleep, feelings. Pure: randomness and time are passed by
the caller.
"""
