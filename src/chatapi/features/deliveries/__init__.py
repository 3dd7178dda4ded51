"""Delivery of what is scheduled: decided like a request of its owner, sent with its removal."""
