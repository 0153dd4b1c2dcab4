"""Subjects of trials and sweeps, each played and measured in its own way: courses, groups, and learners with their
tutors."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, TypeVar

import msgspec
import pandas as pd

from eduverse_mesa.decisions import STATUSES
from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.experiments.measurers import Measurer, Row, lessons, steps, talk
from eduverse_mesa.measures.groups import NUMBERS, dialogue_numbers, stage_turns, talk_shares
from eduverse_mesa.measures.learners import answer_kinds, concept_alignment, coverage, leak_rate, mastery_map
from eduverse_mesa.measures.tables import texts
from eduverse_mesa.models.groups import STAGES, CollaborationModel
from eduverse_mesa.models.groups.journal import EndRow, ErrorRow, MessageRow
from eduverse_mesa.policies import AnyPolicy
from eduverse_mesa.runs.classroom import Run, run_course
from eduverse_mesa.runs.estimate import Estimate, estimate_group, estimate_run, estimate_tutoring
from eduverse_mesa.runs.tables import count_outcomes
from eduverse_mesa.runs.tutoring import Tutored, begin_tutoring, play_tutoring, taught_tables
from eduverse_mesa.scenarios import Scenario, fingerprint
from eduverse_mesa.scenarios.groups import DEFAULT_PEERS, Collaboration, CollaborationSettings
from eduverse_mesa.scenarios.includes import Written
from eduverse_mesa.scenarios.library import Found, Kind, find
from eduverse_mesa.scenarios.loader import load_collaboration, load_scenario, load_tutoring
from eduverse_mesa.scenarios.plain import Plain, Reading, Spot
from eduverse_mesa.scenarios.scenario import Settings
from eduverse_mesa.scenarios.tutoring import Tutoring, TutoringSettings

__all__ = ["SUBJECTS", "Exchange", "Subject", "subject_of"]

Whole = TypeVar("Whole")
"""A document with all that a run of it needs besides policy and seed."""


class Exchange(NamedTuple):
    """A factor that exchanges a part of the document, where others are dotted keys into it."""

    fits: Callable[[object], bool]
    wanted: str
    """The form that a level of it must have, as it follows "Write"."""
    counts: bool = False
    """It may be a number, and so a range of whole ones."""


class Subject(Protocol[Whole]):
    """A kind of run: what it is made of, how it is played, and what can be measured of it.

    The text of it is its whole document as JSON, with the kind on top: it travels to where it is played, and nothing
    else has to be known there.
    """

    kind: Kind
    exchanges: Mapping[str, Exchange]
    measurers: Mapping[str, Measurer]
    usual: tuple[str, ...]
    """Measurers, where nobody says which."""

    def load(self, base: Written, parts: Mapping[str, Any], settings: Mapping[str, object], beside: Path) -> Whole:
        """The document with some of its parts exchanged and dotted keys set; `beside` is the file that names them."""

    def settings(self, whole: Whole) -> Any:
        """Return its settings, with the policies that answer and their parameters: one of
        `policies.registry.AnySettings`."""

    def with_settings(self, whole: Whole, settings: Any) -> Whole:
        """The same with other settings."""

    def people(self, whole: Whole) -> Collection[str]:
        """Names by which a policy can be given to one of them."""

    def fingerprint(self, whole: Whole) -> str:
        """Sixteen hexadecimal digits that tell such documents apart."""

    def text(self, whole: Whole) -> str:
        """Return the document as a trial carries it."""

    def read(self, text: str) -> Whole:
        """Return the document of a text. The sender of a text has checked it; here only its form is checked."""

    def play(self, whole: Whole, seed: int, policy: str | None) -> Any:
        """Play it in memory; what comes is what its measurers take."""

    def estimate(self, whole: Whole, seed: int, policy: str | None) -> Estimate:
        """Estimate the requests of a run to a language model."""

    def failed(self, run: Any) -> int:
        """Return the number of answers of a run that have failed."""


def named(level: object) -> bool:
    """A name or a path."""
    return isinstance(level, str)


def counted(level: object) -> bool:
    """A number of things."""
    return isinstance(level, int) and not isinstance(level, bool)


def own_file(found: Found) -> Path | None:
    """A file of the user's own; what is built in goes by its name."""
    return found.file if type(found) is Found and isinstance(found.file, Path) else None


_KINDS: dict[str, Kind] = {"layout": "layout", "lesson": "lesson", "students": "class"}


