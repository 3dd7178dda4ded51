"""Editing messages, and reading their edit history."""
