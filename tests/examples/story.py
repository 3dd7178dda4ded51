"""The story that calls every endpoint, part by part."""

from pathlib import Path

from tests.examples.channels import tell_of_channels, tell_of_subscriptions, tell_of_the_end
from tests.examples.groups import tell_of_groups
from tests.examples.messages import tell_of_messages, tell_of_reading, tell_of_removing
from tests.examples.organization import tell_of_organization, tell_of_pictures
from tests.examples.people import tell_of_bots, tell_of_devices, tell_of_people, tell_of_profiles
from tests.examples.personal import tell_of_later, tell_of_personal, tell_of_typing
from tests.examples.queues import tell_of_logging_in, tell_of_queues
from tests.examples.recorder import Recorder
from tests.examples.stage import MakeRecorder, open_stage


async def record(
    make_recorder: MakeRecorder = Recorder, database_url: str = "", data_dir: Path | None = None
) -> Recorder:
    """Tell the whole story; returns what was recorded.

    With a database and a folder, what the story leaves is kept there.
    """
    async with open_stage(make_recorder, database_url, data_dir) as stage:
        for tell in (
            tell_of_logging_in,
            tell_of_messages,
            tell_of_channels,
            tell_of_subscriptions,
            tell_of_people,
            tell_of_profiles,
            tell_of_groups,
            tell_of_queues,
            tell_of_reading,
            tell_of_typing,
            tell_of_later,
            tell_of_personal,
            tell_of_bots,
            tell_of_devices,
            tell_of_organization,
            tell_of_pictures,
            tell_of_removing,
            tell_of_the_end,
        ):
            await tell(stage)
            stage.clock.advance(minutes=1)
        return stage.recorder