def _lesson(level: object) -> bool:
    return named(level) or (isinstance(level, list) and bool(level) and all(map(named, level)))


class Courses:
    """Courses of lessons: the subject of the built-in scenarios."""

    kind: Kind = "scenario"
    exchanges: Mapping[str, Exchange] = {
        "layout": Exchange(named, "the name of a layout or a path"),
        "lesson": Exchange(_lesson, "the name of a lesson or a path, or a list of them"),
        "students": Exchange(
            lambda level: counted(level) or named(level), "the name of a class, a path, or a number", counts=True
        ),
        "sessions": Exchange(counted, "a number of lessons", counts=True),
    }
    measurers: Mapping[str, Measurer] = {"lessons": lessons, "talk": talk, "steps": steps}
    usual: tuple[str, ...] = ("lessons",)

    def load(self, base: Written, parts: Mapping[str, Any], settings: Mapping[str, object], beside: Path) -> Scenario:
        """Load a scenario. Files beside the sweep's file come before built-in ones."""
        options = {name: _part(name, level, beside) for name, level in parts.items() if name != "lesson"}
        if "lesson" in parts:
            several = parts["lesson"] if isinstance(parts["lesson"], list) else [parts["lesson"]]
            options["lessons"] = [_part("lesson", one, beside) for one in several]
        return load_scenario(base, settings=settings, **options)

    def settings(self, whole: Scenario) -> Settings:
        """Return the settings of its lessons."""
        return whole.settings

    def with_settings(self, whole: Scenario, settings: Settings) -> Scenario:
        """The same class with other rules."""
        return whole.model_copy(update={"settings": settings})

    def people(self, whole: Scenario) -> Collection[str]:
        """Teacher and students."""
        return whole.people

    def fingerprint(self, whole: Scenario) -> str:
        """Return the fingerprint that studies use."""
        return fingerprint(whole)

    def text(self, whole: Scenario) -> str:
        """The scenario."""
        return scenario_text(whole)

    def read(self, text: str) -> Scenario:
        """The scenario again."""
        return scenario_of(text)

    def play(self, whole: Scenario, seed: int, policy: str | None) -> Run:
        """All its lessons."""
        return run_course(whole, seed, policy)

    def estimate(self, whole: Scenario, seed: int, policy: str | None) -> Estimate:
        """Estimate all its lessons."""
        return estimate_run(whole, seed, policy or whole.settings.policy, whole.settings.llm.fidelity)

    def failed(self, run: Run) -> int:
        """Return the number of failed answers of teacher and students."""
        return count_outcomes(run)["failed"]


def _part(name: str, level: Any, beside: Path) -> Any:
    if not isinstance(level, str):
        return level
    found = find(_KINDS[name], level, beside, where=f"{name} {level}")
    return own_file(found) or level


def scenario_text(scenario: Scenario) -> str:
    """A scenario as a trial carries it."""
    return scenario.model_dump_json(by_alias=True)


@lru_cache(maxsize=64)
def scenario_of(text: str) -> Scenario:
    """The scenario of a trial. Who sends a trial has checked it; here only its form is."""
    return Scenario.model_validate_json(text)


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
        reading = base.reading.copied()
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
        """Return a fingerprint of all that stands in it."""
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
        """Estimate the whole dialogue."""

        def play(counted: AnyPolicy) -> None:
            CollaborationModel(whole.setup, seed=seed, policy=counted, session=whole.session).run()

        return estimate_group(whole.setup, policy or whole.setup.settings.policy, play)

    def failed(self, run: CollaborationModel) -> int:
        """Return the number of failed answers of peers and of those who keep the group going."""
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
    """Every number of a dialogue (measures.groups.NUMBERS), the turns in each stage, and the statuses of answers; for
    each member, the messages, words, errors and corrections."""
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


_LEARNERS_KINDS: tuple[Kind, ...] = ("curriculum", "cohort")


