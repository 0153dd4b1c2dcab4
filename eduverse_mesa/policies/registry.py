"""A policy from its name: `embedded`, `llm`, `local`, or a mixture such as `words=llm,rest=embedded`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from difflib import get_close_matches
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from eduverse_mesa.decisions import DECISIONS
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.mixture import WORDED, by_agent, by_kind, word
from eduverse_mesa.policies.policy import AnyPolicy, Policy
from eduverse_mesa.policies.shared_limit import delivery_of
from eduverse_mesa.scenarios.groups import CollaborationSettings
from eduverse_mesa.scenarios.scenario import LanguageModel, Settings
from eduverse_mesa.scenarios.tutoring import TutoringSettings

if TYPE_CHECKING:
    from eduverse_mesa.policies.llm.setup import Subject

AnySettings = Settings | TutoringSettings | CollaborationSettings
"""The settings of a lesson, of tutoring, or of a group: all say who answers, and with which parameters."""
Settled = TypeVar("Settled", Settings, TutoringSettings, CollaborationSettings)

GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "words": ("draft", "style", *WORDED),
        "students": ("score_request", "plan", "react", "draft", "style", "monitor", "regulate", "summarise"),
        "teacher": ("prepare", "take_turn", "give_feedback", "pace", "evaluate"),
        "judge": ("score_request", "give_feedback", "pace", "evaluate", "judge_answer", "label_traits"),
        "learner": ("reply", "consolidate", "reflect"),
        "tutor": ("pick_unit", "teach"),
        "peers": ("revise", "intend", "utter", "chat"),
        "group": ("understand", "see_stage", "invite"),
    }
)
"""Kinds of decision that belong together. `words` leaves the teacher's choices to the rest and puts them in words."""


@lru_cache(maxsize=32)
def _embedded(overrides: frozenset[tuple[str, float]]) -> Policy:
    from eduverse_mesa.policies.embedded import EmbeddedPolicy
    from eduverse_mesa.scenarios.parameters import load_parameters

    return EmbeddedPolicy(load_parameters(dict(overrides)))


@lru_cache(maxsize=32)
def _embedded_tutoring(overrides: frozenset[tuple[str, float]]) -> Policy:
    from eduverse_mesa.policies.embedded.tutoring import EmbeddedTutoringPolicy
    from eduverse_mesa.scenarios.parameters import LEARNER_BOOK, load_parameters

    return EmbeddedTutoringPolicy(load_parameters(dict(overrides), LEARNER_BOOK))


@lru_cache(maxsize=32)
def _embedded_collaboration(overrides: frozenset[tuple[str, float]]) -> Policy:
    from eduverse_mesa.policies.embedded.groups import EmbeddedCollaborationPolicy
    from eduverse_mesa.scenarios.parameters import PEER_BOOK, load_parameters

    return EmbeddedCollaborationPolicy(load_parameters(dict(overrides), PEER_BOOK))


def _make_embedded(settings: AnySettings) -> Policy:
    parameters = frozenset(settings.parameters.items())
    if isinstance(settings, CollaborationSettings):
        return _embedded_collaboration(parameters)
    return _embedded_tutoring(parameters) if isinstance(settings, TutoringSettings) else _embedded(parameters)


def _subject(settings: AnySettings) -> Subject:
    """Return the subject of the settings."""
    if isinstance(settings, TutoringSettings):
        return "tutoring"
    return "group" if isinstance(settings, CollaborationSettings) else "lesson"


def _make_llm(settings: AnySettings) -> AnyPolicy:
    from eduverse_mesa.policies.llm import make_llm

    return make_llm(settings.llm, _make_embedded(settings), subject=_subject(settings))


def _make_local(settings: AnySettings) -> AnyPolicy:
    from eduverse_mesa.policies.llm import make_local

    return make_local(settings.llm, _make_embedded(settings), subject=_subject(settings))


Maker = Callable[[AnySettings], AnyPolicy]

MAKERS: dict[str, Maker] = {
    "embedded": _make_embedded,
    "llm": _make_llm,
    "local": _make_local,
}


def _settle_llm(settings: LanguageModel) -> LanguageModel:
    from eduverse_mesa.policies.llm import settle_llm

    return settle_llm(settings)


def _settle_local(settings: LanguageModel) -> LanguageModel:
    from eduverse_mesa.policies.llm import settle_local

    if delivery_of(settings) == "batch":
        raise PolicyError(
            "is 'batch', and the model on this machine takes none.",
            where="settings.llm.delivery",
            mend="Leave it out, or ask an endpoint (--policy llm).",
        )
    return settle_local(settings)


