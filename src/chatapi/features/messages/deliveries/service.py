"""Delivers what is due, a batch at a time."""

import asyncio
from collections.abc import Sequence
from datetime import datetime

import structlog
from msgspec.structs import replace

from chatapi.auth.runtime import Runtime
from chatapi.core.errors import InternalError, StaleCallerError
from chatapi.db.availability import is_unavailable
from chatapi.db.session import DatabaseSession
from chatapi.features.messages.deliveries.preparation import (
    DeliveryRefusal,
    PreparedDelivery,
    prepare,
)
from chatapi.features.messages.deliveries.writer import DeliveryWriter, Outcome
from chatapi.features.messages.repository import DueRepository
from chatapi.features.messages.schedule_records import ScheduledRecord

log = structlog.get_logger()

_AT_ONCE = 50
"""Small enough that concurrent senders do not notice the delay."""


async def find_next_due(db: DatabaseSession) -> datetime | None:
    """When the next message or reminder is due; None if nothing is scheduled."""
    return await DueRepository(db).find_next_due()


async def deliver_some(runtime: Runtime) -> bool:
    """Deliver what is due first; False if nothing was, or other processes delivered all of it.

    Processes claim nothing before they write: one that dies leaves nothing behind for which others
    would have to wait.
    """
    async with runtime.reading() as db:
        due = await DueRepository(db).list_due(runtime.clock.now(), _AT_ONCE)
    await _catch_up(runtime, due)
    prepared = [await prepare(runtime, record) for record in due]
    outcomes = await _submit(runtime, prepared)
    await _give_up(runtime, prepared, outcomes)
    return any(outcome is not Outcome.GONE for outcome in outcomes)


async def _catch_up(runtime: Runtime, due: Sequence[ScheduledRecord]) -> None:
    """Catch up with the log first: a refusal is final, so it must not be based on stale caches."""
    for realm_id in {record.realm_id for record in due}:
        await runtime.hub.catch_up(await runtime.hub.feed(realm_id))


async def _submit(
    runtime: Runtime, prepared: Sequence[PreparedDelivery]
) -> list[Outcome | BaseException]:
    """Each in a transaction with others of its realm, or alone if they cannot be combined."""
    return await asyncio.gather(
        *(
            runtime.group_committer.submit(
                each.realm.id,
                "deliveries",
                DeliveryWriter(runtime, each.realm).write,
                each,
                sends_messages=True,
            )
            for each in prepared
        ),
        return_exceptions=True,
    )


async def _give_up(
    runtime: Runtime,
    prepared: Sequence[PreparedDelivery],
    outcomes: Sequence[Outcome | BaseException],
) -> None:
    """Mark messages that cannot be written as failed, so that they do not block later ones."""
    broken: list[PreparedDelivery] = []
    for each, outcome in zip(prepared, outcomes, strict=True):
        if isinstance(outcome, Outcome | StaleCallerError):
            continue
        if is_unavailable(outcome):
            raise outcome
        log.error("delivery_failed", scheduled_message_id=each.record.id, exc_info=outcome)
        broken.append(replace(each, message=DeliveryRefusal(InternalError.text)))
    for outcome in await _submit(runtime, broken):
        if isinstance(outcome, BaseException):
            raise outcome