class Learners:
    """Learners with their tutors: the subject that `eduverse learner teach` plays."""

    kind: Kind = "tutoring"
    exchanges: Mapping[str, Exchange] = {
        "curriculum": Exchange(named, "the name of a curriculum or a path"),
        "cohort": Exchange(named, "the name of a cohort or a path"),
        "learners": Exchange(counted, "a number of learners", counts=True),
    }
    measurers: Mapping[str, Measurer]
    usual: tuple[str, ...] = ("years",)

    def __init__(self) -> None:
        self.measurers = {"years": years, "concepts": concepts}

    def load(self, base: Written, parts: Mapping[str, Any], settings: Mapping[str, object], beside: Path) -> Tutoring:
        """Load a tutoring document. Files beside the sweep's file come before built-in ones."""
        given = dict(parts)
        for kind in _LEARNERS_KINDS:
            if kind in given:
                found = find(kind, given[kind], beside, where=f"{kind} {given[kind]}")
                given[kind] = own_file(found) or given[kind]
        return load_tutoring(base, settings=settings, **given)

    def settings(self, whole: Tutoring) -> TutoringSettings:
        """How they are taught."""
        return whole.settings

    def with_settings(self, whole: Tutoring, settings: TutoringSettings) -> Tutoring:
        """The same cohort taught in another way."""
        return whole.model_copy(update={"settings": settings})

    def people(self, whole: Tutoring) -> Collection[str]:
        """The learners."""
        return whole.people

    def fingerprint(self, whole: Tutoring) -> str:
        """Return a fingerprint of all that stands in it."""
        return blake2b(self.text(whole).encode(), digest_size=8).hexdigest()

    def text(self, whole: Tutoring) -> str:
        """The tutoring document, its cohort drawn."""
        return whole.model_dump_json(by_alias=True)

    def read(self, text: str) -> Tutoring:
        """The document again."""
        return _tutoring_of(text)

    def play(self, whole: Tutoring, seed: int, policy: str | None) -> Tutored:
        """All school years."""
        start = begin_tutoring(whole, seed, policy)
        return play_tutoring(start.run, start.spec, policy=start.chosen.policy)

    def estimate(self, whole: Tutoring, seed: int, policy: str | None) -> Estimate:
        """Estimate all school years."""

        def play(few: Tutoring, counted: AnyPolicy) -> None:
            start = begin_tutoring(few, seed, counted)
            play_tutoring(start.run, start.spec, policy=start.chosen.policy)

        return estimate_tutoring(whole, policy or whole.settings.policy, play)

    def failed(self, run: Tutored) -> int:
        """Return the number of failed answers of learners and tutors."""
        return _learners_outcomes(run)["failed"]


@lru_cache(maxsize=16)
def _tutoring_of(text: str) -> Tutoring:
    return Tutoring.model_validate_json(text)


def years(run: Tutored) -> Iterator[Row]:
    """Coverage of the standard by grade (in the column of lessons) and learner, and of all: alignment with the
    curriculum, leaks, kinds of answers, and how answers came."""
    made = taught_tables(run)
    covered = coverage(made.concepts)
    for row in covered.to_dict("records"):
        yield Row(int(row["grade"]), 0, str(row["learner"]), "learning.coverage", float(row["coverage"]))
    for grade, part in covered.groupby("grade"):
        yield Row(int(str(grade)), 0, "", "learning.coverage", float(part["coverage"].mean()))
    yield Row(0, 0, "", "learning.coverage", float(covered["coverage"].mean()))
    yield Row(0, 0, "", "learning.alignment", float(concept_alignment(made.episodes).accuracy))
    yield Row(0, 0, "", "learning.leaks", float(leak_rate(made.lines)))
    for row in answer_kinds(made.lines).to_dict("records"):
        yield Row(0, 0, "", f"answers.{row['kind']}", float(row["share"]))
    for status, n in _learners_outcomes(run).items():
        yield Row(0, 0, "", f"outcomes.{status}", float(n))


def concepts(run: Tutored) -> Iterator[Row]:
    """The mean mastery of each concept, by grade."""
    for row in mastery_map(taught_tables(run).concepts).to_dict("records"):
        yield Row(int(row["grade"]), 0, "", f"mastery.{row['concept']}", float(row["mastery"]))


def _learners_outcomes(run: Tutored) -> dict[str, int]:
    found = Counter(entry.answer.status for entry in run.answers())
    return {status: found[status] for status in STATUSES}


SUBJECTS: Mapping[Kind, Subject[Any]] = MappingProxyType({one.kind: one for one in (Courses(), Groups(), Learners())})


class _Said(msgspec.Struct):
    kind: str = Courses.kind


_READ = msgspec.json.Decoder(_Said)


def subject_of(text: str) -> Subject[Any]:
    """Return the subject of a text, which names its own kind."""
    kind = _READ.decode(text).kind
    return next(subject for name, subject in SUBJECTS.items() if name == kind)
