"""What people said to other companions: the archives that ChatGPT and Claude give them, as
conversations of ours. Read in a process of its own.
"""
