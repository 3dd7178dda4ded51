"""Channels: places for conversations with topics."""
