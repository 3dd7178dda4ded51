"""Channels, folders, default channels, subscriptions and topics."""

from tests.examples.stage import Stage


async def tell_of_channels(stage: Stage) -> None:
    call, ada = stage.recorder.call, stage.ada
    await call(
        ada,
        "POST /channels/create",
        name="ideas",
        description="What to try *next*.",
        subscribers=[ada.user_id],
    )
    channel = {"stream_id": stage.channel_id}
    folder = await call(
        ada, "POST /channel_folders/create", name="Company", description="For *all of us*."
    )
    other = await call(ada, "POST /channel_folders/create", name="Projects", description="")
    ids = [other["channel_folder_id"], folder["channel_folder_id"]]
    await call(ada, "PATCH /channel_folders", order=ids)
    place = {"channel_folder_id": folder["channel_folder_id"]}
    await call(ada, "PATCH /channel_folders/{channel_folder_id}", place, name="The company")
    await call(ada, "GET /channel_folders")
    change = "PATCH /streams/{stream_id}"
    await call(ada, change, channel, description="Everything *else*, and more.")
    await call(ada, change, channel, folder_id=ids[1])
    await call(ada, "GET /streams", include_default=True)
    await call(ada, "GET /streams/{stream_id}", channel)
    await call(ada, "GET /get_stream_id", stream="general")
    await call(ada, "DELETE /default_streams", stream_id=stage.channel_id)
    await call(ada, "POST /default_streams", stream_id=stage.channel_id)
    await _tell_of_default_groups(stage)


async def _tell_of_default_groups(stage: Stage) -> None:
    call, ada = stage.recorder.call, stage.ada
    group = {
        "group_name": "Engineering",
        "description": "For those who build.",
        "stream_names": ["ideas"],
    }
    await call(ada, "POST /default_stream_groups/create", **group)
    place = {"group_id": 1}
    await call(
        ada,
        "PATCH /default_stream_groups/{group_id}",
        place,
        new_description="For those who build things.",
    )
    await call(
        ada,
        "PATCH /default_stream_groups/{group_id}/streams",
        place,
        op="remove",
        stream_names=["ideas"],
    )
    await call(ada, "DELETE /default_stream_groups/{group_id}", place)


async def tell_of_subscriptions(stage: Stage) -> None:
    call, ada, alan = stage.recorder.call, stage.ada, stage.alan
    subscribe = "POST /users/me/subscriptions"
    lunch = {"name": "lunch", "description": "What to eat."}
    await call(ada, subscribe, subscriptions=[{"name": "general"}, lunch])
    await call(ada, subscribe, subscriptions=[lunch], principals=[alan.user_id])
    await call(ada, "GET /users/me/subscriptions", include_subscribers="true")
    await call(
        ada,
        "POST /users/me/subscriptions/properties",
        subscription_data=[
            {"stream_id": stage.channel_id, "property": "pin_to_top", "value": True}
        ],
    )
    await call(
        ada,
        "PATCH /users/me/subscriptions/{stream_id}",
        {"stream_id": stage.channel_id},
        property="color",
        value="#76ce90",
    )
    place = {"user_id": ada.user_id, "stream_id": stage.channel_id}
    await call(ada, "GET /users/{user_id}/subscriptions/{stream_id}", place)
    await call(ada, "GET /users/{user_id}/channels", place)
    await call(ada, "GET /streams/{stream_id}/members", place)
    await call(alan, "DELETE /users/me/subscriptions", subscriptions=["lunch"])
    await call(alan, "PATCH /users/me/subscriptions", add=[{"name": "lunch"}])


async def tell_of_the_end(stage: Stage) -> None:
    """What is archived and deactivated at last."""
    call, ada = stage.recorder.call, stage.ada
    lunch = await call(ada, "GET /get_stream_id", stream="lunch")
    await call(ada, "DELETE /streams/{stream_id}", lunch)
    # These end the queues of their users.
    stage.recorder.listeners = ()
    await call(stage.alan, "POST /users/me/api_key/regenerate")
    listed = await call(stage.ada, "GET /users/me/api_keys")
    last = listed["api_keys"][-1]["id"]
    await call(stage.ada, "DELETE /users/me/api_keys/{key_id}", {"key_id": last})
    await call(stage.mina, "DELETE /users/me")
