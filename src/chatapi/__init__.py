"""chatapi: a team chat server that speaks HTTP."""

__version__ = "0.1.0"
