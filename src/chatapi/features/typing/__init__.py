"""Typing notifications: who is about to say something, told to those who listen."""
