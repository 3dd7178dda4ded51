"""Flags: which messages users have read, starred and collapsed."""
