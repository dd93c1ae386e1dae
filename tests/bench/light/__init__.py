"""The cost of the app, measured from outside: paints by the X server's damage events, processor
time by /proc, memory by the kernel. The app runs in a process of its own, the guest.
"""
