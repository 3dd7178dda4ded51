"""Drafts: unsent messages, stored for all clients of a user."""
