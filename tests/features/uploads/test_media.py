"""Videos and sound in messages."""

import pytest

from chatapi.auth.runtime import Runtime
from tests.factories import Person
from tests.features.realm.settings import change_realm
from tests.features.uploads.files import open_file, send_to_person, upload
from tests.features.uploads.pictures import REL, html_of
from tests.support.client import ApiClient
from tests.support.statements import recorded_statements

CONTENT = b"the bytes of a recording"


def video(url: str, name: str) -> str:
    return (
        '<div class="message_inline_image message_inline_video">'
        f'<a href="{url}" title="{name}" {REL}>'
        f'<video preload="metadata" src="{url}"></video></a></div>'
    )


def sound(url: str, title: str) -> str:
    return f'<audio controls="" preload="metadata" src="{url}" title="{title}"></audio>'


@pytest.mark.any_database
async def test_linked_video_has_a_player_after_the_paragraph(
    client: ApiClient, owner: Person, member: Person
) -> None:
    url = await upload(client, member, "a cat.mp4", CONTENT, "video/mp4")
    message = await send_to_person(client, member, owner, f"A [cat]({url})")
    html = await html_of(client, owner, message)
    assert html == f'<p>A <a href="{url}" {REL}>cat</a></p>\n{video(url, "a cat.mp4")}'
    assert (await open_file(client, owner, url)).content == CONTENT


@pytest.mark.any_database
async def test_sound_written_as_an_image_is_a_player(
    client: ApiClient, owner: Person, member: Person
) -> None:
    url = await upload(client, member, "meow.mp3", CONTENT, "audio/mpeg")
    message = await send_to_person(client, member, owner, f"![Meow!]({url}) [file]({url})")
    html = await html_of(client, owner, message)
    assert html == f'<p>{sound(url, "Meow!")} <a href="{url}" {REL}>file</a></p>'
    assert (await open_file(client, owner, url)).content == CONTENT


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("name", "content_type"),
    [
        ("a.webm", "video/webm; codecs=vp9"),
        ("a.mp4", "VIDEO/MP4"),
        ("a.MP4", "application/octet-stream"),
        ("a.webm", ""),
    ],
)
async def test_videos_are_known_by_their_type(
    client: ApiClient, owner: Person, member: Person, name: str, content_type: str
) -> None:
    url = await upload(client, member, name, CONTENT, content_type)
    message = await send_to_person(client, member, owner, f"[cat]({url})")
    assert video(url, name) in await html_of(client, owner, message)
    headers = (await open_file(client, owner, url)).headers
    assert headers["content-type"] == f"video/{name.rpartition('.')[2].lower()}"
    assert headers["content-disposition"].startswith("inline;")


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("name", "content_type", "played_as"),
    [
        ("a.ogg", "audio/ogg", "audio/ogg"),
        ("a.wav", "audio/x-wav", "audio/wav"),
        ("a.m4a", "audio/x-m4a", "audio/mp4"),
        ("a.mp3", "application/octet-stream", "audio/mpeg"),
        ("a.flac", "audio/flac", "audio/flac"),
    ],
)
async def test_sound_is_known_by_its_type(
    client: ApiClient,
    owner: Person,
    member: Person,
    name: str,
    content_type: str,
    played_as: str,
) -> None:
    url = await upload(client, member, name, CONTENT, content_type)
    message = await send_to_person(client, member, owner, f"![]({url})")
    assert sound(url, name) in await html_of(client, owner, message)
    headers = (await open_file(client, owner, url)).headers
    assert headers["content-type"] == played_as


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("name", "content_type"),
    [
        ("a.mp4", "text/html"),
        ("a.mp4", "image/svg+xml"),
        ("a.mov", "video/quicktime"),
        ("a.mov", "application/octet-stream"),
        ("a.html", "application/octet-stream"),
        ("a.mid", "audio/midi"),
        ("a.pdf", "application/pdf"),
        ("mp4", "text/plain"),
    ],
)
async def test_files_of_other_types_stay_links(
    client: ApiClient, owner: Person, member: Person, name: str, content_type: str
) -> None:
    url = await upload(client, member, name, CONTENT, content_type)
    message = await send_to_person(client, member, owner, f"[a]({url}) ![b]({url})")
    html = await html_of(client, owner, message)
    assert html == f'<p><a href="{url}" {REL}>a</a> <a href="{url}" {REL}>b</a></p>'


@pytest.mark.any_database
async def test_sender_who_may_not_open_the_file_shows_no_player(
    client: ApiClient, owner: Person, member: Person, guest: Person
) -> None:
    url = await upload(client, member, "cat.mp4", CONTENT, "video/mp4")
    message = await send_to_person(client, guest, owner, f"[cat]({url})")
    assert "<video" not in await html_of(client, owner, message)


@pytest.mark.any_database
async def test_organization_without_previews_shows_links(
    client: ApiClient, owner: Person, member: Person
) -> None:
    await change_realm(client, owner, inline_image_preview=False)
    film = await upload(client, member, "cat.mp4", CONTENT, "video/mp4")
    song = await upload(client, member, "meow.mp3", CONTENT, "audio/mpeg")
    message = await send_to_person(client, member, owner, f"[cat]({film}) ![meow]({song})")
    html = await html_of(client, owner, message)
    assert "<video" not in html
    assert "<audio" not in html


async def test_media_of_a_message_are_looked_up_by_one_statement(
    client: ApiClient, runtime: Runtime, owner: Person, member: Person
) -> None:
    film = await upload(client, member, "cat.mp4", CONTENT, "video/mp4")
    song = await upload(client, member, "meow.mp3", CONTENT, "audio/mpeg")
    with recorded_statements(runtime.database, "attachment_image") as statements:
        await send_to_person(client, member, owner, f"[cat]({film}) ![meow]({song})")
    assert len(statements) == 1
