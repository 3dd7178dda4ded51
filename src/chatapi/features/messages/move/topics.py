"""Topics that are marked as resolved; pure."""

RESOLVED_PREFIX = "✔ "


def is_resolved(topic: str) -> bool:
    return topic.startswith(RESOLVED_PREFIX)


def is_only_resolving(old: str, new: str) -> bool:
    """Whether the only change is that the topic is marked as resolved or unresolved."""
    return is_resolved(old) != is_resolved(new) and _bare(old) == _bare(new)


def _bare(topic: str) -> str:
    return topic.removeprefix(RESOLVED_PREFIX)
