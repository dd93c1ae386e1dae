"""The memory: items of past conversations, facts about the user, and the knowledge base of
documents.
"""
