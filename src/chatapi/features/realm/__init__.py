"""Realms (organizations): creating them, their settings, and the server they live on."""
