"""Groups of virtual peers that solve a problem: one dialogue a run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from eduverse_mesa.decisions import STATUSES
from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.experiments.measurers import Measurer, Row
from eduverse_mesa.experiments.subjects.subject import Exchange, counted, named
from eduverse_mesa.measures.collaboration import NUMBERS, dialogue_numbers, stage_turns, talk_shares
from eduverse_mesa.measures.tables import texts
from eduverse_mesa.models.collaboration import STAGES, CollaborationModel
from eduverse_mesa.models.collaboration.journal import EndRow, ErrorRow, MessageRow
from eduverse_mesa.policies import AnyPolicy
from eduverse_mesa.runs.estimating import Estimate, estimate_group
from eduverse_mesa.scenarios.collaboration import DEFAULT_PEERS, Collaboration, CollaborationSettings
from eduverse_mesa.scenarios.gathering import load_collaboration
from eduverse_mesa.scenarios.includes import Written
from eduverse_mesa.scenarios.library import Kind, find
from eduverse_mesa.scenarios.plain import Plain, Reading, Spot

_BY = ("problem",)
"""The tables of one dialogue have one problem."""


class Group(NamedTuple):
    """A group with the one problem that it works on."""

    setup: Collaboration
    session: int = 1
    """The how-manieth of these peers: with `fading` they help less from one to the next."""


class Groups:
    """All-virtual groups: seats for people are left empty."""

    kind: Kind = "collaboration"
    exchanges: Mapping[str, Exchange] = {
        "problem": Exchange(named, "the name of a problem or a path"),
        "language": Exchange(named, "the code of a language, such as en or zh"),
        "session": Exchange(counted, "the number of a session, from 1", counts=True),
    }
    measurers: Mapping[str, Measurer]
    usual: tuple[str, ...] = ("dialogue",)

    def __init__(self) -> None:
        self.measurers = {"dialogue": dialogue, "acts": acts}

    def load(self, base: Written, parts: Mapping[str, Any], settings: Mapping[str, object], beside: Path) -> Group:
        """The group with one problem: that of the level, or its first."""
        reading = base.copied()
        reading.put(("problems",), _listed(_problem(Written(reading, base.file), parts, beside)))
        if isinstance(reading.data, dict) and "peers" not in reading.data:
            written: Plain = [peer.model_dump() for peer in DEFAULT_PEERS]
            reading.put(("peers",), Reading(written, {(): Spot("peers")}))
        setup = load_collaboration(Written(reading, base.file), seats=(), settings=settings)
        session = parts.get("session", 1)
        if session < 1:
            raise ScenarioError(f"there is no session {session}.", mend="Count them from 1.")
        return Group(setup, session)

    def settings(self, whole: Group) -> CollaborationSettings:
        """The rules of the group."""
        return whole.setup.settings

    def with_settings(self, whole: Group, settings: CollaborationSettings) -> Group:
        """The same peers with other rules."""
        return whole._replace(setup=whole.setup.model_copy(update={"settings": settings}))

    def people(self, whole: Group) -> Collection[str]:
        """The peers."""
        return whole.setup.members

    def fingerprint(self, whole: Group) -> str:
        """Of all that stands in it."""
        return blake2b(self.text(whole).encode(), digest_size=8).hexdigest()

    def text(self, whole: Group) -> str:
        """The collaboration, and which session it is."""
        plain = whole.setup.model_dump(mode="json", by_alias=True)
        return json.dumps({**plain, "session": whole.session}, ensure_ascii=False, allow_nan=False)

    def read(self, text: str) -> Group:
        """The group again."""
        return _group_of(text)

    def play(self, whole: Group, seed: int, policy: str | None) -> CollaborationModel:
        """The whole dialogue."""
        return CollaborationModel(whole.setup, seed=seed, policy=policy, session=whole.session).run()

    def estimate(self, whole: Group, seed: int, policy: str | None) -> Estimate:
        """Of the whole dialogue."""

        def play(counted: AnyPolicy) -> None:
            CollaborationModel(whole.setup, seed=seed, policy=counted, session=whole.session).run()

        return estimate_group(whole.setup, policy or whole.setup.settings.policy, play)

    def failed(self, run: CollaborationModel) -> int:
        """Of peers and of those who keep the group going."""
        return _outcomes(run)["failed"]


@lru_cache(maxsize=64)
def _group_of(text: str) -> Group:
    plain = json.loads(text)
    session = plain.pop("session", 1)
    return Group(Collaboration.model_validate_json(json.dumps(plain)), session)


def _listed(problem: Reading) -> Reading:
    """One problem as a list of one."""
    several = Reading([None], {(): problem.spot(())})
    several.put((0,), problem)
    return several


def _problem(base: Written, parts: Mapping[str, Any], beside: Path) -> Reading:
    """The problem as it is written: one of the group's own, or one that is found beside the sweep's file."""
    data, wanted = base.reading.data, parts.get("problem")
    several = data.get("problems") if isinstance(data, dict) else None
    for index, one in enumerate(several if isinstance(several, list) else [several]):
        name = one.get("name") if isinstance(one, dict) else one
        if one is None or (wanted is not None and name != wanted):
            continue
        if isinstance(one, str):
            found = find("problem", one, base.file, where=f"problem {one}").read()
        else:
            found = base.reading.part(("problems", index) if isinstance(several, list) else ("problems",))
        break
    else:
        if wanted is None:
            raise ScenarioError("the group has no problem.", mend="List one as problems, or vary 'problem'.")
        found = find("problem", wanted, beside, where=f"problem {wanted}").read()
    return _spoken(found, parts["language"], beside) if "language" in parts else found


def _spoken(problem: Reading, language: str, beside: Path) -> Reading:
    """The problem in a language: its own, or the one whose name ends in the language's code."""
    data = problem.data if isinstance(problem.data, dict) else {}
    if data.get("language", "en") == language:
        return problem
    name = f"{data.get('name')}_{language}"
    found = find("problem", name, beside, where=f"language {language}").read()
    said = found.data.get("language", "en") if isinstance(found.data, dict) else None
    if said != language:
        raise ScenarioError(f"the problem '{name}' is in '{said}', not in '{language}'.", mend="Name its language.")
    return found


