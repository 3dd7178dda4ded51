"""Payloads of linkifiers."""

from collections.abc import Sequence
from typing import Annotated, TypeAlias

from pydantic import WithJsonSchema
from typing_extensions import TypedDict

from chatapi.features.realm.linkifiers.records import LinkifierRecord
from chatapi.rendering import UrlTemplate


class LinkifierPayload(TypedDict):
    """One linkifier."""

    id: int
    """Names the linkifier in `PATCH` and `DELETE /realm/filters/{filter_id}`."""
    pattern: str
    """What becomes a link, in the syntax of RE2; its groups are named."""
    url_template: str
    """Where it leads, as an RFC 6570 template of the groups."""
    example_input: str | None
    """A text that matches the pattern, for people; null if there is none."""
    reverse_template: str | None
    """How clients turn such a URL back into text; null if they do not."""
    alternative_url_templates: list[str]
    """Further URL templates that `reverse_template` applies to."""


class LinkifiersPayload(TypedDict):
    """All linkifiers of an organization, in the order in which they are applied."""

    linkifiers: list[LinkifierPayload]
    """All linkifiers, in the order in which they are applied."""


class CreatedLinkifierPayload(TypedDict):
    """The id of a new linkifier."""

    id: int
    """The id of the new linkifier."""


FilterPayload: TypeAlias = Annotated[
    tuple[str, str, int],
    # Not all tools that read the OpenAPI document support tuples.
    WithJsonSchema(
        {
            "type": "array",
            "items": {"anyOf": [{"type": "string"}, {"type": "integer", "format": "int64"}]},
            "minItems": 3,
            "maxItems": 3,
        }
    ),
]
"""Pattern, URL with `%(name)s` and id; for clients that know only the older format."""


def linkifier_payload(linkifier: LinkifierRecord) -> LinkifierPayload:
    return {
        "id": linkifier.id,
        "pattern": linkifier.pattern,
        "url_template": linkifier.url_template,
        "example_input": linkifier.example_input,
        "reverse_template": linkifier.reverse_template,
        "alternative_url_templates": linkifier.alternative_url_templates,
    }


def filter_payloads(linkifiers: Sequence[LinkifierPayload]) -> list[FilterPayload]:
    """The linkifiers that can be expressed in the older format."""
    filters: list[FilterPayload] = []
    for linkifier in linkifiers:
        address = UrlTemplate.parse(linkifier["url_template"]).as_format_string()
        if address is not None:
            filters.append((linkifier["pattern"], address, linkifier["id"]))
    return filters
