"""Deleting messages: one, or all of a topic."""
