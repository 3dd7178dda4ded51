"""Parameters of linkifiers."""

from typing import Annotated

from pydantic import Field

from chatapi.wire.params import Params
from chatapi.wire.types import Id

MAX_LINKIFIERS = 100
"""Limit per realm: each linkifier is searched for in each message."""
_MAX_PATTERN_LENGTH = 500
_MAX_TEMPLATE_LENGTH = 1_000
_MAX_ALTERNATIVES = 10

Pattern = Annotated[str, Field(min_length=1, max_length=_MAX_PATTERN_LENGTH)]
Template = Annotated[
    str,
    Field(
        min_length=1,
        max_length=_MAX_TEMPLATE_LENGTH,
        examples=["https://example.com/tickets/{id}"],
    ),
]


class LinkifierParams(Params):
    """POST /realm/filters and PATCH /realm/filters/{filter_id}."""

    pattern: Pattern
    """The pattern that becomes a link, in the syntax of RE2; its groups are named."""
    url_template: Template
    """The URL it links to, as an RFC 6570 template; its variables are the groups of the pattern."""
    example_input: Annotated[str | None, Field(max_length=_MAX_PATTERN_LENGTH)] = None
    """An example text that matches the pattern; an empty value removes it."""
    reverse_template: Annotated[str | None, Field(max_length=_MAX_TEMPLATE_LENGTH)] = None
    """How clients turn such a URL back into text, such as `#{id}`; an empty value removes it."""
    alternative_url_templates: Annotated[
        list[Template], Field(default_factory=list, max_length=_MAX_ALTERNATIVES)
    ]
    """Further URL templates that `reverse_template` applies to."""


class ReorderLinkifiersParams(Params):
    """PATCH /realm/linkifiers: the ids of all linkifiers in their new order."""

    ordered_linkifier_ids: Annotated[list[Id], Field(max_length=MAX_LINKIFIERS)]
    """The ids of all linkifiers in their new order; the first one that matches applies."""
