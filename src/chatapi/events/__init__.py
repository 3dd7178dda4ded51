"""The event core: typed events, audiences, log, bus, hub and queues; no framework."""
