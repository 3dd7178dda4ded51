"""Alert words: messages in which they occur are marked for whoever watches for them."""
