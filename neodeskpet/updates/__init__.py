"""Whether there is a newer version: asked for by the person, over HTTPS, believed if it is signed.
Nothing is ever downloaded or replaced.
"""
