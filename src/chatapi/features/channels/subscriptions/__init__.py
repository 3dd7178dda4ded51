"""Subscriptions: which users are subscribed to which channels, and their settings for each."""
