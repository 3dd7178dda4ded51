"""Channels and conversations as the rest of the service sees them, and what is remembered."""
