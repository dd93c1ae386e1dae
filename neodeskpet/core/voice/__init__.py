"""The logic of voice, without devices and services: the ports, the state of listening, and the
texts that are spoken.
"""
