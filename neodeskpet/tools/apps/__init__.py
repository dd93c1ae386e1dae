"""Apps that both the companion and the user use: the companion in text windows, the user
in panels.
"""
