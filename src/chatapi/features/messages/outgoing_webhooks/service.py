"""Use case: call the services of bots, and post their answers."""

import asyncio
from datetime import datetime, timedelta
from functools import partial
from urllib.parse import urlsplit

import structlog
from msgspec.structs import replace

from chatapi.auth.context import RealmContext
from chatapi.auth.notices import DirectNotice
from chatapi.auth.realm_sessions import realm_reading, realm_transaction
from chatapi.auth.runtime import Runtime
from chatapi.core.errors import ApiError, StaleCallerError
from chatapi.core.ids import UserId
from chatapi.core.outbound_http import OutboundResponse, RefusedAddressError, UnreachableError
from chatapi.db.session import DatabaseSession
from chatapi.features.messages.notices import post_notices
from chatapi.features.messages.outgoing_webhooks.answers import BadAnswerError, read_answer
from chatapi.features.messages.outgoing_webhooks.requests import ServiceRequest, prepare_request
from chatapi.features.messages.repository import WebhookCallRecord, WebhookCallRepository
from chatapi.features.messages.send.service import MessageService
from chatapi.features.messages.writer import MessageWriter
from chatapi.rendering import quoted

log = structlog.get_logger()

_AT_ONCE = 20
_LEASE = timedelta(seconds=60)
"""Longer than a call may take; a call whose process died is made again after it."""
_RETRY_AFTER = (timedelta(seconds=5), timedelta(seconds=30), timedelta(seconds=120))
"""After the first, second and third try; the fourth is the last."""
_USER_AGENT = "chatapi-outgoing-webhook"
_CLIENT_NAME = "OutgoingWebhook"
_MAX_ATTEMPTS = 5
_SUCCESS = range(200, 300)
_TOO_MANY_REQUESTS = 429
_FIRST_SERVER_ERROR = 500


async def find_next_call(db: DatabaseSession) -> datetime | None:
    """When the next call is due; None if there is none."""
    return await WebhookCallRepository(db).find_next_due()


