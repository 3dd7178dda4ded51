"""HTTP: parameter parsing, the route class, envelopes, limits and the docs page."""
