"""The database: engine for both dialects, transactions, tables and records."""

from chatapi.core.lean_imports import defer_package

# Before anything imports from it: it would load the ORM, of which only its sessions make use.
defer_package("sqlalchemy.ext.asyncio")
