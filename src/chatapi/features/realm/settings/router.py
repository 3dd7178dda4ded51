"""Endpoints of organizations."""

from collections.abc import Mapping
from typing import Any

from chatapi.auth.guards import Admin
from chatapi.core.errors import OwnerRequiredError
from chatapi.features.realm.payloads import changed_realm_payload
from chatapi.features.realm.settings.params import ChangeRealmParams
from chatapi.features.realm.settings.service import RealmService
from chatapi.http.route import FeatureRouter, raises
from chatapi.permissions.errors import ExpectationMismatchError

router = FeatureRouter("Organizations", "What holds for the whole organization.")


@router.patch(
    "/realm",
    responses=raises(OwnerRequiredError, ExpectationMismatchError),
    response_model=changed_realm_payload,
)
async def change_realm(ctx: Admin, params: ChangeRealmParams) -> Mapping[str, Any]:
    """Change the organization's settings.

    What is not passed stays unchanged; the response contains what changed. Some settings are for
    owners only. A permission is passed as `{"new": ..., "old": ...}`; if `old` is present, it must
    be the current value.
    """
    return await RealmService(ctx).change(params)
