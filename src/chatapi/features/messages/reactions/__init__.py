"""Reactions: emoji that users add to messages."""
