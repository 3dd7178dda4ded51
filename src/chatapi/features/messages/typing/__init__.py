"""Typing notifications: ephemeral events about users who are typing."""
