"""Messages: sending, reading, changing and deleting them, now or at a later time."""

from chatapi.features.messages.deliveries.service import deliver_some, find_next_due
from chatapi.features.messages.move.continuation import MoveRunner, find_next_move
from chatapi.features.messages.move.precompilation import precompile_moves
from chatapi.features.messages.notices import make_room_for_history, post_notices
from chatapi.features.messages.outgoing_webhooks.service import WebhookCaller, find_next_call
from chatapi.features.messages.picture_updates import show_pictures
from chatapi.features.messages.report.params import REPORT_TYPES
from chatapi.features.messages.retention.expired import ExpiredBatch, delete_expired, find_expired
from chatapi.features.messages.send.forwarding import accept_forwarded_messages
from chatapi.features.messages.send.rehearsal import find_recent_send, rehearse_send

__all__ = [
    "REPORT_TYPES",
    "ExpiredBatch",
    "MoveRunner",
    "WebhookCaller",
    "accept_forwarded_messages",
    "delete_expired",
    "deliver_some",
    "find_expired",
    "find_next_call",
    "find_next_due",
    "find_next_move",
    "find_recent_send",
    "make_room_for_history",
    "post_notices",
    "precompile_moves",
    "rehearse_send",
    "show_pictures",
]
