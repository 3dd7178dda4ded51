"""The database: engine for both dialects, transactions, tables and records."""
