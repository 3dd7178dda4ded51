"""Endpoints of topic policies."""

from chatapi.auth.guards import LoggedIn
from chatapi.features.channels.topic_policies.params import (
    MuteTopicParams,
    SetVisibilityPolicyParams,
)
from chatapi.features.channels.topic_policies.service import UserTopicService
from chatapi.http.route import FeatureRouter

router = FeatureRouter("Topics", "How much you want to see of topics.")


@router.post("/user_topics")
async def set_topic_visibility_policy(ctx: LoggedIn, params: SetVisibilityPolicyParams) -> None:
    """Mute, unmute or follow a topic.

    The topic need not have messages. In a channel that is not muted, unmuted topics are as visible
    as those without a policy.
    """
    await UserTopicService(ctx).choose(params)


@router.patch("/users/me/subscriptions/muted_topics", deprecated=True)
async def mute_topic(ctx: LoggedIn, params: MuteTopicParams) -> None:
    """Mute or unmute a topic; for clients that do not know `POST /user_topics`.

    Muting a muted topic, or unmuting one that is not muted, changes nothing and is no error.
    """
    await UserTopicService(ctx).mute(params)
