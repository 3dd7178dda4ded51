"""Values no sensible client sends, and sensible ones with something wrong in them."""

import random
from collections.abc import Callable, Sequence
from typing import Any

import orjson

TEXTS = (
    "",
    " ",
    "\0",
    "a\x01b",
    "\n",
    "\ufeff",
    "\u202eabc",
    "e\u0301",
    "ﬁ",
    "İ" * 60,
    "\ufb2c" * 61,
    "💥" * 61,
    "x" * 61,
    "x" * 1_001,
    "x" * 10_001,
    "@**all** @**nobody|9** #**a>b** :smile: ```\n$$x$$",
    "../../etc/passwd",
    "' OR 1=1 --",
    "<script>alert(1)</script>",
    "%00%ff",
    "null",
    "true",
    "undefined",
)
"""Used as they are, for parameters that are text and for those that are JSON."""

NUMBERS = (0, -1, 1, 2**31, 2**53, 2**63 - 1, 2**63, -(2**63) - 1, 1.5, -0.0, 1e308)

RAW_JSON = (
    "[]",
    "{}",
    "[null]",
    "[[]]",
    "[" * 300 + "]" * 300,
    '{"a": 1, "a": 2}',
    '["\\u0000"]',
    '["\\ud800"]',
    "1e400",
    "-",
    "9" * 40,
    "NaN",
    '"' + "x" * 70 + '"',
    "[1, 2",
    "[" + "1," * 2_000 + "1]",
)
"""Malformed JSON, as a client with a bug sends it."""


class HostileValues:
    """Draws values from a random generator; equal seeds draw equal values."""

    def __init__(self, generator: random.Random, known_ids: Sequence[int]) -> None:
        self._random = generator
        self._known_ids = known_ids

    def for_parameter(self, example: object) -> str:
        """A value for a parameter, as text of a form."""
        kinds: list[Callable[[], str]] = [
            lambda: self._random.choice(TEXTS),
            lambda: self._random.choice(RAW_JSON),
            lambda: str(self.number()),
            lambda: encode(self.json()),
            lambda: encode(self.mutated(example)),
            lambda: encode(self.mutated(example)),
        ]
        return self._random.choice(kinds)()

    def number(self) -> float:
        return self._random.choice((*NUMBERS, *self._known_ids, *self._known_ids))

    def json(self, depth: int = 0) -> Any:
        """Any value that JSON can hold."""
        if depth == 3 or self._random.random() < 0.6:
            return self._random.choice((None, True, False, self.number(), self.text()))
        if self._random.random() < 0.5:
            return [self.json(depth + 1) for _ in range(self._random.randrange(4))]
        return {self.text(): self.json(depth + 1) for _ in range(self._random.randrange(4))}

    def mutated(self, value: Any) -> Any:
        """An example with one thing in it that is different."""
        if isinstance(value, dict) and value and self._random.random() < 0.8:
            key = self._random.choice(list(value))
            rest = {name: each for name, each in value.items() if name != key}
            if self._random.random() < 0.3:
                return rest
            return {**rest, key: self.mutated(value[key])}
        if isinstance(value, list) and value and self._random.random() < 0.8:
            place = self._random.randrange(len(value))
            return [*value[:place], self.mutated(value[place]), *value[place:]]
        if isinstance(value, int) and not isinstance(value, bool) and self._random.random() < 0.5:
            return self._random.choice(self._known_ids)
        return self.json()

    def text(self) -> str:
        return self._random.choice(TEXTS)


def encode(value: object) -> str:
    """A value as it stands in a form: text is itself, anything else its JSON."""
    if isinstance(value, str):
        return value
    try:
        return orjson.dumps(value).decode()
    except (TypeError, ValueError):
        # Numbers that are larger than any JSON library of a client has them.
        return str(value)
