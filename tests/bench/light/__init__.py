"""What the app costs, seen from outside: paints by the X server's damage events, the processor by
/proc, memory by the kernel. The app runs as a guest, a process of its own.
"""
