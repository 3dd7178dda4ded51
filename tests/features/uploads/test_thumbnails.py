"""Thumbnails of uploaded images: in messages, by address, and as files."""

import asyncio
import io
from typing import Any

import pytest
from PIL import Image

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.features.uploads import find_next_image
from chatapi.jobs.orphaned_files import remove_orphaned_files
from chatapi.jobs.thumbnails import draw_next_thumbnail
from chatapi.jobs.unclaimed_uploads import remove_unclaimed_uploads
from tests.factories import Person
from tests.features.emoji.pictures import moving_picture, picture
from tests.features.messages.scheduled.scheduling import (
    deliver_due,
    schedule,
    scheduled_of,
    seconds_from_now,
    to_people,
)
from tests.features.realm.settings import change_realm
from tests.features.uploads.files import (
    delete_file,
    is_open_to,
    open_file,
    send_to_person,
    stored_files,
    upload,
)
from tests.features.uploads.pictures import (
    ANIMATED,
    REL,
    draw_all,
    html_of,
    loading,
    shown,
    stop_drawing,
    thumbnail_of,
    upload_picture,
)
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success
from tests.support.statements import recorded_statements
from tests.support.waiting import until, until_true


async def has_thumbnail(client: ApiClient, person: Person, url: str) -> bool:
    path = url.removeprefix("/user_uploads/")
    answer = assert_success(await client.get(f"/thumbnail/status/{path}", person))
    assert set(answer) == {"has_thumbnail"}
    return bool(answer["has_thumbnail"])


