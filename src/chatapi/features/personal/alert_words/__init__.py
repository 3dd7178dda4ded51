"""Alert words: messages that contain them are flagged for the users who chose them."""
