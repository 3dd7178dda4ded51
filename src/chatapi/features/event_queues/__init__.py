"""Event queues: POST /register, GET /events and DELETE /events."""

from chatapi.features.event_queues.params import RegisterParams
from chatapi.features.event_queues.service import EventQueueService

__all__ = ["EventQueueService", "RegisterParams"]
