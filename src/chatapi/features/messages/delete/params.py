"""Parameters of deleting."""

from chatapi.wire.params import Params
from chatapi.wire.topics import Topic


class DeleteTopicParams(Params):
    """POST /streams/{stream_id}/delete_topic."""

    topic_name: Topic
    """The topic to delete; case does not matter."""
