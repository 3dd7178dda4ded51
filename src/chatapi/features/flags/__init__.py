"""Flags: what people have read, starred and collapsed."""
