"""Scheduled messages: written now, sent later, exactly once."""
