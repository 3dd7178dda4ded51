"""Placeholders of pictures end in every order of steps: drawn, given up, deleted or interrupted."""

import asyncio

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.realm_sessions import realm_transaction
from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.features.messages.attachments.service import delete_attachment
from chatapi.features.uploads import draw_thumbnails, take_image
from chatapi.features.uploads.repository import AttachmentRepository
from chatapi.jobs.expired_messages import delete_expired_messages
from chatapi.jobs.thumbnails import draw_next_thumbnail
from chatapi.jobs.unclaimed_uploads import remove_unclaimed_uploads
from tests.factories import MakeChannel, Person
from tests.features.realm.settings import change_realm
from tests.features.uploads.files import (
    attachments_of,
    delete_file,
    is_open_to,
    send_to_channel,
    send_to_person,
    stored_files,
)
from tests.features.uploads.pictures import (
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
from tests.support.responses import assert_success
from tests.support.statements import interrupted_statement
from tests.support.waiting import until

LOOKUP = "LEFT OUTER JOIN attachment_image"
"""Of the statement that finds the pictures of a text, before it is rendered."""
ACCESS = "JOIN attachment_message ON attachment_message.message_id = message.id"
"""Of the statement that finds the messages by which the sender may open a picture."""


class KilledError(Exception):
    """In place of the end of the process."""


def link_to(url: str, text: str = "cat") -> str:
    return f'<p><a href="{url}" {REL}>{text}</a></p>'


@pytest.fixture
async def general(make_channel: MakeChannel, owner: Person) -> ChannelRecord:
    return await make_channel("general", subscribers=[owner])


@pytest.fixture
async def url(client: ApiClient, runtime: Runtime, member: Person) -> str:
    """The address of a picture of the member, which is drawn only when a test says so."""
    stop_drawing(runtime)
    return await upload_picture(client, member)


class TestWhatHappensBetweenRenderingAndWriting:
    async def test_picture_that_is_drawn_then_is_shown(
        self, client: ApiClient, runtime: Runtime, owner: Person, member: Person, url: str
    ) -> None:
        with interrupted_statement(
            runtime.database, LOOKUP, lambda: draw_all(runtime), moment="after"
        ):
            message = await send_to_person(client, member, owner, f"[cat]({url})")
        assert loading(url) in await html_of(client, owner, message)
        await draw_all(runtime)
        assert shown(url) in await html_of(client, owner, message)

    @pytest.mark.any_database
    async def test_file_that_is_deleted_then_is_a_link_in_the_new_message(
        self, client: ApiClient, runtime: Runtime, owner: Person, member: Person, url: str
    ) -> None:
        listener = await listen(client, owner, event_types=["message"], apply_markdown=True)
        with interrupted_statement(
            runtime.database, LOOKUP, lambda: delete_file(client, member), moment="after"
        ):
            message = await send_to_person(client, member, owner, f"[cat]({url})")
        assert await html_of(client, owner, message) == link_to(url)
        [event] = await listener.new_events()
        assert event["message"]["content"] == link_to(url)

    @pytest.mark.any_database
    async def test_file_that_is_deleted_then_is_a_link_in_the_edited_message(
        self, client: ApiClient, runtime: Runtime, owner: Person, member: Person, url: str
    ) -> None:
        message = await send_to_person(client, member, owner, "nothing")
        listener = await listen(client, owner, event_types=["update_message"], apply_markdown=True)
        with interrupted_statement(
            runtime.database, LOOKUP, lambda: delete_file(client, member), moment="after"
        ):
            change = {"content": f"[cat]({url})"}
            assert_success(await client.patch(f"/messages/{message}", member, **change))
        assert await html_of(client, owner, message) == link_to(url)
        [event] = await listener.new_events()
        assert event["rendered_content"] == link_to(url)

    @pytest.mark.any_database
    async def test_other_pictures_of_the_message_stay_until_they_are_drawn(
        self, client: ApiClient, runtime: Runtime, owner: Person, member: Person, url: str
    ) -> None:
        [attachment] = (await attachments_of(client, member))["attachments"]
        kept = await upload_picture(client, member)

        async def delete_first() -> None:
            assert_success(await client.delete(f"/attachments/{attachment['id']}", member))

        with interrupted_statement(runtime.database, LOOKUP, delete_first, moment="after"):
            content = f"![cat]({url})\n\n[dog]({kept})"
            message = await send_to_person(client, member, owner, content)
        dog = f"{link_to(url)}\n{link_to(kept, 'dog')}\n"
        assert await html_of(client, owner, message) == dog + loading(kept)
        await draw_all(runtime)
        assert await html_of(client, owner, message) == dog + shown(kept)

    @pytest.mark.any_database
    async def test_sender_who_loses_access_then_shows_a_link(
        self,
        client: ApiClient,
        runtime: Runtime,
        owner: Person,
        member: Person,
        guest: Person,
        url: str,
    ) -> None:
        opens = await send_to_person(client, member, owner, f"[cat]({url})")

        async def delete_message() -> None:
            assert_success(await client.delete(f"/messages/{opens}", owner))

        with interrupted_statement(runtime.database, ACCESS, delete_message, moment="after"):
            message = await send_to_person(client, owner, guest, f"[cat]({url})")
        assert await html_of(client, guest, message) == link_to(url)


class TestKilledProcess:
    async def test_picture_that_was_drawn_and_not_shown_is_shown_by_another_process(
        self,
        client: ApiClient,
        runtime: Runtime,
        owner: Person,
        member: Person,
        clock: MovableClock,
        url: str,
    ) -> None:
        message = await send_to_person(client, member, owner, f"[cat]({url})")

        async def die() -> None:
            raise KilledError

        with (
            interrupted_statement(runtime.database, "SET is_pending", die, moment="after"),
            pytest.raises(KilledError),
        ):
            await draw_next_thumbnail(runtime)
        assert loading(url) in await html_of(client, owner, message)
        clock.advance(minutes=3)
        await draw_all(runtime)
        assert shown(url) in await html_of(client, owner, message)

    async def test_process_that_gives_up_late_leaves_what_another_has_drawn(
        self, client: ApiClient, runtime: Runtime, member: Person, clock: MovableClock, url: str
    ) -> None:
        taken = []
        for _ in range(4):
            pending = await take_image(runtime)
            assert pending is not None
            taken.append(pending)
            clock.advance(minutes=3)
        slow, last = taken[2:]
        await draw_thumbnails(runtime, slow)
        await draw_thumbnails(runtime, last)
        assert await is_open_to(client, member, thumbnail_of(url))


class TestDeletedWhilePending:
    async def test_messages_show_a_link_and_the_job_has_nothing_to_do(
        self, client: ApiClient, runtime: Runtime, owner: Person, member: Person, url: str
    ) -> None:
        block = await send_to_person(client, member, owner, f"[cat]({url})")
        inline = await send_to_person(client, owner, member, f"![cat]({url})")
        listener = await listen(client, owner, event_types=["update_message"], apply_markdown=True)
        await delete_file(client, member)
        for message in (block, inline):
            assert await html_of(client, owner, message) == link_to(url)
        events = await listener.new_events()
        assert [event["message_id"] for event in events] == [block, inline]
        assert {event["rendered_content"] for event in events} == {link_to(url)}
        assert all(event["rendering_only"] for event in events)
        assert not await draw_next_thumbnail(runtime)

    async def test_message_with_a_drawn_picture_is_not_updated(
        self, client: ApiClient, runtime: Runtime, owner: Person, member: Person, url: str
    ) -> None:
        message = await send_to_person(client, member, owner, f"[cat]({url})")
        await draw_all(runtime)
        listener = await listen(client, owner, event_types=["update_message"])
        await delete_file(client, member)
        assert shown(url) in await html_of(client, owner, message)
        assert await listener.new_events() == []

    async def test_file_deleted_before_its_thumbnails_are_committed_leaves_none(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        owner: Person,
        member: Person,
        url: str,
    ) -> None:
        message = await send_to_person(client, member, owner, f"[cat]({url})")
        pending = await take_image(runtime)
        assert pending is not None
        async with realm_transaction(runtime, realm.id) as ctx:
            drawing = asyncio.create_task(draw_thumbnails(runtime, pending))
            # It has stored the thumbnail and waits for the lock, which is held here.
            await until(lambda: len(stored_files(runtime)) == 2)
            file = await AttachmentRepository(ctx.db, realm.id).find(pending.attachment_id)
            assert file is not None
            await delete_attachment(ctx, file)
        await drawing
        await until(lambda: not stored_files(runtime))
        assert await html_of(client, owner, message) == link_to(url)
        assert not await draw_next_thumbnail(runtime)


class TestMessageDeletedWhilePending:
    async def test_deleted_message_ends_the_work_and_leaves_no_file(
        self,
        client: ApiClient,
        runtime: Runtime,
        owner: Person,
        member: Person,
        clock: MovableClock,
        url: str,
    ) -> None:
        message = await send_to_person(client, member, owner, f"[cat]({url})")
        assert_success(await client.delete(f"/messages/{message}", owner))
        await self.assert_everything_ends(runtime, clock)

    async def test_expired_message_ends_the_work_and_leaves_no_file(
        self,
        client: ApiClient,
        runtime: Runtime,
        owner: Person,
        member: Person,
        clock: MovableClock,
        url: str,
    ) -> None:
        await change_realm(client, owner, message_retention_days=1)
        await send_to_person(client, member, owner, f"[cat]({url})")
        clock.advance(days=2)
        await delete_expired_messages(runtime)
        await self.assert_everything_ends(runtime, clock)

    @staticmethod
    async def assert_everything_ends(runtime: Runtime, clock: MovableClock) -> None:
        assert await draw_next_thumbnail(runtime)
        assert not await draw_next_thumbnail(runtime)
        assert len(stored_files(runtime)) == 2
        clock.advance(days=8)
        await remove_unclaimed_uploads(runtime)
        await until(lambda: not stored_files(runtime))


@pytest.mark.any_database
async def test_picture_in_an_archived_channel_is_shown_when_it_is_drawn(
    client: ApiClient, runtime: Runtime, general: ChannelRecord, owner: Person
) -> None:
    stop_drawing(runtime)
    url = await upload_picture(client, owner)
    message = await send_to_channel(client, owner, general.name, f"[cat]({url})")
    assert_success(await client.delete(f"/streams/{general.id}", owner))
    await draw_all(runtime)
    assert shown(url) in await html_of(client, owner, message)
