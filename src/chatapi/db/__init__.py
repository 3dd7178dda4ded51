"""The database: engine for both dialects, transactions, tables and records."""

from chatapi.core.lean_imports import defer_package

# Before anything imports from it: it would load the ORM, of which only its sessions make use.
defer_package("sqlalchemy.ext.asyncio")
# A server on SQLite uses only what tables and statements of both databases are made of.
defer_package(
    "sqlalchemy.dialects.postgresql",
    # SQLAlchemy asks for these to find the dialect.
    ("asyncpg", "base"),
    ARRAY="array",
    JSONB="json",
    insert="dml",
)
