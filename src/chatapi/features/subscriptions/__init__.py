"""Subscriptions: who is in which channel, and what they chose for it."""
