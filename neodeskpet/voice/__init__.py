"""Sound devices, speech detection and speech recognizers. Nothing here is loaded before voice is
used.
"""
