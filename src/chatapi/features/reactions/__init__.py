"""Reactions: what people say about a message with a single emoji."""
