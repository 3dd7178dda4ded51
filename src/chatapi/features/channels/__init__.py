"""Channels: the places where conversations with topics happen."""
