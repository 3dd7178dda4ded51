"""Reads Accept-Encoding: which of our content codings the client prefers."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

_QVALUE = re.compile(r"0(\.[0-9]{0,3})?|1(\.0{0,3})?")
_IDENTITY = "identity"
_ANY = "*"
_OLD_NAMES = {"x-gzip": "gzip"}
_MAX_REMEMBERED_LENGTH = 200
"""Clients of one kind send the same header; longer ones are parsed each time."""


def choose_coding(header: str, codings: Sequence[str]) -> str | None:
    """The content coding to use, or None to send the response as it is.

    The client's weights decide; of codings with equal weights, the first of ours is used. A client
    that accepts nothing at all gets the response as it is.
    """
    if len(header) > _MAX_REMEMBERED_LENGTH:
        return _choose(header, tuple(codings))
    return _choose_remembered(header, tuple(codings))


def _choose(header: str, codings: Sequence[str]) -> str | None:
    weights = dict(_weights(header))
    of_others = weights.get(_ANY, 0.0)
    best = max(codings, key=lambda coding: weights.get(coding, of_others))
    weight = weights.get(best, of_others)
    return best if weight > 0 and weight >= weights.get(_IDENTITY, 0.0) else None


_choose_remembered = lru_cache(maxsize=64)(_choose)


def _weights(header: str) -> Iterator[tuple[str, float]]:
    """Yields each coding of the header with its weight; what is malformed is not accepted."""
    for element in header.split(","):
        name, *parameters = element.split(";")
        coding = name.strip().lower()
        if coding:
            yield _OLD_NAMES.get(coding, coding), _weight(parameters)


def _weight(parameters: Sequence[str]) -> float:
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "q":
            return _qvalue(value.strip())
    return 1.0


def _qvalue(text: str) -> float:
    return float(text) if _QVALUE.fullmatch(text) else 0.0
