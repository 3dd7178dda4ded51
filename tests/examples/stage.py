"""The organization in which the story happens, and the people in it."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import Role
from chatapi.core.system_groups import SystemGroup
from chatapi.features.realm import add_first_channel
from tests import factories
from tests.examples.recorder import Recorder
from tests.factories import Person
from tests.features.realm.settings import allow
from tests.support.apps import make_settings, running_app
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import Listener, listen

MakeRecorder = Callable[[ApiClient], Recorder]
ADDRESS = "https://chat.example.com"
PASSWORD = "correct horse"
NEWER_FORMS = dict.fromkeys(
    [
        "archived_channels",
        "bulk_message_deletion",
        "empty_topic_name",
        "include_deactivated_groups",
        "individual_emoji_changes",
        "simplified_presence_events",
        "stream_typing_notifications",
        "user_settings_object",
    ],
    True,
)
"""The capabilities of an up-to-date client."""


@dataclass
class Stage:
    """Who takes part; most requests are Ada's, since she may do everything."""

    recorder: Recorder
    clock: MovableClock
    ada: Person
    """An owner."""
    alan: Person
    """A member."""
    mina: Person
    """A guest, who sees only some users."""
    channel_id: int = 1
    """`general`, in which all of them are."""
    welcome_id: int = 1
    """The welcome message there."""
    message_id: int = 0
    """Ada's first message there."""


@asynccontextmanager
async def open_stage(
    make_recorder: MakeRecorder = Recorder, database_url: str = "", data_dir: Path | None = None
) -> AsyncIterator[Stage]:
    """An organization with clients that receive all events; by default nothing is kept.

    It begins as one does at the first start of a server: with an owner, who is user 2, and the
    channel `general` with a welcome message. So requests of the story that name these succeed on
    every new server.
    """
    clock = MovableClock()
    with TemporaryDirectory() as folder:
        settings = make_settings(
            database_url or f"sqlite+aiosqlite:///{folder}/examples.db",
            data_dir or Path(folder),
            migrate_on_start=True,
            public_url=ADDRESS,
            web_public_streams_enabled=True,
            heartbeat_seconds=0.1,
        )
        async with running_app(settings, clock) as app:
            client = ApiClient(app)
            client.http.headers["user-agent"] = "ExampleClient/1.0"
            realm = await factories.make_realm(app.runtime, "Acme")

            async def make(role: Role, name: str) -> Person:
                email = f"{name.partition(' ')[0].lower()}@example.com"
                return await factories.make_user(
                    app.runtime, realm, role, email=email, full_name=name, password=PASSWORD
                )

            stage = Stage(
                make_recorder(client),
                clock,
                ada=await make(Role.OWNER, "Ada Lovelace"),
                alan=await make(Role.MEMBER, "Alan Turing"),
                mina=await make(Role.GUEST, "Mina Harker"),
            )
            await _make_first_channel(app.runtime, realm, stage.ada)
            restricted = {"can_access_all_users_group": SystemGroup.MEMBERS}
            await allow(client, stage.ada, realm, **restricted)
            stage.recorder.listeners = [
                *[await _up_to_date(client, each) for each in (stage.ada, stage.alan, stage.mina)],
                # One that knows only the oldest form of each event.
                await listen(client, stage.ada, fetch_event_types=[]),
            ]
            yield stage
            await client.aclose()


async def _make_first_channel(runtime: Runtime, realm: RealmRecord, owner: Person) -> None:
    ctx = await factories.acting_as(runtime, realm, owner)
    try:
        await add_first_channel(ctx, ctx.user)
        await ctx.work.commit()
    finally:
        await ctx.db.close()


async def _up_to_date(client: ApiClient, person: Person) -> Listener:
    return await listen(
        client,
        person,
        fetch_event_types=[],
        apply_markdown=True,
        client_capabilities=NEWER_FORMS,
    )
