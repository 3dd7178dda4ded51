"""Emoji: those everybody knows, and those an organization made itself."""
