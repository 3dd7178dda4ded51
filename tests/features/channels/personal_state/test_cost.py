"""The cost of finding whose stars and topic policies a channel change affects."""

from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.channels.personal_state.test_visibility_diff import keep
from tests.features.messages.fetch.conversations import send
from tests.support.client import ApiClient
from tests.support.responses import assert_success
from tests.support.statements import recorded_statements, statements_under_lock


async def _statements_of_change(
    client: ApiClient, runtime: Runtime, owner: Person, channel: ChannelRecord, **changes: object
) -> int:
    with statements_under_lock(runtime.database) as statements:
        assert_success(await client.patch(f"/streams/{channel.id}", owner, **changes))
    return len(statements)


async def test_making_a_channel_private_takes_the_same_statements_for_many_users(
    client: ApiClient,
    runtime: Runtime,
    owner: Person,
    make_user: MakeUser,
    make_channel: MakeChannel,
) -> None:
    public = await make_channel("public", subscribers=[owner])
    message = await send(client, owner, public)
    counts: list[int] = []
    for _ in range(2):
        for _ in range(5):
            await keep(client, await make_user(), public, message)
        counts.append(await _statements_of_change(client, runtime, owner, public, is_private=True))
        assert_success(await client.patch(f"/streams/{public.id}", owner, is_private=False))
    # The first change creates the topic of its notice, too.
    assert counts[1] <= counts[0]


async def test_changed_description_looks_up_no_personal_state(
    client: ApiClient, runtime: Runtime, owner: Person, member: Person, make_channel: MakeChannel
) -> None:
    public = await make_channel("public", subscribers=[owner])
    await keep(client, member, public, await send(client, owner, public))
    with recorded_statements(runtime.database, "user_topic") as statements:
        assert_success(await client.patch(f"/streams/{public.id}", owner, description="New"))
    assert statements == []
