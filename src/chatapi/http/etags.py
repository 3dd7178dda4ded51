"""Entity tags: a client that already has a response need not receive it again."""

import hashlib
import re
from base64 import urlsafe_b64encode
from collections.abc import Iterable
from time import perf_counter

from chatapi.core.cooperative import LoopBudget
from chatapi.core.ids import UserId
from chatapi.wire.encoded import LargeJson

_DIGEST_BYTES = 18
_OPAQUE_TAG = re.compile(r'"([\x21\x23-\x7e\x80-\xff]*)"')


async def etag_of(reader: UserId | None, chunks: Iterable[bytes]) -> str:
    """The entity tag of a body as one reader gets it; in steps, for large ones.

    It is weak: compressed or not, it is the same response. Tags of different readers differ even if
    the bodies are equal, so that nothing can be learned from a tag of another user.
    """
    digest = hashlib.sha256(b"%d " % (reader or 0))
    budget = LoopBudget()
    for chunk in chunks:
        digest.update(chunk.digest if isinstance(chunk, LargeJson) else chunk)
        if perf_counter() >= budget.deadline:
            await budget.renew()
    return f'W/"{urlsafe_b64encode(digest.digest()[:_DIGEST_BYTES]).decode()}"'


def is_listed(etag: str, if_none_match: str) -> bool:
    """Whether If-None-Match names the tag; weak and strong tags are compared alike."""
    if not if_none_match:
        return False
    if if_none_match.strip() == "*":
        return True
    return _OPAQUE_TAG.findall(etag)[0] in _OPAQUE_TAG.findall(if_none_match)
