"""Outgoing webhooks: the service of a bot is called about messages for the bot."""