class TestInMessages:
    @pytest.mark.any_database
    async def test_picture_is_loading_until_it_is_drawn(
        self, client: ApiClient, runtime: Runtime, owner: Person, member: Person
    ) -> None:
        stop_drawing(runtime)
        url = await upload_picture(client, member)
        listener = await listen(client, owner, event_types=["update_message"], apply_markdown=True)
        message = await send_to_person(client, member, owner, f"A [cat]({url})")
        link = f'<p>A <a href="{url}" {REL}>cat</a></p>\n'
        assert await html_of(client, owner, message) == link + loading(url)
        assert await listener.new_events() == []
        await draw_all(runtime)
        assert await html_of(client, owner, message) == link + shown(url)
        [event] = await listener.new_events()
        assert (event["rendering_only"], event["user_id"]) == (True, None)
        assert (event["message_id"], event["message_ids"]) == (message, [message])
        assert event["rendered_content"] == link + shown(url)
        assert event["content"] == f"A [cat]({url})"
        assert event["flags"] == []
        assert "orig_content" not in event

    async def test_picture_that_is_drawn_already_is_shown_at_once(
        self, client: ApiClient, runtime: Runtime, owner: Person, member: Person
    ) -> None:
        stop_drawing(runtime)
        url = await upload_picture(client, member)
        await draw_all(runtime)
        message = await send_to_person(client, member, owner, f"[cat]({url})")
        assert shown(url) in await html_of(client, owner, message)

    @pytest.mark.any_database
    async def test_mentions_stay_mentions_in_the_event(
        self, client: ApiClient, runtime: Runtime, owner: Person, member: Person
    ) -> None:
        stop_drawing(runtime)
        url = await upload_picture(client, member)
        listener = await listen(client, owner, event_types=["update_message"])
        await send_to_person(client, member, owner, f"@**|{owner.user_id}** [cat]({url})")
        await draw_all(runtime)
        [event] = await listener.new_events()
        assert event["flags"] == ["mentioned"]

    @pytest.mark.any_database
    async def test_image_syntax_becomes_the_image(
        self, client: ApiClient, runtime: Runtime, owner: Person, member: Person
    ) -> None:
        stop_drawing(runtime)
        url = await upload_picture(client, member)
        message = await send_to_person(client, member, owner, f"see ![a cat]({url})!")
        html = await html_of(client, owner, message)
        assert 'class="inline-image image-loading-placeholder"' in html
        await draw_all(runtime)
        html = await html_of(client, owner, message)
        assert 'class="inline-image"' in html
        assert 'alt="a cat"' in html
        assert f'data-original-src="{url}"' in html
        assert f'src="{thumbnail_of(url)}"' in html

    @pytest.mark.any_database
    async def test_animated_picture_has_an_animated_thumbnail(
        self, client: ApiClient, runtime: Runtime, owner: Person, member: Person
    ) -> None:
        stop_drawing(runtime)
        url = await upload_picture(client, member, moving_picture(), "cat.gif")
        await draw_all(runtime)
        message = await send_to_person(client, member, owner, f"[cat]({url})")
        html = await html_of(client, owner, message)
        assert 'data-animated="true"' in html
        assert f'src="{thumbnail_of(url, ANIMATED)}"' in html
        opened = await open_file(client, owner, thumbnail_of(url, ANIMATED))
        with Image.open(io.BytesIO(opened.content)) as image:
            assert getattr(image, "n_frames", 1) == 3

    async def test_picture_that_cannot_be_drawn_stays_a_link(
        self, client: ApiClient, runtime: Runtime, owner: Person, member: Person
    ) -> None:
        stop_drawing(runtime)
        broken = picture(size=(300, 300))[:90]
        url = await upload_picture(client, member, broken)
        listener = await listen(client, owner, event_types=["update_message"])
        message = await send_to_person(client, member, owner, f"[cat]({url}) ![dog]({url})")
        await draw_all(runtime)
        html = await html_of(client, owner, message)
        assert html == f'<p><a href="{url}" {REL}>cat</a> <a href="{url}" {REL}>dog</a></p>'
        [event] = await listener.new_events()
        assert event["rendered_content"] == html
        assert not await has_thumbnail(client, member, url)

    @pytest.mark.any_database
    async def test_edited_message_shows_its_picture(
        self, client: ApiClient, runtime: Runtime, owner: Person, member: Person
    ) -> None:
        stop_drawing(runtime)
        message = await send_to_person(client, member, owner, "nothing")
        url = await upload_picture(client, member)
        path = f"/messages/{message}"
        assert_success(await client.patch(path, member, content=f"[cat]({url})"))
        assert loading(url) in await html_of(client, owner, message)
        assert_success(await client.patch(path, member, content=f"[a cat]({url})"))
        await draw_all(runtime)
        assert shown(url) in await html_of(client, owner, message)

    @pytest.mark.any_database
    async def test_sender_who_may_not_open_the_file_shows_no_picture(
        self, client: ApiClient, runtime: Runtime, owner: Person, member: Person, guest: Person
    ) -> None:
        stop_drawing(runtime)
        url = await upload_picture(client, member)
        await draw_all(runtime)
        message = await send_to_person(client, guest, owner, f"[cat]({url}) ![cat]({url})")
        assert "<img" not in await html_of(client, owner, message)

    @pytest.mark.any_database
    async def test_reader_of_a_message_shows_the_picture_to_others(
        self, client: ApiClient, runtime: Runtime, owner: Person, member: Person, guest: Person
    ) -> None:
        stop_drawing(runtime)
        url = await upload_picture(client, member)
        await draw_all(runtime)
        await send_to_person(client, member, owner, f"[cat]({url})")
        message = await send_to_person(client, owner, guest, f"[cat]({url})")
        assert shown(url) in await html_of(client, guest, message)

    @pytest.mark.any_database
    async def test_organization_without_previews_shows_links(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        await change_realm(client, owner, inline_image_preview=False)
        url = await upload_picture(client, member)
        message = await send_to_person(client, member, owner, f"[cat]({url})")
        assert "<img" not in await html_of(client, owner, message)

    @pytest.mark.any_database
    async def test_other_files_and_addresses_stay_links(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        text = await upload(client, member, "cat.png", b"no image", "image/png")
        elsewhere = "https://example.com/user_uploads/1/aa/token/cat.png"
        content = f"[cat]({text}) [dog]({elsewhere}) ![bird](https://example.com/bird.png)"
        message = await send_to_person(client, member, owner, content)
        assert "<img" not in await html_of(client, owner, message)


async def newest_message(client: ApiClient, reader: Person) -> dict[str, Any]:
    page = {"anchor": "newest", "num_before": 1, "num_after": 0}
    [message] = assert_success(await client.get("/messages", reader, **page))["messages"]
    found: dict[str, Any] = message
    return found


class TestTextsThatNothingUpdates:
    """Earlier versions and scheduled messages show a link where a thumbnail was not drawn yet."""

    async def test_earlier_version_shows_no_placeholder(
        self, client: ApiClient, runtime: Runtime, owner: Person, member: Person
    ) -> None:
        stop_drawing(runtime)
        url = await upload_picture(client, member)
        message = await send_to_person(client, member, owner, f"[cat]({url})")
        changes = await listen(client, owner, event_types=["update_message"], apply_markdown=True)
        for text in (f"[a cat]({url})", "no cat"):
            assert_success(await client.patch(f"/messages/{message}", member, content=text))
        await draw_all(runtime)
        history = assert_success(await client.get(f"/messages/{message}/history", owner))
        link = f'<p><a href="{url}" {REL}>cat</a></p>'
        versions = history["message_history"]
        assert versions[0]["rendered_content"] == versions[1]["prev_rendered_content"] == link
        page = {"anchor": "newest", "num_before": 1, "num_after": 0}
        shown = assert_success(await client.get("/messages", owner, **page))["messages"]
        for answer in (versions, shown):
            assert "image-loading-placeholder" not in str(answer)
        first, *_ = await changes.new_events()
        assert first["orig_rendered_content"] == link

    async def test_earlier_version_keeps_a_picture_that_was_drawn(
        self, client: ApiClient, runtime: Runtime, owner: Person, member: Person
    ) -> None:
        stop_drawing(runtime)
        url = await upload_picture(client, member)
        message = await send_to_person(client, member, owner, f"[cat]({url})")
        await draw_all(runtime)
        assert_success(await client.patch(f"/messages/{message}", member, content="no cat"))
        history = assert_success(await client.get(f"/messages/{message}/history", owner))
        assert shown(url) in history["message_history"][0]["rendered_content"]

    @pytest.mark.any_database
    async def test_scheduled_message_shows_no_placeholder_and_its_delivery_the_picture(
        self,
        client: ApiClient,
        runtime: Runtime,
        owner: Person,
        member: Person,
        clock: MovableClock,
    ) -> None:
        stop_drawing(runtime)
        runtime.deliveries.close()
        url = await upload_picture(client, member)
        link = f'<p><a href="{url}" {REL}>cat</a></p>'
        listener = await listen(client, member, event_types=["scheduled_messages"])
        at = seconds_from_now(clock, 3600)
        place = to_people(owner)
        scheduled_id = await schedule(client, member, place, at, content=f"[cat]({url})")
        [added] = await listener.new_events()
        assert added["scheduled_messages"][0]["rendered_content"] == link
        [scheduled] = await scheduled_of(client, member)
        assert scheduled["rendered_content"] == link
        change = {"content": f"See [cat]({url})"}
        assert_success(await client.patch(f"/scheduled_messages/{scheduled_id}", member, **change))
        [changed] = await listener.new_events()
        assert "image-loading-placeholder" not in str(changed)
        await draw_all(runtime)
        clock.advance(seconds=3600)
        await deliver_due(runtime)
        message = await newest_message(client, owner)
        assert shown(url) in message["content"]

    @pytest.mark.any_database
    async def test_message_delivered_before_the_drawing_is_updated_after_it(
        self,
        client: ApiClient,
        runtime: Runtime,
        owner: Person,
        member: Person,
        clock: MovableClock,
    ) -> None:
        stop_drawing(runtime)
        runtime.deliveries.close()
        url = await upload_picture(client, member)
        at = seconds_from_now(clock, 3600)
        await schedule(client, member, to_people(owner), at, content=f"[cat]({url})")
        clock.advance(seconds=3600)
        await deliver_due(runtime)
        message = await newest_message(client, owner)
        assert loading(url) in message["content"]
        await draw_all(runtime)
        assert shown(url) in await html_of(client, owner, message["id"])

    @pytest.mark.any_database
    async def test_draft_has_no_html(self, client: ApiClient, member: Person) -> None:
        url = await upload_picture(client, member)
        draft = {"type": "", "to": [], "topic": "", "content": f"[cat]({url})"}
        assert_success(await client.post("/drafts", member, drafts=[draft]))
        [kept] = assert_success(await client.get("/drafts", member))["drafts"]
        assert kept["content"] == f"[cat]({url})"
        assert "rendered_content" not in kept


class TestCost:
    async def test_messages_without_uploads_cost_no_statement(
        self, client: ApiClient, runtime: Runtime, owner: Person, member: Person
    ) -> None:
        with recorded_statements(runtime.database, "attachment_image") as statements:
            await send_to_person(client, member, owner, "Hello")
            await send_to_person(client, member, owner, "![cat](https://example.com/cat.png) :cat:")
        assert statements == []

    async def test_reading_messages_with_pictures_costs_no_statement(
        self, client: ApiClient, runtime: Runtime, owner: Person, member: Person
    ) -> None:
        stop_drawing(runtime)
        url = await upload_picture(client, member)
        await draw_all(runtime)
        await send_to_person(client, member, owner, f"[cat]({url})")
        page = {"anchor": "newest", "num_before": 10, "num_after": 0}
        with recorded_statements(runtime.database, "attachment_image") as statements:
            response = assert_success(await client.get("/messages", owner, **page))
        assert shown(url) in response["messages"][-1]["content"]
        assert statements == []


class TestJob:
    @pytest.mark.any_database
    async def test_runs_in_the_server(self, client: ApiClient, member: Person) -> None:
        url = await upload_picture(client, member)
        await until_true(lambda: has_thumbnail(client, member, url))

    async def test_two_processes_draw_an_image_once(
        self, client: ApiClient, runtime: Runtime, member: Person
    ) -> None:
        stop_drawing(runtime)
        url = await upload_picture(client, member)
        done = await asyncio.gather(draw_next_thumbnail(runtime), draw_next_thumbnail(runtime))
        assert sorted(done) == [False, True]
        assert await has_thumbnail(client, member, url)

    async def test_image_of_a_process_that_died_is_drawn_by_another(
        self, client: ApiClient, runtime: Runtime, member: Person, clock: MovableClock
    ) -> None:
        stop_drawing(runtime)
        url = await upload_picture(client, member)
        drawing = asyncio.create_task(draw_next_thumbnail(runtime))
        await until_true(lambda: _is_taken(runtime))
        drawing.cancel()
        await asyncio.gather(drawing, return_exceptions=True)
        assert not await draw_next_thumbnail(runtime)
        clock.advance(minutes=3)
        assert await draw_next_thumbnail(runtime)
        assert await has_thumbnail(client, member, url)

    @pytest.mark.any_database
    async def test_image_deleted_before_it_is_drawn_leaves_nothing(
        self, client: ApiClient, runtime: Runtime, member: Person
    ) -> None:
        stop_drawing(runtime)
        await upload_picture(client, member)
        await delete_file(client, member)
        assert not await draw_next_thumbnail(runtime)


async def _is_taken(runtime: Runtime) -> bool:
    async with runtime.reading() as db:
        due_at = await find_next_image(db)
    return due_at is not None and due_at > runtime.clock.now()


@pytest.mark.any_database
class TestAccess:
    async def test_thumbnail_is_open_to_readers_of_the_file_only(
        self, client: ApiClient, runtime: Runtime, owner: Person, member: Person, guest: Person
    ) -> None:
        stop_drawing(runtime)
        url = await upload_picture(client, member)
        await draw_all(runtime)
        thumbnail = thumbnail_of(url)
        assert await is_open_to(client, member, thumbnail)
        for person in (owner, guest, None):
            assert not await is_open_to(client, person, thumbnail)
        await send_to_person(client, member, owner, f"[cat]({url})")
        assert await is_open_to(client, owner, thumbnail)
        assert not await is_open_to(client, guest, thumbnail)

    async def test_content_is_a_small_webp_that_no_cache_shares(
        self, client: ApiClient, runtime: Runtime, member: Person
    ) -> None:
        stop_drawing(runtime)
        url = await upload_picture(client, member, picture(size=(2000, 500)))
        await draw_all(runtime)
        opened = await open_file(client, member, thumbnail_of(url))
        assert opened.headers["content-type"] == "image/webp"
        assert opened.headers["cache-control"] == "no-store, private"
        with Image.open(io.BytesIO(opened.content)) as image:
            assert (image.format, image.size) == ("WEBP", (840, 210))

    @pytest.mark.parametrize("name", [ANIMATED, "1x1.webp", "840x560.png"])
    async def test_other_formats_are_not_found(
        self, client: ApiClient, runtime: Runtime, member: Person, name: str
    ) -> None:
        stop_drawing(runtime)
        url = await upload_picture(client, member)
        await draw_all(runtime)
        assert not await is_open_to(client, member, thumbnail_of(url, name))

    async def test_status_of_hidden_file_is_not_found(
        self, client: ApiClient, realm: RealmRecord, member: Person, guest: Person
    ) -> None:
        path = (await upload_picture(client, member)).removeprefix("/user_uploads/")
        assert_error(await client.get(f"/thumbnail/status/{path}", guest), "NOT_FOUND", 404)
        assert_error(await client.get(f"/thumbnail/status/{path}"), "UNAUTHORIZED", 401)


@pytest.mark.any_database
class TestFiles:
    async def test_deleted_file_takes_its_thumbnails_along(
        self, client: ApiClient, runtime: Runtime, member: Person
    ) -> None:
        stop_drawing(runtime)
        await upload_picture(client, member, moving_picture())
        await draw_all(runtime)
        assert len(stored_files(runtime)) == 3
        await delete_file(client, member)
        await until(lambda: not stored_files(runtime))

    async def test_unclaimed_file_takes_its_thumbnails_along(
        self, client: ApiClient, runtime: Runtime, member: Person, clock: MovableClock
    ) -> None:
        stop_drawing(runtime)
        await upload_picture(client, member)
        await draw_all(runtime)
        clock.advance(days=8)
        await remove_unclaimed_uploads(runtime)
        await until(lambda: not stored_files(runtime))

    async def test_orphan_job_keeps_thumbnails_of_files(
        self, client: ApiClient, runtime: Runtime, member: Person, clock: MovableClock
    ) -> None:
        stop_drawing(runtime)
        url = await upload_picture(client, member)
        await draw_all(runtime)
        clock.advance(days=3)
        await remove_orphaned_files(runtime)
        assert await is_open_to(client, member, thumbnail_of(url))


@pytest.mark.any_database
async def test_formats_are_in_the_state(client: ApiClient, member: Person) -> None:
    state = (await listen(client, member, fetch_event_types=["realm"])).state
    assert state["server_inline_image_preview"] is True
    assert [each["name"] for each in state["server_thumbnail_formats"]] == [
        "840x560.webp",
        "840x560-anim.webp",
    ]
    assert state["server_thumbnail_formats"][0] == {
        "name": "840x560.webp",
        "max_width": 840,
        "max_height": 560,
        "format": "webp",
        "animated": False,
    }


@pytest.mark.any_database
async def test_placeholder_is_served(client: ApiClient, realm: RealmRecord) -> None:
    response = await client.http.get("/docs/assets/loader.svg")
    assert (response.status_code, response.headers["content-type"]) == (200, "image/svg+xml")
