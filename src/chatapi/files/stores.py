"""Creates the file store that the settings select."""

from chatapi.core.clock import Clock
from chatapi.core.settings import Settings
from chatapi.files.local import LocalStore
from chatapi.files.store import FileStore


def store_for(settings: Settings, clock: Clock) -> FileStore:
    if not settings.uploads_url:
        return LocalStore(settings.uploads_dir, is_shared=bool(settings.accel_location))
    # Imported only if used: the HTTP client takes some megabytes of memory.
    from chatapi.files.s3 import Bucket, S3Store  # noqa: PLC0415

    return S3Store(Bucket.from_url(settings.uploads_url), clock)