# --- what is measured ---


def dialogue(run: CollaborationModel) -> Iterator[Row]:
    """Every number of a dialogue (measures.collaboration.NUMBERS), the turns in each stage, and what came of answers;
    of each member what it said, erred and corrected."""
    journal = run.journal
    messages = pd.DataFrame(journal.messages, columns=MessageRow._fields)
    errors = pd.DataFrame(journal.errors, columns=ErrorRow._fields)
    ends = pd.DataFrame(journal.ends, columns=EndRow._fields)
    [numbers] = dialogue_numbers(messages, errors, ends, tuple(STAGES), _BY).to_dict("records")
    yield from (Row(0, 0, "", f"dialogue.{name}", numbers[name]) for name in NUMBERS if numbers[name] == numbers[name])
    turns = stage_turns(messages, _BY)
    yield from (
        Row(0, 0, "", f"stage.{stage}", float(n)) for stage, n in zip(turns["stage"], turns["turns"], strict=True)
    )
    yield Row(0, 0, "", "dialogue.revisions", float(len(journal.revisions)))
    yield from (Row(0, 0, "", f"outcomes.{status}", float(n)) for status, n in _outcomes(run).items())
    for said in talk_shares(messages, _BY).to_dict("records"):
        for name in ("messages", "words", "share"):
            yield Row(0, 0, said["speaker"], f"member.{name}", float(said[name]))
    yield from _of_members(run, errors)


def _of_members(run: CollaborationModel, errors: pd.DataFrame) -> Iterator[Row]:
    events = list(zip(texts(errors, "event"), texts(errors, "of"), texts(errors, "by"), strict=True))
    for member in run.members:
        erred = [event for event, of, _ in events if event == "introduced" and of == member]
        helped = [event for event, _, by in events if event == "corrected" and by == member]
        yield Row(0, 0, member, "member.introduced", float(len(erred)))
        yield Row(0, 0, member, "member.corrects", float(len(helped)))


def acts(run: CollaborationModel) -> Iterator[Row]:
    """How often each act is used."""
    for act, n in Counter(row.act for row in run.journal.messages).items():
        yield Row(0, 0, "", f"act.{act}", float(n))


def _outcomes(run: CollaborationModel) -> dict[str, int]:
    counted_ = Counter(entry.answer.status for entry in run.journal.answers)
    return {status: counted_[status] for status in STATUSES}
