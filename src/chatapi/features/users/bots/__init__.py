"""Bots: users for programs, each owned by a person."""