class WebhookCaller:
    """Makes calls in tasks of their own, one at a time for each bot: in the order of its messages.

    A service that does not respond delays no other.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._running: dict[UserId, asyncio.Task[None]] = {}

    async def start_due(self) -> None:
        """Start the calls that are due, as far as their bots are not busy."""
        room = _AT_ONCE - len(self._running)
        if room <= 0:
            return
        now = self._runtime.clock.now()
        async with self._runtime.reading() as db:
            due = await WebhookCallRepository(db).list_due(now, room, self._running.keys())
        for each in due:
            if each.bot_id in self._running:
                continue
            call = await _claim(self._runtime, each, now)
            if call is not None:
                task = asyncio.create_task(_make(self._runtime, call))
                self._running[call.bot_id] = task
                task.add_done_callback(partial(self._end, call.bot_id))

    async def close(self) -> None:
        """Stop; a call that did not end is made again when its lease ends."""
        running = list(self._running.values())
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _end(self, bot_id: UserId, _task: asyncio.Task[None]) -> None:
        del self._running[bot_id]
        # The next call of this bot may be due.
        self._runtime.webhook_calls.notify()


async def _claim(
    runtime: Runtime, call: WebhookCallRecord, now: datetime
) -> WebhookCallRecord | None:
    until = now + _LEASE
    async with runtime.reading() as db, db.transaction():
        is_ours = await WebhookCallRepository(db).claim(call, until)
    return replace(call, tries=call.tries + 1, due_at=until) if is_ours else None


async def _make(runtime: Runtime, call: WebhookCallRecord) -> None:
    """Make one call; any failure concerns this call alone."""
    try:
        await _call_and_settle(runtime, call)
    except Exception:
        # It is due again when its lease ends.
        log.exception("webhook_call_failed", call_id=call.id)


async def _call_and_settle(runtime: Runtime, call: WebhookCallRecord) -> None:
    request = await prepare_request(runtime, call)
    if request is None:
        # The bot or the message is gone, or the bot may not read it.
        await _remove(runtime, call)
        return
    try:
        response = await _post(runtime, call, request)
        reply = read_answer(_accepted(response).body)
    except UnreachableError as error:
        await _retry_or_fail(runtime, call, request, str(error))
    except (RefusedAddressError, BadAnswerError) as error:
        await _fail(runtime, call, request, str(error))
    else:
        await (_remove(runtime, call) if reply is None else _reply(runtime, call, request, reply))


async def _post(
    runtime: Runtime, call: WebhookCallRecord, request: ServiceRequest
) -> OutboundResponse:
    host = urlsplit(request.url).hostname or ""
    with runtime.tracing.outbound_call(host, call.traceparent) as traced:
        response = await runtime.outbound_http.post_json(
            request.url, request.body, _USER_AGENT, traced.traceparent
        )
        traced.responded(response.status)
        return response


def _accepted(response: OutboundResponse) -> OutboundResponse:
    if response.status in _SUCCESS:
        return response
    problem = f"it responded with status {response.status}"
    if response.status >= _FIRST_SERVER_ERROR or response.status == _TOO_MANY_REQUESTS:
        raise UnreachableError(problem)
    raise BadAnswerError(problem)


async def _remove(runtime: Runtime, call: WebhookCallRecord) -> None:
    async with runtime.reading() as db, db.transaction():
        await WebhookCallRepository(db).remove(call)


async def _retry_or_fail(
    runtime: Runtime, call: WebhookCallRecord, request: ServiceRequest, problem: str
) -> None:
    if call.tries > len(_RETRY_AFTER):
        await _fail(runtime, call, request, problem)
        return
    until = runtime.clock.now() + _RETRY_AFTER[call.tries - 1]
    async with runtime.reading() as db, db.transaction():
        await WebhookCallRepository(db).postpone(call, until)


async def _reply(
    runtime: Runtime, call: WebhookCallRecord, request: ServiceRequest, reply: str
) -> None:
    """Post the answer as the bot, once, and remove the call."""
    for _ in range(_MAX_ATTEMPTS):
        try:
            await _post_reply(runtime, call, request, reply)
        except StaleCallerError:
            # The bot or the channel changed: what was checked before has to be checked again.
            continue
        except ApiError as error:
            await _fail(runtime, call, request, f"its answer cannot be posted: {error.msg}")
        return


async def _post_reply(
    runtime: Runtime, call: WebhookCallRecord, request: ServiceRequest, reply: str
) -> None:
    async with realm_reading(runtime, call.realm_id) as ctx:
        await runtime.hub.catch_up(await runtime.hub.feed(call.realm_id))
        caller = await runtime.callers.of_user(ctx.db, ctx.realm.id, call.bot_id)
        bot = ctx.acting_as(caller, _CLIENT_NAME)
        outgoing = await MessageService(bot).prepare(request.reply_params(reply))
    async with realm_transaction(runtime, call.realm_id) as locked:
        if not await WebhookCallRepository(locked.db).remove(call):
            return
        [result] = await MessageWriter(runtime, locked.realm).write(locked.work, [outgoing])
        if isinstance(result, Exception):
            raise result


async def _fail(
    runtime: Runtime, call: WebhookCallRecord, request: ServiceRequest, problem: str
) -> None:
    """Give up, and notify the owner of the bot."""
    async with realm_transaction(runtime, call.realm_id) as ctx:
        if await WebhookCallRepository(ctx.db).remove(call):
            await _notify_owner(ctx, request, problem)


async def _notify_owner(ctx: RealmContext, request: ServiceRequest, problem: str) -> None:
    if request.owner_id is None:
        return
    text = (
        f"The service of your bot {request.bot_name} was called about a message, but {problem}."
        f"\n\n{quoted(request.content)}"
    )
    await post_notices(ctx, [DirectNotice(request.owner_id, text)])
