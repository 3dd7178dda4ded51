"""Linkifiers inside the service."""

from dataclasses import dataclass

from chatapi.core.ids import LinkifierId


@dataclass(frozen=True)
class LinkifierDefinition:
    """What is a link, and where it leads."""

    pattern: str
    url_template: str
    example_input: str | None
    reverse_template: str | None
    """How clients write an address of this kind as the text that leads there."""
    alternative_url_templates: list[str]
    """Further addresses that clients write as that text."""


@dataclass(frozen=True)
class LinkifierRecord(LinkifierDefinition):
    """A linkifier of an organization."""

    id: LinkifierId
    position: int
