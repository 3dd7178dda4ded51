"""Retention: messages that are older than an organization wants to keep."""
