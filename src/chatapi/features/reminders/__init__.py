"""Reminders: people are told of a message again when they want to be."""
