"""Users, profiles, presence, statuses, bots and devices."""

from tests.examples.stage import PASSWORD, Stage


async def tell_of_people(stage: Stage) -> None:
    call, ada, alan = stage.recorder.call, stage.ada, stage.alan
    created = await call(
        ada, "POST /users", email="grace@example.com", password=PASSWORD, full_name="Grace"
    )
    grace = {"user_id_or_email": created["user_id"], "user_id": created["user_id"]}
    herself = {"user_id_or_email": ada.user_id, "user_id": ada.user_id}
    change = "PATCH /users/{user_id_or_email}"
    await call(ada, change, herself, full_name="Ada Lovelace")
    await call(ada, change, grace, full_name="Grace Hopper", role=300)
    await call(ada, "DELETE /users/{user_id_or_email}", grace)
    await call(ada, "POST /users/{user_id}/reactivate", grace)
    # Mina sees Grace as long as they share a channel.
    shared = {"principals": [created["user_id"]]}
    await call(ada, "POST /users/me/subscriptions", subscriptions=[{"name": "general"}], **shared)
    await call(ada, "DELETE /users/me/subscriptions", subscriptions=["general"], **shared)
    await call(alan, "GET /users")
    await call(alan, "POST /users/query", user_ids=[ada.user_id])
    await call(alan, "GET /users/me")
    await call(alan, "GET /users/{user_id_or_email}", herself)
    await call(alan, "POST /users/me/presence", status="active", new_user_input=True)
    stage.clock.advance(seconds=20)
    await call(ada, "POST /users/me/presence", status="active", last_update_id=-1)
    await call(ada, "GET /users/{user_id_or_email}/presence", {"user_id_or_email": alan.user_id})
    await call(ada, "GET /realm/presence")
    status = {"status_text": "on vacation", "emoji_name": "car"}
    await call(alan, "POST /users/me/status", **status)
    await call(ada, "POST /users/{user_id}/status", herself, status_text="back in the office")
    await call(ada, "GET /users/{user_id}/status", herself)
    await call(alan, "POST /users/me/muted_users/{muted_user_id}", {"muted_user_id": ada.user_id})
    await call(alan, "DELETE /users/me/muted_users/{muted_user_id}", {"muted_user_id": ada.user_id})


async def tell_of_profiles(stage: Stage) -> None:
    call, ada, alan = stage.recorder.call, stage.ada, stage.alan
    food = await call(
        ada, "POST /realm/profile_fields", field_type=1, name="Favourite food", hint="Or drink"
    )
    phone = await call(ada, "POST /realm/profile_fields", field_type=1, name="Phone")
    await call(ada, "PATCH /realm/profile_fields", order=[phone["id"], food["id"]])
    place = {"field_id": food["id"]}
    await call(
        ada, "PATCH /realm/profile_fields/{field_id}", place, display_in_profile_summary=True
    )
    await call(ada, "GET /realm/profile_fields")
    await call(
        alan, "PATCH /users/me/profile_data", data=[{"id": food["id"], "value": "*Apple* pie"}]
    )
    await call(alan, "DELETE /users/me/profile_data", data=[food["id"]])
    await call(ada, "DELETE /realm/profile_fields/{field_id}", {"field_id": phone["id"]})


async def tell_of_bots(stage: Stage) -> None:
    call, ada, alan = stage.recorder.call, stage.ada, stage.alan
    bot = await call(ada, "POST /bots", full_name="Weather", short_name="weather")
    place = {"bot_id": bot["user_id"]}
    await call(
        ada,
        "POST /bots",
        full_name="Translator",
        short_name="translator",
        bot_type=3,
        payload_url="https://example.com/hook",
    )
    await call(ada, "GET /bots")
    await call(ada, "PUT /bot_storage", storage={"city": "London", "unit": "celsius"})
    await call(ada, "GET /bot_storage")
    await call(ada, "POST /bot_storage/query")
    await call(ada, "DELETE /bot_storage", keys=["unit"])
    await call(ada, "GET /bots/{bot_id}/api_key", place)
    await call(ada, "POST /bots/{bot_id}/api_key/regenerate", place)
    await call(ada, "PATCH /bots/{bot_id}", place, bot_owner_id=alan.user_id)
    await call(ada, "PATCH /bots/{bot_id}", place, bot_owner_id=ada.user_id)
    await call(ada, "DELETE /bots/{bot_id}", place)


async def tell_of_devices(stage: Stage) -> None:
    call, ada = stage.recorder.call, stage.ada
    device = await call(ada, "POST /register_client_device")
    await call(
        ada, "POST /mobile_push/register", **device, push_key_id=7, push_key="a2V5IG9mIHRoZSBhcHA="
    )
    await call(ada, "POST /remove_client_device", **device)
    token = "c3a1f0d2b4"
    await call(ada, "POST /users/me/android_gcm_reg_id", token=token)
    await call(ada, "DELETE /users/me/android_gcm_reg_id", token=token)
    await call(ada, "POST /users/me/apns_device_token", token=token, appid="org.example.chat")
    await call(ada, "DELETE /users/me/apns_device_token", token=token)
    await call(ada, "POST /users/me/onboarding_steps", onboarding_step="intro_inbox_view_modal")
