"""Emoji: the standard ones, and the custom ones of a realm."""
