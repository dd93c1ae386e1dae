"""Voice without devices and services: the ports, and what happens when."""
