"""Which deployment a process belongs to: the id that its database was made with."""

from collections.abc import Awaitable, Callable

FindDeployment = Callable[[], Awaitable[str]]
"""Asks the database for the id; it may be away."""
