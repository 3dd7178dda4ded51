"""A database of an earlier version, with what that version showed to each of its users.

Both were recorded with the code of commit c8f1595 (database revision 0014): its server was started
on SQLite, filled through the API and asked by each user; then `chatapi db backup` saved it.
"""

import gzip
import io
from pathlib import Path
from typing import Any

import orjson

from chatapi.backup import BackupReader
from chatapi.backup.manifest import Header, Manifest
from chatapi.backup.reader import Rows, StoredFile
from chatapi.core.clock import SystemClock
from chatapi.core.settings import Settings
from chatapi.db.database import Database
from chatapi.db.raw_loading import filling
from chatapi.files.stores import store_for

FOLDER = Path(__file__).parent
BACKUP = FOLDER / "revision-0014.backup.gz"
REVISION = "0014"


def recorded() -> Any:
    """What the earlier version showed: a file, and messages, users and so on for each user."""
    return orjson.loads((FOLDER / "revision-0014.json").read_bytes())


async def lay_down(settings: Settings) -> None:
    """Fill an empty database and the store of files as the earlier version left them."""
    database, store = Database(settings), store_for(settings, SystemClock())
    with io.BytesIO(gzip.decompress(BACKUP.read_bytes())) as stream:
        reader = BackupReader(stream)
        async with filling(database) as target:
            for item in reader.read():
                match item:
                    case Header():
                        await target.create_tables(item.revision)
                    case Rows():
                        await target.insert(item.table, item.columns, item.rows)
                    case StoredFile():
                        await store.put(item.key, item.content, item.sha256)
                    case Manifest():
                        await target.finish(item.sequences)
    assert reader.faults == []
    await store.close()
    await database.close()
