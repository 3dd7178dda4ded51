"""Reminders: the notification bot sends a user a message again at a chosen time."""
