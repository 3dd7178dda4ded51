"""Prepares deliveries before the realm is locked."""

import structlog
from msgspec import Struct

from chatapi.auth.caller_cache import Caller
from chatapi.auth.context import Context
from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.realm_sessions import realm_reading
from chatapi.auth.runtime import Runtime
from chatapi.core.errors import ApiError, InternalError
from chatapi.db.availability import is_unavailable
from chatapi.features.messages.deliveries.kinds import delivery_kind_of
from chatapi.features.messages.outgoing import OutgoingMessage
from chatapi.features.messages.schedule_records import ScheduledRecord

log = structlog.get_logger()

_SENDER_IS_GONE = "Your account is deactivated."


class DeliveryRefusal(Struct, frozen=True):
    """Why a message is not delivered."""

    reason: str


class PreparedDelivery(Struct, frozen=True):
    """A scheduled message that is due, and the message to write, unless it is refused."""

    record: ScheduledRecord
    realm: RealmRecord
    caller: Caller
    """The owner as of the time of preparation."""
    message: OutgoingMessage | DeliveryRefusal


async def prepare(runtime: Runtime, record: ScheduledRecord) -> PreparedDelivery:
    """Check and render as for a request that the owner sends now."""
    async with realm_reading(runtime, record.realm_id) as ctx:
        caller = await runtime.callers.of_user(ctx.db, ctx.realm.id, record.owner_id)
        message = await _compose(ctx.acting_as(caller, record.client_name), record)
        return PreparedDelivery(record, ctx.realm, caller, message)


async def _compose(ctx: Context, record: ScheduledRecord) -> OutgoingMessage | DeliveryRefusal:
    if not ctx.user.is_active:
        return DeliveryRefusal(_SENDER_IS_GONE)
    try:
        return await delivery_kind_of(record).compose(ctx, record)
    except ApiError as error:
        return DeliveryRefusal(error.msg)
    except Exception as error:
        if is_unavailable(error):
            raise
        # Not retried: it would fail each time, and block the messages after it.
        log.exception("delivery_failed", scheduled_message_id=record.id)
        return DeliveryRefusal(InternalError.text)
