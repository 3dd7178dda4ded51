"""Delivers scheduled messages: checked like a request of the owner, removed when sent."""
