"""Retention: deletes messages that are older than a realm keeps them."""
