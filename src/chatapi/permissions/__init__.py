"""Permissions as data: settings that name groups, who is in them, and one question."""
