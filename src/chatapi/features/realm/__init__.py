"""Realms (organizations): creating them, their settings, and their part of the client state."""
