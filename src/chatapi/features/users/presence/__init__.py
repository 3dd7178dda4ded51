"""Presence: which users are online, and when the others last were."""
