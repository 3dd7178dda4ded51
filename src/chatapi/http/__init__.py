"""HTTP: the parameter reader, the route class, envelopes, limits and the docs page."""
