"""What people keep about messages and topics, as far as they may see what it is about."""
