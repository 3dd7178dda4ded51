"""Personal settings: how a user wants the service to look and behave, and their own account."""
