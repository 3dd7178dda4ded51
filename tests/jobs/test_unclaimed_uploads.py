"""Files that no message links are deleted after a while."""

from chatapi.auth.runtime import Runtime
from chatapi.core.settings import Settings
from chatapi.jobs.unclaimed_uploads import remove_unclaimed_uploads
from tests.factories import Person
from tests.features.uploads.files import attachments_of, is_open_to, send_to_person, upload
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import listen
from tests.support.waiting import until


async def test_removes_files_that_no_message_links(
    client: ApiClient, runtime: Runtime, settings: Settings, clock: MovableClock, member: Person
) -> None:
    old, linked = await upload(client, member), await upload(client, member, content=b"linked")
    await send_to_person(client, member, member, f"[file]({linked})")
    clock.advance(days=settings.unclaimed_upload_days, seconds=1)
    new = await upload(client, member, content=b"new")
    listener = await listen(client, member, event_types=["attachment"])
    await remove_unclaimed_uploads(runtime)
    await remove_unclaimed_uploads(runtime)
    [event] = await listener.new_events()
    space_used = len(b"linked") + len(b"new")
    assert (event["op"], event["upload_space_used"]) == ("remove", space_used)
    assert not await is_open_to(client, member, old)
    assert await is_open_to(client, member, linked)
    assert await is_open_to(client, member, new)
    left = await attachments_of(client, member)
    assert (len(left["attachments"]), left["upload_space_used"]) == (2, space_used)
    folder = settings.data_dir / "uploads"
    await until(lambda: len([path for path in folder.rglob("*") if path.is_file()]) == 2)
