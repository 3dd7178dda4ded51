"""Parameters of reports."""

from typing import Annotated, Literal

from pydantic import Field

from chatapi.wire.params import Params

ReportType = Literal["spam", "harassment", "inappropriate", "norms", "other"]
REPORT_TYPES: dict[ReportType, str] = {
    "spam": "Spam",
    "harassment": "Harassment",
    "inappropriate": "Inappropriate content",
    "norms": "Violates community norms",
    "other": "Other reason",
}
"""The reasons with their names."""
MAX_DESCRIPTION_LENGTH = 1_000


class ReportParams(Params):
    """POST /messages/{message_id}/report."""

    report_type: ReportType
    """Why you report it. `other` needs a description."""
    description: Annotated[str, Field(max_length=MAX_DESCRIPTION_LENGTH)] = ""
    """What moderators should know; required for the reason `other`."""
