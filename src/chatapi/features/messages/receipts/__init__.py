"""Read receipts: which users have read a message."""
