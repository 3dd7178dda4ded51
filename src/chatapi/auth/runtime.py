"""The long-lived parts of a running service, assembled once in main."""

from datetime import datetime
from operator import attrgetter

from msgspec import Struct

from chatapi.auth.caller_cache import CallerCache
from chatapi.auth.failed_logins import FailedLogins
from chatapi.auth.notices import PostNotices
from chatapi.auth.passwords import Passwords
from chatapi.auth.realm_cache import RealmCache
from chatapi.auth.user_cache import UserCache
from chatapi.auth.visibility_changes import EmitUserVisibility
from chatapi.channel_cache.cache import ChannelCache
from chatapi.channel_cache.newest_messages import NewestMessages
from chatapi.channel_cache.snapshots import ChannelSnapshots
from chatapi.channel_cache.topic_messages import TopicMessages, TopicMessagesCache
from chatapi.core.clock import Clock
from chatapi.core.fair_limiter import FairLimiter
from chatapi.core.measurements import Measurements
from chatapi.core.outbound_http import OutboundHttp
from chatapi.core.private_files import restrict_data_folder, share_with_group
from chatapi.core.settings import SQLITE_FILE, UPLOADS_FOLDER, Settings
from chatapi.core.tracing import Tracing
from chatapi.core.wake_signal import WakeSignal
from chatapi.core.worker_processes import WorkerProcesses
from chatapi.core.worker_threads import WorkerThreads
from chatapi.db.database import Database
from chatapi.db.deployment import find_deployment
from chatapi.db.session import DatabaseSession
from chatapi.events.bus import Bus
from chatapi.events.byte_limit import ByteLimit
from chatapi.events.clock_reader import ClockReader
from chatapi.events.group_commit import GroupCommitter
from chatapi.events.hub import Hub
from chatapi.events.message_cache import EncodedMessage, MessageCache
from chatapi.events.newest_pages import NewestPage, NewestPages
from chatapi.events.queues import EventQueues
from chatapi.events.shared_state_cache import SharedStateCache
from chatapi.events.unit_of_work import UnitOfWork
from chatapi.events.write_forwarding import WriteForwarder
from chatapi.files.files import Files
from chatapi.files.store import THREADS
from chatapi.files.stores import store_for
from chatapi.http.compression import ResponseCompressor
from chatapi.http.limits import RateLimits
from chatapi.linkifier_cache.cache import LinkifierCache
from chatapi.pictures import Painter
from chatapi.presence_cache.cache import PresenceCache
from chatapi.recipient_preferences.cache import RecipientPreferencesCache

_STATE_WAIT_SECONDS = 50.0
"""Clients that come last after a restart have to wait for all others; most wait a minute."""
_RENDERING_PROCESSES = 2
_RENDERING_THREADS = 2
"""More would not be faster: Python runs one of them at a time, between steps of the event loop."""


