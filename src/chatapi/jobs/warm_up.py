"""Does once, after the start, what most requests do: the first time takes far longer."""

import asyncio
from contextlib import suppress

import structlog

from chatapi.auth.realm_sessions import realm_reading
from chatapi.auth.runtime import Runtime
from chatapi.core.errors import ApiError, StaleCallerError
from chatapi.db.availability import is_unavailable
from chatapi.features.event_queues import EventQueueService, RegisterParams
from chatapi.features.messages import find_recent_send, precompile_moves, rehearse_send

log = structlog.get_logger()

_PAUSE_SECONDS = 0.1
"""So that the first response of the process need not wait for it."""
_CLIENT_NAME = "chatapi"


async def warm_up(runtime: Runtime) -> None:
    """Read the state for a new queue of the user who wrote last, and write a message in a dry run.

    Statements are compiled then, also those of moves, models are built, and what users of an
    organization share is cached. Nothing is stored, and a failure has no consequences.
    """
    await asyncio.sleep(_PAUSE_SECONDS)
    try:
        # The user may have lost access to the channel.
        with suppress(ApiError, StaleCallerError):
            await _rehearse(runtime)
    except Exception as error:
        if not is_unavailable(error):
            log.exception("job_failed", job="warm_up")


async def _rehearse(runtime: Runtime) -> None:
    async with runtime.reading() as db:
        recent = await find_recent_send(db)
    if recent is None:
        return
    async with realm_reading(runtime, recent.realm_id) as realm_ctx:
        caller = await runtime.callers.of_user(realm_ctx.db, recent.realm_id, recent.user_id)
        ctx = realm_ctx.acting_as(caller, _CLIENT_NAME)
        await EventQueueService(ctx).read_state(RegisterParams())
        await rehearse_send(ctx, recent)
    await precompile_moves(runtime.database)
    log.info("warmed_up")
