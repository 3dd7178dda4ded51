"""The version and the protocol level that the service reports."""

from chatapi import __version__

FEATURE_LEVEL = 507
"""The protocol level this service supports; see the API section of CHANGELOG.md."""

VERSION = __version__
MERGE_BASE = __version__
"""Equals the version, since this is not a fork."""
