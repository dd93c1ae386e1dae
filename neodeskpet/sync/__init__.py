"""Syncs conversations, memory and notebook between several computers of one user through a
PostgreSQL server.
"""
