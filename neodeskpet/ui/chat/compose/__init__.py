"""Where the person writes: the field, its pictures, and what waits to be sent."""
