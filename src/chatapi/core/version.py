"""What the service says about its own age."""

from chatapi import __version__

FEATURE_LEVEL = 507
"""The level of the protocol this service speaks; see the API section of CHANGELOG.md."""

VERSION = __version__
MERGE_BASE = __version__
"""Equals the version, since this is no fork."""
