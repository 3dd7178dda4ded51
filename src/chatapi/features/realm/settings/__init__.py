"""Settings of a realm, and its part of the client state."""
