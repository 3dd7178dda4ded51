"""The deployment a process belongs to: the id that its database was created with."""

from collections.abc import Awaitable, Callable

FindDeployment = Callable[[], Awaitable[str]]
"""Reads the id from the database, which may be unavailable."""
