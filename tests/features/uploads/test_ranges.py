"""Requests for a part of a file, as players send them to seek."""

import httpx
import pytest

from tests.factories import Person
from tests.features.uploads.files import upload
from tests.support.client import ApiClient, basic_auth
from tests.support.responses import assert_success

CONTENT = bytes(range(100))


async def get_part(
    client: ApiClient, person: Person | None, url: str, **headers: str
) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return await client.http.get(url, auth=basic_auth(person), headers=named)


async def upload_video(client: ApiClient, person: Person) -> str:
    return await upload(client, person, "cat.mp4", CONTENT, "video/mp4")


@pytest.mark.any_database
class TestRange:
    @pytest.mark.parametrize(
        ("asked", "first", "last"),
        [
            ("bytes=0-9", 0, 9),
            ("bytes=0-", 0, 99),
            ("bytes=90-", 90, 99),
            ("bytes=10-10", 10, 10),
            ("bytes=10-5000", 10, 99),
            ("bytes=-10", 90, 99),
            ("bytes=-5000", 0, 99),
        ],
    )
    async def test_existing_part_is_sent_alone(
        self, client: ApiClient, member: Person, asked: str, first: int, last: int
    ) -> None:
        url = await upload_video(client, member)
        response = await get_part(client, member, url, range=asked)
        assert response.status_code == 206
        assert response.content == CONTENT[first : last + 1]
        assert response.headers["content-range"] == f"bytes {first}-{last}/100"
        assert response.headers["content-length"] == str(last - first + 1)
        assert response.headers["content-type"] == "video/mp4"
        assert response.headers["content-disposition"] == "inline; filename*=UTF-8''cat.mp4"
        assert response.headers["x-content-type-options"] == "nosniff"

    @pytest.mark.parametrize(
        "asked",
        ["bytes=9-0", "bytes=0-1,5-6", "bytes=", "bytes=-", "bytes=a-b", "lines=0-9", "0-9", ""],
    )
    async def test_invalid_or_several_ranges_get_the_whole_file(
        self, client: ApiClient, member: Person, asked: str
    ) -> None:
        url = await upload_video(client, member)
        response = await get_part(client, member, url, range=asked)
        assert (response.status_code, response.content) == (200, CONTENT)
        assert response.headers["accept-ranges"] == "bytes"
        assert "content-range" not in response.headers

    @pytest.mark.parametrize("asked", ["bytes=100-", "bytes=100-200", "bytes=-0"])
    async def test_part_behind_the_end_is_refused(
        self, client: ApiClient, member: Person, asked: str
    ) -> None:
        url = await upload_video(client, member)
        response = await get_part(client, member, url, range=asked)
        assert response.status_code == 416
        assert response.headers["content-range"] == "bytes */100"
        error = response.json()
        assert (error["result"], error["code"]) == ("error", "RANGE_NOT_SATISFIABLE")

    async def test_part_at_a_temporary_address(self, client: ApiClient, member: Person) -> None:
        url = await upload_video(client, member)
        temporary = assert_success(await client.get(url, member))["url"]
        response = await get_part(client, None, temporary, range="bytes=1-2")
        assert (response.status_code, response.content) == (206, CONTENT[1:3])

    async def test_part_of_a_file_of_others_is_not_found(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        url = await upload_video(client, member)
        for asked in ("bytes=0-9", "bytes=100-"):
            assert (await get_part(client, owner, url, range=asked)).status_code == 404

    async def test_head_describes_the_whole_file(self, client: ApiClient, member: Person) -> None:
        url = await upload_video(client, member)
        response = await client.http.request(
            "HEAD", url, auth=basic_auth(member), headers={"range": "bytes=0-9"}
        )
        assert (response.status_code, response.headers["content-length"]) == (200, "100")


@pytest.mark.any_database
class TestIfRange:
    async def test_part_of_the_same_file_is_sent(self, client: ApiClient, member: Person) -> None:
        url = await upload_video(client, member)
        etag = (await get_part(client, member, url)).headers["etag"]
        response = await get_part(client, member, url, range="bytes=5-", if_range=etag)
        assert (response.status_code, response.content) == (206, CONTENT[5:])

    async def test_file_that_is_another_one_is_sent_whole(
        self, client: ApiClient, member: Person
    ) -> None:
        url = await upload_video(client, member)
        other = await upload_video(client, member)
        etag = (await get_part(client, member, other)).headers["etag"]
        for known in (etag, "W/" + etag, "Wed, 21 Oct 2015 07:28:00 GMT"):
            response = await get_part(client, member, url, range="bytes=5-", if_range=known)
            assert (response.status_code, response.content) == (200, CONTENT)
