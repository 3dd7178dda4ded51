"""Cached channels and topics, and the channel records the rest of the service uses."""
