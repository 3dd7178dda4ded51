"""For whom an event is: a description, resolved against those who are connected."""

from abc import abstractmethod
from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, TypeAdapter
from typing_extensions import override

from chatapi.core.ids import UserId
from chatapi.core.roles import Role
from chatapi.events.client import ClientView


class AudienceBase(BaseModel):
    """A description costs the sender the same for five readers and for fifty thousand."""

    model_config = ConfigDict(frozen=True)

    @abstractmethod
    def admits(self, view: ClientView) -> bool:
        """Whether this reader belongs to the audience."""

    def candidates(self) -> Iterable[UserId] | None:
        """The only people worth asking; None: ask everybody who listens."""
        return None


class Everyone(AudienceBase):
    """All people of the realm."""

    kind: Literal["everyone"] = "everyone"

    @override
    def admits(self, view: ClientView) -> bool:
        return True


class Users(AudienceBase):
    """The people with these ids."""

    kind: Literal["users"] = "users"
    ids: frozenset[UserId]

    @classmethod
    def only(cls, *ids: UserId) -> "Users":
        return cls(ids=frozenset(ids))

    @override
    def admits(self, view: ClientView) -> bool:
        return view.user_id in self.ids

    @override
    def candidates(self) -> Iterable[UserId]:
        return self.ids


class AtLeast(AudienceBase):
    """People of this role or a more powerful one."""

    kind: Literal["at_least"] = "at_least"
    role: Role

    @override
    def admits(self, view: ClientView) -> bool:
        return view.role.at_least(self.role)


class WhoSees(AudienceBase):
    """Those for whom a user exists: almost everybody, but for guests in some organizations."""

    kind: Literal["who_sees"] = "who_sees"
    user_id: UserId
    bot_owner_id: UserId | None = None

    @override
    def admits(self, view: ClientView) -> bool:
        return view.sees_everybody or view.user_id in {self.user_id, self.bot_owner_id}


class Nobody(AudienceBase):
    """No client: a note from process to process."""

    kind: Literal["nobody"] = "nobody"

    @override
    def admits(self, view: ClientView) -> bool:
        return False

    @override
    def candidates(self) -> Iterable[UserId]:
        return ()


Audience = Annotated[Everyone | Users | AtLeast | WhoSees | Nobody, Discriminator("kind")]

_adapter: TypeAdapter[Everyone | Users | AtLeast | WhoSees | Nobody] = TypeAdapter(Audience)


def load_audience(text: str) -> Audience:
    """The audience a log row holds."""
    return _adapter.validate_json(text)
