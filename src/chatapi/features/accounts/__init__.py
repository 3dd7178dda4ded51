"""Accounts: logging in with a password, and the API keys that come of it."""
