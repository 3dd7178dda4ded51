"""The version payload, under the names of the specification and those of existing clients."""

from typing_extensions import TypedDict

from chatapi.core.version import FEATURE_LEVEL, MERGE_BASE, VERSION


class VersionPayload(TypedDict):
    """The version, each value under two names: some clients read only the second."""

    service_feature_level: int
    """Increases with every change of the API that clients can notice; the changelog lists them."""
    zulip_feature_level: int
    """The same as `service_feature_level`."""
    service_version: str
    """The version of the server software."""
    zulip_version: str
    """The same as `service_version`."""
    service_merge_base: str
    """The version of the last release the server is based on."""
    zulip_merge_base: str
    """The same as `service_merge_base`."""


VERSION_PAYLOAD: VersionPayload = {
    "service_feature_level": FEATURE_LEVEL,
    "zulip_feature_level": FEATURE_LEVEL,
    "service_version": VERSION,
    "zulip_version": VERSION,
    "service_merge_base": MERGE_BASE,
    "zulip_merge_base": MERGE_BASE,
}
