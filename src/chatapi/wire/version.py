"""The version payload, under the names of the specification and those of existing clients."""

from typing_extensions import TypedDict

from chatapi.core.version import FEATURE_LEVEL, MERGE_BASE, VERSION


class VersionPayload(TypedDict):
    """The version, each value under two names: some clients read only the second."""

    service_feature_level: int
    zulip_feature_level: int
    service_version: str
    zulip_version: str
    service_merge_base: str
    zulip_merge_base: str


VERSION_PAYLOAD: VersionPayload = {
    "service_feature_level": FEATURE_LEVEL,
    "zulip_feature_level": FEATURE_LEVEL,
    "service_version": VERSION,
    "zulip_version": VERSION,
    "service_merge_base": MERGE_BASE,
    "zulip_merge_base": MERGE_BASE,
}
