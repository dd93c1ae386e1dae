"""Conversations: sending, running and storing turns, the prompt of each round, background prompts
and tasks, and import and export of chats.
"""
