"""Muted users: people somebody does not want to hear from."""
