"""Uploads with an S3-compatible store behind them."""

from collections.abc import AsyncIterator
from urllib.parse import quote

import pytest

from chatapi.auth.runtime import Runtime
from chatapi.core.settings import Settings
from tests.factories import Person
from tests.features.uploads.files import HELLO, attachments_of, is_open_to, open_file, upload
from tests.features.uploads.pictures import (
    draw_all,
    stop_drawing,
    thumbnail_of,
    upload_picture,
)
from tests.features.users.avatars.pictures import opened, upload_avatar
from tests.support.bucket_server import BucketServer
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.live_server import live_server
from tests.support.responses import assert_error, assert_success
from tests.support.waiting import until


@pytest.fixture
async def bucket(clock: MovableClock) -> AsyncIterator[tuple[BucketServer, str]]:
    bucket = BucketServer(now=clock.now())
    async with live_server(bucket) as address:
        keys = f"{quote(bucket.access_key, safe='')}:{quote(bucket.secret_key, safe='')}"
        host = address.removeprefix("http://")
        yield bucket, f"http://{keys}@{host}/files?region={bucket.region}"


@pytest.fixture
def settings(settings: Settings, bucket: tuple[BucketServer, str]) -> Settings:
    return settings.model_copy(update={"uploads_url": bucket[1]})


@pytest.mark.any_database
async def test_files_live_in_the_bucket(
    client: ApiClient, bucket: tuple[BucketServer, str], member: Person
) -> None:
    url = await upload(client, member)
    assert list(bucket[0].objects.values()) == [HELLO]
    assert (await open_file(client, member, url)).content == HELLO
    [attachment] = (await attachments_of(client, member))["attachments"]
    assert_success(await client.delete(f"/attachments/{attachment['id']}", member))
    await until(lambda: not bucket[0].objects)
    assert not await is_open_to(client, member, url)


@pytest.mark.any_database
async def test_refused_upload_leaves_no_row(
    client: ApiClient, bucket: tuple[BucketServer, str], member: Person
) -> None:
    bucket[0].refuses_everything = True
    response = await client.call(
        "POST", "/user_uploads", member, files={"file": ("hello.txt", HELLO)}
    )
    assert_error(response, "SERVICE_UNAVAILABLE", 503)
    assert await attachments_of(client, member) == {"attachments": [], "upload_space_used": 0}


@pytest.mark.any_database
async def test_thumbnails_live_in_the_bucket_as_long_as_their_file(
    client: ApiClient, runtime: Runtime, bucket: tuple[BucketServer, str], member: Person
) -> None:
    stop_drawing(runtime)
    url = await upload_picture(client, member)
    await draw_all(runtime)
    assert len(bucket[0].objects) == 2
    assert await is_open_to(client, member, thumbnail_of(url))
    [attachment] = (await attachments_of(client, member))["attachments"]
    assert_success(await client.delete(f"/attachments/{attachment['id']}", member))
    await until(lambda: not bucket[0].objects)


async def test_avatars_live_in_the_bucket_until_they_are_removed(
    client: ApiClient, bucket: tuple[BucketServer, str], member: Person
) -> None:
    url = await upload_avatar(client, member)
    assert (await opened(client, url)).size == (100, 100)
    assert len(bucket[0].objects) == 2
    assert_success(await client.delete("/users/me/avatar", member))
    await until(lambda: not bucket[0].objects)
