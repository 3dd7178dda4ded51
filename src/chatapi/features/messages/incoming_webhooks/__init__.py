"""Incoming webhooks: documents of other programs become messages of a bot."""
