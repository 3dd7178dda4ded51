"""Defaults of personal settings, which administrators choose for new users."""
