"""Event queues: POST /register, GET /events and DELETE /events."""
