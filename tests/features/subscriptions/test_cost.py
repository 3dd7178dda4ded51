"""What subscribing and registering cost does not grow with the people."""

from chatapi.auth.runtime import Runtime
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.channels.channels import subscribe, unsubscribe
from tests.support.answers import assert_success
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.statements import recorded_statements

QUIETLY = {"send_new_subscription_messages": False}


async def test_any_number_of_people_is_one_set_of_statements(
    client: ApiClient,
    runtime: Runtime,
    owner: Person,
    make_user: MakeUser,
    make_channel: MakeChannel,
) -> None:
    people = [await make_user() for _ in range(20)]
    costs = {}
    for count in (2, 20):
        channel = await make_channel(subscribers=[owner])
        some = {"principals": [person.user_id for person in people[:count]]}
        with recorded_statements(runtime.database, "subscription") as coming:
            assert_success(await subscribe(client, owner, channel.name, **some, **QUIETLY))
        with recorded_statements(runtime.database, "subscription") as leaving:
            assert_success(await unsubscribe(client, owner, channel.name, **some))
        costs[count] = len(coming), len(leaving)
    assert costs[2] == costs[20]


async def test_register_takes_the_same_statements_for_any_number_of_channels(
    client: ApiClient, runtime: Runtime, owner: Person, make_channel: MakeChannel
) -> None:
    async def cost() -> list[str]:
        wanted = ["subscription", "stream", "default_streams"]
        with recorded_statements(runtime.database, "channel") as statements:
            await listen(client, owner, fetch_event_types=wanted, include_subscribers="true")
        return statements

    await make_channel(subscribers=[owner])
    before = await cost()
    for _ in range(5):
        await make_channel(subscribers=[owner], invite_only=True)
    assert await cost() == before