_SETTLERS: dict[str, Callable[[LanguageModel], LanguageModel]] = {"llm": _settle_llm, "local": _settle_local}


def make_policy(
    policy: AnyPolicy | str,
    settings: AnySettings | None = None,
    agents: Collection[str] | None = None,
    makers: Mapping[str, Maker] | None = None,
) -> AnyPolicy:
    """A policy from its name, or from WHO=NAME,...,rest=NAME; a policy object is returned as it is.

    WHO is a kind of decision, a group of kinds (GROUPS), or @ and an agent's name. An agent's own policy goes before
    that of a kind, a kind's before its group's, and the words of whoever chooses are those of `words`.
    With `agents`, names that are nobody's are refused; `makers` make some of the named policies in another way.
    """
    if not isinstance(policy, str):
        return policy
    parts = policy_parts(policy)
    known: dict[str, AnyPolicy] = {}

    def made(name: str) -> AnyPolicy:
        if name not in known:  # one language model in two places is one budget and one meter
            known[name] = (makers or {}).get(name, MAKERS[name])(settings or Settings())
        return known[name]

    rest = made(parts.pop("rest"))
    people = {who[1:]: made(name) for who, name in parts.items() if who.startswith("@")}
    for name in people:
        if agents is not None and name not in agents:
            raise PolicyError(
                f"there is no '{name}' in this class.", where=f"policy '{policy}'", mend=_known(name, list(agents))
            )
    kinds: dict[str, AnyPolicy] = {}
    for who, name in parts.items():
        if who in GROUPS and who != "words":
            kinds |= {kind: made(name) for kind in GROUPS[who] if kind not in kinds}
    if "words" in parts:
        speaker = made(parts["words"])
        kinds |= {kind: word(kinds.get(kind, rest), speaker) if kind in WORDED else speaker for kind in GROUPS["words"]}
    kinds |= {who: made(name) for who, name in parts.items() if who in DECISIONS}
    everyone = by_kind(kinds, rest) if kinds else rest
    everyone = by_agent(people, everyone) if people else everyone
    if everyone is not rest:
        everyone.name = policy  # what the run is recorded under, and made again from
    return everyone


def settle(policy: str, settings: Settled) -> Settled:
    """The settings with what the environment decides about language models written out, where one is asked for.

    Where an endpoint and a local model are asked, the settings are the endpoint's; the local one is the packaged one.
    """
    asked = policy_parts(policy).values()
    for name in ("llm", "local"):
        if name in asked:
            return settings.model_copy(update={"llm": _SETTLERS[name](settings.llm)})
    return settings


def policy_parts(policy: str) -> dict[str, str]:
    """WHO: NAME, with `rest` last; refuses what is not known."""
    where = f"policy '{policy}'"
    if "=" not in policy:
        return {"rest": _check_name(policy.strip(), where)}
    parts: dict[str, str] = {}
    for part in policy.split(","):
        who, sign, name = (piece.strip() for piece in part.partition("="))
        if not sign:
            raise PolicyError(f"'{part.strip()}' is not WHO=POLICY.", where=where, mend="E.g. words=llm,rest=embedded")
        if who != "rest" and who not in DECISIONS and who not in GROUPS and not who.startswith("@"):
            raise PolicyError(
                f"'{who}' is no kind of decision.",
                where=where,
                mend=_known(who, [*GROUPS, *DECISIONS, "rest"]) + " Or @ and a name of the class.",
            )
        if who in parts:
            raise PolicyError(f"'{who}' is given twice.", where=where, mend="Keep one of the two.")
        parts[who] = _check_name(name, where)
    rest = parts.pop("rest", "embedded")
    return {**parts, "rest": rest}


def who_answers(policy: str, kind: str) -> str:
    """Return the name of the policy that answers a kind of decision: its own, its group's, or that of the rest."""
    parts = policy_parts(policy)
    group = next((name for name in parts if kind in GROUPS.get(name, ())), "rest")
    return parts.get(kind, parts[group])


def asks_model(policy: str) -> bool:
    """Return True if a policy's name holds one that asks a language model: it takes time, may cost money, and may not
    answer the same again."""
    return not {"llm", "local"}.isdisjoint(policy_parts(policy).values())


def _check_name(name: str, where: str) -> str:
    if name not in MAKERS:
        raise PolicyError(
            f"there is no policy '{name}'.", where=where if "=" in where else "", mend=_known(name, list(MAKERS))
        )
    return name


def _known(name: str, known: list[str]) -> str:
    close = get_close_matches(name, known, n=1)
    return (f"Did you mean '{close[0]}'? " if close else "") + f"Known: {', '.join(known)}."