class Runtime(Struct, frozen=True):
    """The objects that outlive a request; contexts refer to it, services use what they need."""

    settings: Settings
    clock: Clock
    started_at: datetime
    database: Database
    hub: Hub
    clock_reader: ClockReader
    queues: EventQueues
    write_forwarder: WriteForwarder
    group_committer: GroupCommitter
    realms: RealmCache
    callers: CallerCache
    users: UserCache
    channels: ChannelCache
    channel_snapshots: ChannelSnapshots
    newest_messages: NewestMessages
    messages: MessageCache
    newest_pages: NewestPages
    topic_messages: TopicMessagesCache
    shared_state: SharedStateCache
    recipient_preferences: RecipientPreferencesCache
    linkifiers: LinkifierCache
    presences: PresenceCache
    passwords: Passwords
    failed_logins: FailedLogins
    limits: RateLimits
    compressor: ResponseCompressor
    files: Files
    rendering_processes: WorkerProcesses
    """For rendering and comparing long texts."""
    rendering_threads: WorkerThreads
    """For work in small steps, such as highlighting, and for libraries that are not Python."""
    rendering: FairLimiter
    """Limits work that keeps one of these processes or threads, or a drawing process, busy."""
    painter: Painter
    heavy_reads: FairLimiter
    """Limits searches and large reads, which keep a database connection busy for long."""
    state_reads: FairLimiter
    """Limits how many clients read the state for a new queue at once: after a restart, all do."""
    file_writing: FairLimiter
    """Limits writing of uploads, so that the other threads of the file store are free for reads."""
    deliveries: WakeSignal
    """Notified when something is scheduled."""
    webhook_calls: WakeSignal
    """Notified when a service of a bot is to be called."""
    outbound_http: OutboundHttp
    thumbnails: WakeSignal
    """Notified when a thumbnail has to be drawn or shown."""
    moves: WakeSignal
    """Notified when a request has left messages to be moved."""
    post_notices: PostNotices
    emit_user_visibility: EmitUserVisibility
    measurements: Measurements
    tracing: Tracing

    @classmethod
    def assemble(
        cls,
        settings: Settings,
        clock: Clock,
        bus: Bus,
        post_notices: PostNotices,
        emit_user_visibility: EmitUserVisibility,
        *,
        database: Database | None = None,
        measurements: Measurements | None = None,
    ) -> "Runtime":
        """Assemble all parts of a service. `close` closes the database, too, even a given one."""
        restrict_data_folder(settings.data_dir, (SQLITE_FILE, UPLOADS_FOLDER))
        if settings.accel_location:
            share_with_group(settings.data_dir, UPLOADS_FOLDER)
        database = database or Database(settings)
        measurements = measurements or Measurements()
        hub = Hub(database, bus, measurements)
        write_forwarder = WriteForwarder(bus.peers)
        message_bytes = ByteLimit[EncodedMessage | NewestPage | TopicMessages](
            settings.message_cache_mib * 1024 * 1024, attrgetter("bytes_in_memory")
        )
        return cls(
            settings=settings,
            clock=clock,
            started_at=clock.now(),
            database=database,
            hub=hub,
            clock_reader=ClockReader(database, hub),
            queues=EventQueues(database, hub, clock, settings),
            write_forwarder=write_forwarder,
            group_committer=GroupCommitter(database, hub, clock, write_forwarder),
            realms=RealmCache(database, hub, settings),
            callers=CallerCache(hub, settings),
            users=UserCache(hub),
            channels=ChannelCache(hub),
            channel_snapshots=ChannelSnapshots(hub),
            newest_messages=NewestMessages(hub),
            messages=MessageCache(hub, message_bytes),
            newest_pages=NewestPages(hub, message_bytes),
            topic_messages=TopicMessagesCache(hub, message_bytes),
            shared_state=SharedStateCache(hub),
            recipient_preferences=RecipientPreferencesCache(hub),
            linkifiers=LinkifierCache(hub),
            presences=PresenceCache(hub),
            passwords=Passwords(settings),
            failed_logins=FailedLogins(),
            limits=RateLimits(settings, lambda: find_deployment(database)),
            compressor=ResponseCompressor(),
            files=Files(
                store_for(settings, clock),
                lambda: find_deployment(database),
                settings.accel_location,
            ),
            rendering_processes=WorkerProcesses("rendering processes", _RENDERING_PROCESSES),
            rendering_threads=WorkerThreads("rendering", _RENDERING_THREADS),
            rendering=FairLimiter(_RENDERING_THREADS, most_per_owner=1),
            painter=Painter(),
            heavy_reads=FairLimiter(
                database.most_heavy_reads, max(1, database.most_heavy_reads - 1)
            ),
            state_reads=FairLimiter(
                database.most_state_reads,
                # They are short: a slot of another user is free soon, and turns are fair.
                database.most_state_reads,
                longest_wait=_STATE_WAIT_SECONDS,
                most_waiting=settings.queues_per_user,
            ),
            file_writing=FairLimiter(THREADS // 2, most_per_owner=2),
            deliveries=WakeSignal(),
            webhook_calls=WakeSignal(),
            outbound_http=OutboundHttp(
                settings.outgoing_webhook_networks, settings.outgoing_webhook_ca_file
            ),
            thumbnails=WakeSignal(),
            moves=WakeSignal(),
            post_notices=post_notices,
            emit_user_visibility=emit_user_visibility,
            measurements=measurements,
            tracing=Tracing(),
        )

    def reading(self) -> DatabaseSession:
        """Returns a session for reading; as a context manager, it releases its connection."""
        return DatabaseSession(self.database)

    def unit_of_work(self, db: DatabaseSession) -> UnitOfWork:
        """Returns a unit of work on a session that the caller closes."""
        return UnitOfWork(db, self.hub, self.clock)

    def begin(self) -> UnitOfWork:
        """Returns a new unit of work; as a context manager, it commits at the end of the block.

        It opens no connection until its first statement. To change a realm outside of a request,
        use `realm_transaction`, which locks it.
        """
        return self.unit_of_work(DatabaseSession(self.database))

    async def start(self) -> None:
        await self.hub.start()
        await self.write_forwarder.start(lambda: find_deployment(self.database))

    async def close(self) -> None:
        await self.write_forwarder.close()
        await self.group_committer.close()
        await self.queues.close()
        await self.hub.close()
        await self.limits.close()
        await self.files.close()
        self.passwords.close()
        self.compressor.close()
        self.rendering_processes.close()
        self.rendering_threads.close()
        self.painter.close()
        await self.database.close()
