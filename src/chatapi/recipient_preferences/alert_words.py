"""Finds users' alert words in a text; pure.

A text is scanned once, for any number of users and words.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from chatapi.core.ids import UserId

_PART = re.compile(r"\w+|\s+|[^\w\s]")
"""Words are matched whole: a match never begins or ends within one of these parts."""


@dataclass
class _Node:
    """A node of the trie: the parts that may follow."""

    next: dict[str, "_Node"] = field(default_factory=dict)
    watchers: set[UserId] = field(default_factory=set)


class AlertWordMatcher:
    """Finds the alert words of many users in one pass."""

    def __init__(self, words: Iterable[tuple[UserId, str]]) -> None:
        self._root = _Node()
        for user_id, word in words:
            node = self._root
            for part in _parts(word):
                node = node.next.setdefault(part, _Node())
            node.watchers.add(user_id)

    def users_alerted_by(self, text: str) -> frozenset[UserId]:
        """Returns the users whose alert words occur in a text, ignoring case."""
        if not self._root.next:
            return frozenset()
        found: set[UserId] = set()
        parts = _parts(text)
        for start in range(len(parts)):
            node = self._root.next.get(parts[start])
            place = start + 1
            while node is not None:
                found |= node.watchers
                node = node.next.get(parts[place]) if place < len(parts) else None
                place += 1
        return frozenset(found)


def _parts(text: str) -> list[str]:
    """Split a text into parts; line breaks and blanks are equal."""
    return [" " if part.isspace() else part for part in _PART.findall(text.lower())]
