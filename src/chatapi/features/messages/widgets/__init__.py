"""Widgets: polls, todo lists and forms in messages."""
