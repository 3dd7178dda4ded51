"""How names, those of accounts too, are compared, and a name for the topic without one."""

EMPTY_TOPIC_DISPLAY_NAME = "general chat"
"""What POST /register announces as `realm_empty_topic_display_name`."""


def name_key(name: str) -> str:
    """What names are compared by: they differ in more than case."""
    return name.strip().lower()
