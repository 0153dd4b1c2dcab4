"""Choice of who answers for learners, tutors and groups, made on the page Settings, and what is missing for it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

import solara

from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.elements import Note, use_words
from eduverse_mesa.decisions import TUTORING
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.policies.llm.setup import KEY, MODEL
from eduverse_mesa.policies.registry import GROUPS, policy_parts
from eduverse_mesa.scenarios import load_scenario
from eduverse_mesa.scenarios.scenario import LanguageModel

Kinds = Mapping[str, object]


class Answering(NamedTuple):
    """Policy and language model that answer; no file can choose them."""

    policy: str = "embedded"
    llm: LanguageModel = LanguageModel()


def answering_of(desk: Desk, here: Kinds = TUTORING) -> Answering:
    """Return the policy and the language model for a run begun on this desk in which these kinds of decision are
    asked."""
    return Answering(policy_here(desk.policy, here), load_scenario(settings=desk.llm).settings.llm)


def policy_here(policy: str, here: Kinds = TUTORING) -> str:
    """Return the parts of a mixture of policies that matter here: a learner, say, does not need the one that words a
    lesson's sentences."""
    parts = policy_parts(policy)
    kept = {who: name for who, name in parts.items() if who[:1] == "@" or _asked_here(who, here)}
    return ",".join(f"{who}={name}" for who, name in kept.items()) if len(kept) > 1 else parts["rest"]


def _asked_here(who: str, here: Kinds) -> bool:
    return who == "rest" or not here.keys().isdisjoint(GROUPS.get(who, (who,)))


def told_of(desk: Desk, environment: Mapping[str, str] | None = None, here: Kinds = TUTORING) -> str:
    """Return the code of what to say about who answers: costs if a language model is asked, or what is missing for it;
    else empty."""
    env = os.environ if environment is None else environment
    try:
        policy, llm = answering_of(desk, here)
        asked = set(policy_parts(policy).values())
    except EduverseError:
        return "no_model"
    if "llm" in asked and not (llm.model or env.get(MODEL)):
        return "no_model"
    if "llm" in asked and not env.get(KEY):
        return "no_key"
    return "costs" if asked & {"llm", "local"} else ""


@solara.component
def AnsweredBy(desk: Desk, here: Kinds = TUTORING, costs: str = "learner.choose.costs") -> None:
    """Line on who answers, with the way to change it, and what is missing for it; `costs` says that it costs."""
    t = use_words()
    told = told_of(desk, here=here)
    with solara.Div(classes=["ev-row"]):
        solara.Text(t("learner.choose.answers", policy=t.code(policy_here(desk.policy, here))), classes=["ev-quiet"])
        with solara.Link("/settings"):
            solara.Text(t("learner.choose.settings"))
    if told:
        Note(t(costs if told == "costs" else f"learner.choose.{told}"), kind="warn")
