"""Endpoints of organizations: none of its own yet, only its part of POST /register."""

from chatapi.features.realm import state  # noqa: F401 (adds its sections to POST /register)
from chatapi.http.route import FeatureRouter

router = FeatureRouter("Organizations", "What holds for the whole organization.")
