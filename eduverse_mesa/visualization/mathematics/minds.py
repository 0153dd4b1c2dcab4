"""Who thinks for the peers: one policy for all dialogues that ask for the same, so that a class shares the connections,
the limits and the budget of one language model."""

from __future__ import annotations

from threading import Lock
from urllib.parse import urlsplit

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies import AnyPolicy, make_policy
from eduverse_mesa.policies.making import policy_parts, settle
from eduverse_mesa.scenarios.collaboration import Collaboration, CollaborationSettings
from eduverse_mesa.scenarios.scenario import LanguageModel

EMBEDDED = "embedded"
HERE = "here"
"""A language model reads what is written, and it leaves the school's own machine for nobody."""
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class Minds:
    """The policies that this server offers, and those that it has made."""

    def __init__(self, policy: str = EMBEDDED, llm: LanguageModel | None = None) -> None:
        named = [who for who in policy_parts(policy) if who.startswith("@")]
        if named:
            raise PolicyError(
                f"'{named[0]}' is in one group and not in another.",
                where=f"policy '{policy}'",
                mend="Name kinds of decision, such as peers=llm,rest=embedded.",
            )
        self.policies = (policy, *((EMBEDDED,) if policy != EMBEDDED else ()))
        """What a set may ask for; the first is what a new one does."""
        self._llm = llm or LanguageModel()
        self._made: dict[str, AnyPolicy] = {}
        self._lock = Lock()
        settings = settle(policy, CollaborationSettings(policy=policy, llm=self._llm))
        # Now, and not when the first student comes: a model that is not named, or a key that is not there.
        self._of(settings)
        asked = set(policy_parts(policy).values()) - {EMBEDDED}
        host = urlsplit(settings.llm.base_url or "").hostname
        self.reader = "" if not asked else host if "llm" in asked and host and host not in _LOOPBACK else HERE
        """Where a language model reads what students write: a host, HERE, or nowhere."""

    def settled(self, setup: Collaboration) -> Collaboration:
        """A group that is about to begin, with the model that its peers have written out."""
        policy = setup.settings.policy
        if policy not in self.policies:
            raise PolicyError(
                f"the peers of this set were to think with '{policy}', which is not served any more.",
                mend="Tell your teacher: the server has to be started with it, or the set be given anew.",
            )
        settings = settle(policy, setup.settings.model_copy(update={"llm": self._llm}))
        return setup.model_copy(update={"settings": settings})

    def of(self, setup: Collaboration) -> AnyPolicy:
        """Who thinks for the peers of a group, now or as it was when it began."""
        return self._of(setup.settings)

    def _of(self, settings: CollaborationSettings) -> AnyPolicy:
        asked = settings.model_dump_json(include={"policy", "llm", "parameters"})
        with self._lock:
            if asked not in self._made:
                self._made[asked] = make_policy(settings.policy, settings)
            return self._made[asked]
