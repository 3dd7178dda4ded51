"""JSON encoding of responses of any size, in steps that let other requests run."""

from collections.abc import Iterator, Mapping
from time import perf_counter

import orjson

from chatapi.core.cooperative import LoopBudget

_OPTIONS = orjson.OPT_NON_STR_KEYS
_MAX_ITEMS = 100
"""A list or an object with more items is encoded in slices of this size."""
_DEPTH = 2
"""How deep to look for large lists and objects: in a response, and in its sections."""
_CHUNK_BYTES = 256 * 1024


async def encode_in_steps(payload: Mapping[str, object]) -> list[bytes]:
    """Encode a response as JSON, in chunks: joining a large one would take long by itself.

    A response without a long list is encoded at once.
    """
    if not _is_large(payload, _DEPTH):
        return [orjson.dumps(payload, option=_OPTIONS)]
    chunks: list[bytes] = []
    pieces: list[bytes] = []
    size = 0
    budget = LoopBudget()
    for piece in _pieces(payload, _DEPTH):
        pieces.append(piece)
        size += len(piece)
        if size >= _CHUNK_BYTES:
            chunks.append(b"".join(pieces))
            pieces, size = [], 0
        if perf_counter() >= budget.deadline:
            await budget.renew()
    return [*chunks, b"".join(pieces)]


def _is_large(value: object, depth: int) -> bool:
    if not isinstance(value, list | dict):
        return False
    if len(value) > _MAX_ITEMS:
        return True
    if depth == 0 or isinstance(value, list):
        # Items of a list are alike, and each of them is small.
        return False
    for member in value.values():
        # Most members are no containers: a call for each of them would cost more than all else.
        if isinstance(member, list | dict) and _is_large(member, depth - 1):
            return True
    return False


def _pieces(value: object, depth: int) -> Iterator[bytes]:
    """Yields the parts of a value's JSON, in order."""
    if isinstance(value, dict) and _is_large(value, depth):
        yield from _pieces_of_object(value, depth)
    elif isinstance(value, list) and _is_large(value, depth):
        yield from _pieces_of_list(value)
    else:
        yield orjson.dumps(value, option=_OPTIONS)


def _pieces_of_object(value: dict[object, object], depth: int) -> Iterator[bytes]:
    """Encode small members together, large ones separately."""
    opening = b"{"
    small: dict[object, object] = {}
    for name, member in value.items():
        if depth > 0 and _is_large(member, depth - 1):
            if small:
                yield opening + _inside(small)
                opening, small = b",", {}
            yield opening + _inside({name: None})[: -len(b"null")]
            yield from _pieces(member, depth - 1)
            opening = b","
            continue
        small[name] = member
        if len(small) >= _MAX_ITEMS:
            yield opening + _inside(small)
            opening, small = b",", {}
    if small:
        yield opening + _inside(small)
    yield b"}"


def _pieces_of_list(value: list[object]) -> Iterator[bytes]:
    opening = b"["
    for start in range(0, len(value), _MAX_ITEMS):
        yield opening + _inside(value[start : start + _MAX_ITEMS])
        opening = b","
    yield b"]"


def _inside(value: dict[object, object] | list[object]) -> bytes:
    return orjson.dumps(value, option=_OPTIONS)[1:-1]
