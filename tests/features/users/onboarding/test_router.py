"""POST /users/me/onboarding_steps."""

import pytest

from chatapi.auth.realm_cache import RealmRecord
from tests.factories import Person
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success

PATH = "/users/me/onboarding_steps"
STEP = "intro_inbox_view_modal"


@pytest.mark.any_database
async def test_anonymous(client: ApiClient, realm: RealmRecord) -> None:
    del realm
    assert_error(await client.post(PATH, onboarding_step=STEP), "UNAUTHORIZED", 401)


async def test_seen_step_is_shown_no_more(client: ApiClient, member: Person, guest: Person) -> None:
    listener = await listen(client, member, event_types=["onboarding_steps"])
    before = listener.state["onboarding_steps"]
    assert {"type": "one_time_notice", "name": STEP} in before
    assert listener.state["navigation_tour_video_url"] is None
    for _ in range(2):
        assert_success(await client.post(PATH, member, onboarding_step=STEP))
    [event] = await listener.new_events()
    left = [step for step in before if step["name"] != STEP]
    assert event["onboarding_steps"] == left
    assert (await listen(client, member)).state["onboarding_steps"] == left
    assert (await listen(client, guest)).state["onboarding_steps"] == before


@pytest.mark.any_database
async def test_step_that_is_never_shown_is_accepted(client: ApiClient, member: Person) -> None:
    listener = await listen(client, member, event_types=["onboarding_steps"])
    assert_success(await client.post(PATH, member, onboarding_step="navigation_tour_video"))
    assert await listener.new_events() == []
    assert (await listen(client, member)).state["onboarding_steps"] == listener.state[
        "onboarding_steps"
    ]


@pytest.mark.any_database
async def test_unknown_step_is_refused(client: ApiClient, member: Person) -> None:
    refused = await client.post(PATH, member, onboarding_step="nothing")
    assert assert_error(refused) == "Unknown onboarding_step: nothing"
    assert_error(await client.post(PATH, member))
