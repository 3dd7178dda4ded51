"""Read receipts: who has read a message."""
