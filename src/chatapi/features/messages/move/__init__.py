"""Moving messages between topics and channels."""
