"""Presence: who is there at the moment, and when the others were."""
