"""Authentication: HTTP Basic to a caller, guards as argument types, contexts for services."""
