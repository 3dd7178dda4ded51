"""Accounts: logging in with a password, and API keys."""
