"""Who is calling: HTTP Basic to an actor, guards as argument types, contexts for services."""
