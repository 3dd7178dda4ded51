"""Settings, errors, clock, ids and logging: no I/O and no framework."""
