"""Muted users: users whose messages count as read for the user who muted them."""
