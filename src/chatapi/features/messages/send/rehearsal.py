"""Sends a message in a dry run, so that sending one later does nothing for the first time."""

from chatapi.auth.context import Context
from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.db.session import DatabaseSession
from chatapi.features.messages.outgoing import OutgoingMessage
from chatapi.features.messages.repository import RecentSend, RecentSendRepository
from chatapi.features.messages.send.params import SendMessageParams
from chatapi.features.messages.send.service import MessageService
from chatapi.features.messages.writer import MessageWriter

_CONTENT = "Hello"


async def find_recent_send(db: DatabaseSession) -> RecentSend | None:
    """Return who has just written in which topic; None if no person has."""
    return await RecentSendRepository(db).find()


async def rehearse_send(ctx: Context, recent: RecentSend) -> None:
    """Send another message to that topic, and roll it back."""
    params = SendMessageParams(
        type="channel", to=recent.channel_id, topic=recent.topic, content=_CONTENT
    )
    outgoing = await MessageService(ctx).prepare(params)
    await ctx.release_connection()
    # The first time, caches are loaded between the writes, which are separate statements then.
    for _ in range(2):
        await _write(ctx.runtime, ctx.realm, outgoing)


async def _write(runtime: Runtime, realm: RealmRecord, outgoing: OutgoingMessage) -> None:
    # Before the lock: its holder must not wait for a second connection.
    await runtime.hub.feed(realm.id)
    async with DatabaseSession(runtime.database) as db:
        await runtime.hub.catch_up_to(db, realm.id, await db.lock_realm(realm.id, message_ids=1))
        work = runtime.unit_of_work(db)
        await MessageWriter(runtime, realm).write(work, [outgoing])
        await work.dry_run()
