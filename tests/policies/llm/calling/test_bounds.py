"""The bounds of an answer are told to a model in whatever way its server takes, for every decision there is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import pytest

from eduverse_mesa.models.groups import CollaborationModel
from eduverse_mesa.models.tutoring import Exam, Question, Talk, TutoringModel
from eduverse_mesa.policies.llm.calling.dialect import Ability, request_body
from eduverse_mesa.policies.llm.calls import Call, Completion, Message, Offer, Offers
from eduverse_mesa.runs import estimate
from eduverse_mesa.scenarios import load_scenario
from eduverse_mesa.scenarios.loader import load_collaboration, load_tutoring
from tests.models.learners import document

KEYWORDS = ("minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems")


@pytest.fixture(scope="module")
def asked() -> list[Call]:
    """A call for each question of lessons, learners, tutors and groups."""
    found: dict[str, Call] = {}
    complete = estimate._Tally.complete

    async def note(self: Any, call: Call, ledger: object = None) -> Completion:
        found.setdefault(call.name, call)
        return await complete(self, call, ledger)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(estimate._Tally, "complete", note)
        lesson = estimate.settled(load_scenario("first_lesson", steps=8, settings={"llm.model": "m"}), "llm")
        for fidelity in estimate.FIDELITIES:
            estimate.estimate_run(lesson, 1, "llm", fidelity)
        learners = estimate.settled(load_tutoring(document(), settings={"llm.model": "m"}), "llm")
        agenda = Talk(0.0, 1, "cork"), Talk(1.0, 1), Exam(2.0, 1, "quiz", (Question("cork", "a"),))
        estimate.estimate_tutoring(
            learners, "llm", lambda few, policy: TutoringModel(few, policy=policy, agenda=agenda, seed=1).run()
        )
        group = load_collaboration()
        estimate.estimate_group(group, "llm", lambda policy: CollaborationModel(group, policy=policy, seed=1).run())
    return list(found.values())


def bounds(part: Mapping[str, Any], *place: Any) -> Iterator[tuple[tuple[Any, ...], str, Any]]:
    """The bounds of a schema: place, keyword and value. That a list may be empty is none."""
    for name in KEYWORDS:
        if name in part and (name, part[name]) != ("minItems", 0):
            yield place, name, part[name]
    for name, inner in part.get("properties", {}).items():
        yield from bounds(inner, *place, "properties", name)
    if "items" in part:
        yield from bounds(part["items"], *place, "items")
    for number, inner in enumerate(part.get("anyOf", ())):
        yield from bounds(inner, *place, "anyOf", number)


def told(sent: Any, place: tuple[Any, ...], name: str, value: Any) -> bool:
    """A bound stands in what was sent, as a keyword or in the words of the description."""
    for step in place:
        sent = sent[step]
    return sent.get(name) == value or str(value) in re.findall(r"-?\d+(?:\.\d+)?", sent.get("description", ""))


def natively(call: Call) -> Call:
    """The same question for a server with function calling."""
    assert call.schema is not None
    look = Offer("look_up", "Look it up.", {"type": "object", "properties": {}, "required": []})
    offers = Offers((Message("user", "So?"),), (look,), Offer(call.name, "Answer.", call.schema), call.name)
    return msgspec.structs.replace(call, offers=offers)


def sent(call: Call, ability: Ability, *, native: bool) -> Mapping[str, Any]:
    """The schema of the answer in the body of a request."""
    body = json.loads(request_body(natively(call) if native else call, ability))
    if native:
        return body["tools"][-1]["function"]["parameters"]
    return body["response_format"]["json_schema"]["schema"]


@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize("ability", ["bounded", "strict"])
def test_every_bound_of_every_decision_is_told(asked: list[Call], ability: Ability, native: bool) -> None:
    wanted = [(call, *one) for call in asked for one in bounds(call.schema or {})]
    assert len(asked) > 20
    assert len(wanted) > 60
    missing = [
        (call.name, place, name)
        for call, place, name, value in wanted
        if not told(sent(call, ability, native=native), place, name, value)
    ]
    assert not missing, f"{1 - len(missing) / len(wanted):.0%} of {len(wanted)} bounds are told"


def test_strict_modes_get_no_keyword_that_they_refuse(asked: list[Call]) -> None:
    for call in asked:
        for native in (False, True):
            assert not list(bounds(sent(call, "strict", native=native)))
