"""Files in an S3-compatible store, over real connections, and the signature of requests."""

import hashlib
import io
import os
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

import pytest

from chatapi.core.clock import SystemClock
from chatapi.core.errors import UnavailableError
from chatapi.core.settings import Settings
from chatapi.files.s3 import Bucket, S3Store
from chatapi.files.signature import EMPTY_DIGEST, SigningKey
from chatapi.files.store import ByteRange, MissingFileError
from chatapi.files.stores import store_for
from tests.support.bucket_server import BucketServer
from tests.support.live_server import live_server

KEY = "1/a_/a_bc-def"


def uploads_url(bucket: BucketServer, address: str, region: str | None = None) -> str:
    access, secret = quote(bucket.access_key, safe=""), quote(bucket.secret_key, safe="")
    host = address.removeprefix("http://")
    return f"http://{access}:{secret}@{host}/files?region={region or bucket.region}"


@pytest.fixture
def bucket() -> BucketServer:
    return BucketServer()


@pytest.fixture
async def address(bucket: BucketServer) -> AsyncIterator[str]:
    async with live_server(bucket) as address:
        yield address


@pytest.fixture
async def store(bucket: BucketServer, address: str, tmp_path: Path) -> AsyncIterator[S3Store]:
    settings = Settings(uploads_url=uploads_url(bucket, address), data_dir=tmp_path)
    store = store_for(settings, SystemClock())
    assert isinstance(store, S3Store)
    yield store
    await store.close()


async def put(store: S3Store, content: bytes) -> None:
    await store.put(KEY, io.BytesIO(content), hashlib.sha256(content).hexdigest())


async def content_of(store: S3Store, key: str) -> bytes:
    async with store.read(key) as chunks:
        return b"".join([chunk async for chunk in chunks])


class TestS3Store:
    @pytest.mark.parametrize("size", [0, 1, 1_000_000])
    async def test_returns_the_stored_content(
        self, bucket: BucketServer, store: S3Store, size: int
    ) -> None:
        content = os.urandom(size)
        await put(store, content)
        assert bucket.objects == {f"/files/{KEY}": content}
        assert await content_of(store, KEY) == content

    async def test_reads_a_part(self, bucket: BucketServer, store: S3Store) -> None:
        content = os.urandom(1_000_000)
        await put(store, content)
        async with store.read(KEY, ByteRange(10, 600_009)) as chunks:
            assert b"".join([chunk async for chunk in chunks]) == content[10:600_010]
        bucket.ignores_ranges = True
        with pytest.raises(UnavailableError):
            async with store.read(KEY, ByteRange(10, 19)):
                pass

    async def test_deletes(self, bucket: BucketServer, store: S3Store) -> None:
        await put(store, b"x")
        await store.delete(KEY)
        await store.delete(KEY)
        assert bucket.objects == {}
        with pytest.raises(MissingFileError):
            await content_of(store, KEY)

    async def test_content_corrupted_in_transit_is_not_stored(
        self, bucket: BucketServer, store: S3Store
    ) -> None:
        with pytest.raises(UnavailableError):
            await store.put(KEY, io.BytesIO(b"x"), hashlib.sha256(b"y").hexdigest())
        assert bucket.objects == {}

    async def test_wrong_key_is_logged_but_not_in_the_response(
        self, bucket: BucketServer, address: str
    ) -> None:
        url = uploads_url(bucket, address, region="us-west-2")
        store = S3Store(Bucket.from_url(url), SystemClock())
        with pytest.raises(UnavailableError):
            await put(store, b"x")
        await store.close()

    async def test_unreachable_store_is_unavailable(self) -> None:
        store = S3Store(Bucket.from_url("http://key:secret@127.0.0.1:1/files"), SystemClock())
        for attempt in (put(store, b"x"), content_of(store, KEY), store.delete(KEY)):
            with pytest.raises(UnavailableError):
                await attempt
        await store.close()


class TestSignature:
    """The examples of the documentation of Amazon S3."""

    key = SigningKey(
        "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1"
    )
    moment = datetime(2013, 5, 24, tzinfo=UTC)

    def test_get(self) -> None:
        headers = {
            "Host": "examplebucket.s3.amazonaws.com",
            "Range": "bytes=0-9",
            "x-amz-content-sha256": EMPTY_DIGEST,
            "x-amz-date": "20130524T000000Z",
        }
        signed = self.key.authorization("GET", "/test.txt", headers, self.moment)
        assert signed == (
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
            "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
            "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        )

    def test_put(self) -> None:
        headers = {
            "Host": "examplebucket.s3.amazonaws.com",
            "Date": "Fri, 24 May 2013 00:00:00 GMT",
            "x-amz-date": "20130524T000000Z",
            "x-amz-storage-class": "REDUCED_REDUNDANCY",
            "x-amz-content-sha256": hashlib.sha256(b"Welcome to Amazon S3.").hexdigest(),
        }
        signed = self.key.authorization("PUT", "/test$file.text", headers, self.moment)
        assert signed.endswith(
            "Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
        )


class TestSetting:
    @pytest.mark.parametrize(
        "url",
        [
            "s3://key:secret@host/bucket",
            "https://host/bucket",
            "https://key@host/bucket",
            "https://key:secret@host",
            "https://key:secret@/bucket",
        ],
    )
    def test_must_be_complete(self, url: str) -> None:
        with pytest.raises(ValueError, match="must look like https://KEY:SECRET@host/bucket"):
            Settings(uploads_url=url)
