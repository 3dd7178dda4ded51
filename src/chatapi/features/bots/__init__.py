"""Bots: users that programs act as, each with a person who owns it."""
