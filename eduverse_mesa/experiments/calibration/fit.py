"""Fit the embedded model's parameters: which are free, the ensemble smoother, and what a fit keeps and leaves."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from hashlib import blake2b
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pandas as pd
import yaml

from eduverse_mesa import __version__
from eduverse_mesa.errors import EduverseError, LessonError, SweepError
from eduverse_mesa.experiments.calibration.targets import FITTED_LAYOUTS, IRF_COLUMNS, STATES, Target
from eduverse_mesa.experiments.engines import Engine, Serial, Task, Work
from eduverse_mesa.experiments.folders import alone_in, write_whole
from eduverse_mesa.experiments.papers.eduverse.designs import CHINESE
from eduverse_mesa.experiments.realism.design import LAYOUTS, Design
from eduverse_mesa.experiments.realism.measures import class_facts
from eduverse_mesa.experiments.trials import with_parameters
from eduverse_mesa.measures import class_shares, evolution, irf_measures, measure_lessons
from eduverse_mesa.runs.classroom import run_course
from eduverse_mesa.runs.tables import tables
from eduverse_mesa.scenarios import Scenario, load_scenario
from eduverse_mesa.scenarios.parameters import Parameter, known_parameters, load_parameters

if TYPE_CHECKING:
    from numpy.typing import NDArray

FREE = (
    # how often each behaviour comes
    *(
        f"plan.{behaviour}.base"
        for behaviour in (
            "sleep",
            "chat",
            "head_down",
            "note_taking",
            "hand_raise",
            "head_up",
            "read_aloud",
            "side_talk",
            "answer_question",
            "ask_question",
            "group_discussion",
        )
    ),
    # what the person, the lesson and the room do to it
    "plan.chat.motivation",
    "plan.chat.conscientiousness",
    "plan.chat.facing",
    "plan.chat.grouped",
    "plan.chat.interest",
    "plan.chat.teacher_far",
    "plan.side_talk.grouped",
    "plan.side_talk.facing",
    "plan.answer_question.facing",
    "plan.answer_question.extraversion",
    "plan.answer_question.confidence",
    "plan.answer_question.checked",
    "plan.answer_question.pressed",
    "plan.answer_question.habit",
    "plan.answer_question.interest",
    "plan.answer_question.demand",
    "plan.side_talk.habit",
    "plan.head_down.habit",
    "habit.rate",
    # feeling and thinking
    "emotion.confused_cut",
    "emotion.negative_cut",
    "emotion.interest",
    "emotion.demand",
    "emotion.grouped",
    "emotion.habit",
    "emotion.neuroticism",
    "emotion.openness",
    "cognition.first_cut",
    "cognition.demanded",
    "cognition.grouped",
    "cognition.discussion",
    "cognition.understanding",
    "cognition.openness",
    # the teacher
    "teach.asking_question.base",
    "teach.asking_question.ask",
    "teach.asking_question.grouped",
    "teach.asking_question.questioning",
    "teach.organising_discussion.base",
    "teach.giving_directions.grouped",
    "call.share",
    "call.turns",
    "call.hand_up",
    "floor.question",
    "floor.others",
    "floor.dominance",
    "press.reasoning",
    "press.relate",
    "feedback.answer",
    "feedback.off_task",
    "feedback.hand",
    "feedback.talk",
    "feedback.silent",
    "feedback.revoice",
    "feedback.nod",
    "feedback.evaluate",
    "feedback.evaluate_right",
    "feedback.take_up",
    "feedback.pass",
    "pace.extend_below",
    # words
    "words.checking",
    "speak.brief_accuracy",
    "speak.brief_reasoning",
    "speak.brief_lost",
    "speak.ask_when_lost",
    "speak.relate",
    "speak.evidence_reasoning",
    "speak.evidence_accuracy",
    "recall.partial",
)
_SHARE = 0.15
"""Standard deviation of the prior for a share, and for a rate by its range."""
_WEIGHT = 0.7
"""And for weights and bases of utilities, in logits."""


def free_parameters(globs: tuple[str, ...] = ()) -> dict[str, Parameter]:
    """The parameters to be fitted: the standard set, or those that match."""
    known = known_parameters()
    if not globs:
        return {name: known[name] for name in FREE}
    found = {name: part for name, part in known.items() if any(fnmatchcase(name, glob) for glob in globs)}
    if not found:
        raise EduverseError(
            f"no parameter matches {', '.join(globs)}.",
            where="free",
            mend="Names are in docs/reference/parameters.md; * stands for any part of one.",
        )
    return found


def prior_sd(parameter: Parameter) -> float:
    """How far a parameter may be expected to be from its value."""
    least, most = parameter.range
    return min(_WEIGHT, _SHARE * (most - least))


WORK = f"{__name__}:work"
_KEPT_WORK = "eduverse_mesa.experiments.calibration.observing:work"
"""The name of `work` in folders of fits: it stays, so that those of earlier versions go on."""
_CLASSES = 499_979
"""So many are drawn before they come again: a prime, since the seeds of members are a thousand apart."""
_OF_CLASS = ("on_task", "top_share")

Observed = dict[str, float]


class Member(msgspec.Struct, frozen=True):
    """One set of parameters to be tried, and how many lessons to try it with."""

    parameters: dict[str, float]
    seed: int
    lessons: int = 2
    """Of each cell; as many courses, and as many lessons of mathematics."""


def work(payload: bytes) -> bytes:
    """Return the observations of a member, as bytes: the function that an engine calls."""
    return msgspec.json.encode(observe(msgspec.json.decode(payload, type=Member)))


def observe(member: Member) -> Observed:
    """The mean over lessons of everything that is fitted to, by the names of the targets; what no lesson showed is left
    out."""
    found: dict[str, list[float]] = {}
    for number in range(member.lessons):
        seed = member.seed + number
        for part in (*_cells(member.parameters, seed), _course(member.parameters, seed)):
            for name, value in part.items():
                found.setdefault(name, []).append(value)
        for name, value in _mathematics(member.parameters, seed).items():
            found.setdefault(name, []).append(value)
    known = {name: [value for value in values if math.isfinite(value)] for name, values in found.items()}
    return {name: fmean(values) for name, values in known.items() if values}


def _cells(parameters: Mapping[str, float], seed: int) -> Iterable[Observed]:
    for layout in FITTED_LAYOUTS:
        for genre in CHINESE:
            run = run_course(with_parameters(_lesson(genre, layout), parameters), seed)
            made = tables([run.lessons[0].model])
            rates = irf_measures(made.student_steps, made.teacher_steps)
            shares = {f"bec.{layout}.{genre}.{name}": value for name, value in class_shares(made.student_steps).items()}
            yield (
                shares
                | {f"irf.{layout}.{genre}.{name}": rates[name] for name in IRF_COLUMNS}
                | {f"irf.{layout}.{genre}.steps": float(run.steps)}
            )


def _course(parameters: Mapping[str, float], seed: int) -> Observed:
    run = run_course(with_parameters(_sessions(), parameters), seed)
    changes = evolution(tables(lesson.model for lesson in run.lessons).student_steps)
    order = list(dict.fromkeys(changes["lesson"]))
    found = {
        f"session.{order.index(lesson) + 1}.{state}": float(rows[state].mean())
        for lesson, rows in changes.groupby("lesson")
        for state in STATES
    }
    return found | {
        f"student.{student}.{state}": float(rows[state].mean())
        for student, rows in changes.groupby("student")
        for state in STATES
    }


def _mathematics(parameters: Mapping[str, float], seed: int) -> Observed:
    run = run_course(with_parameters(_class(seed), parameters), seed)
    made = tables([run.lessons[0].model])
    talk = measure_lessons(made.sentences).iloc[0]
    facts = class_facts(made, None)
    return {f"talk.{name}": float(value) for name, value in talk.items()} | {
        f"class.{name}": facts[name] for name in _OF_CLASS
    }


@cache
def _lesson(genre: str, layout: str) -> Scenario:
    return load_scenario(None, layout=layout, lessons=[CHINESE[genre]], students="six")


@cache
def _sessions() -> Scenario:
    return load_scenario("four_sessions", students="six")


def _class(seed: int) -> Scenario:
    """A class, teacher and layout of its own for each seed, as the realism report has them; but none of its own, since
    its seeds begin at 1."""
    return Design(per_teacher=1, seed=0).scenario(seed % _CLASSES, LAYOUTS[seed % len(LAYOUTS)])


PLAN = "plan.json"
_WHAT = {
    "plan": "members, assimilations, lessons or seed",
    "free": "the free parameters",
    "targets": "the targets",
    "parameters": "the values of other parameters",
    "work": "what is played",
    "eduverse": "the version of eduverse-mesa",
}


def digest_of(data: object) -> str:
    """A few letters that are other ones for other data."""
    return blake2b(msgspec.json.encode(data, order="deterministic"), digest_size=8).hexdigest()


def about(plan: object, free: Mapping[str, Parameter], wanted: Sequence[Target], work: str) -> dict[str, Any]:
    """All that decides on what is played, as plain data."""
    return {
        "plan": msgspec.to_builtins(plan),
        "free": {name: [parameter.value, *parameter.range] for name, parameter in free.items()},
        "targets": digest_of(tuple(wanted)),
        "parameters": digest_of(load_parameters()),
        "work": _KEPT_WORK if work == WORK else work,
        "eduverse": __version__,
    }


@contextmanager
def alone_with(folder: Path | None, wanted: Mapping[str, Any]) -> Iterator[None]:
    """Fit here, and nobody else meanwhile. A folder in which something else was fitted is left alone."""
    with ExitStack() as stack:
        if folder is not None:
            try:
                folder.mkdir(parents=True, exist_ok=True)
                stack.enter_context(alone_in(folder))
                _expect_same(folder, wanted)
                write_whole(folder / PLAN, msgspec.json.format(msgspec.json.encode(wanted), indent=2))
            except SweepError as error:
                raise EduverseError(
                    "another program is fitting there.",
                    where=str(folder),
                    mend="Wait for it, stop it, or take another folder.",
                ) from error
            except OSError as error:
                raise EduverseError(
                    f"nothing can be written there ({error.strerror}).",
                    where=str(folder),
                    mend="Choose another folder.",
                ) from error
        yield


def _expect_same(folder: Path, wanted: Mapping[str, Any]) -> None:
    file = folder / PLAN
    if not file.exists():
        return
    try:
        before = msgspec.json.decode(file.read_bytes(), type=dict[str, Any])
    except msgspec.DecodeError:
        before = {}
    other = [words for key, words in _WHAT.items() if before.get(key) != wanted[key]]
    if other:
        raise EduverseError(
            f"something else is being fitted there: {', '.join(other)} differ.",
            where=str(folder),
            mend="Give the same options to go on, or another folder.",
        )


# --- what was played ---


class Kept(msgspec.Struct):
    """A line: what one member of an ensemble has yielded."""

    key: str
    member: Member
    observed: Observed


class Ensemble:
    """Results of the members of one ensemble, a line a member; in memory only, without a file."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._kept = {} if file is None else _read(file)
        self._broken = file is not None and _is_broken(file)

    def find(self, key: str, member: Member) -> Observed | None:
        """Return the results of this very member; None if it was not played."""
        kept = self._kept.get(key)
        return kept.observed if kept is not None and kept.member == member else None

    def keep(self, entry: Kept) -> None:
        """Write it down at once: whoever is stopped goes on from here."""
        if self._file is None:
            return
        with self._file.open("ab") as out:
            out.write((b"\n" if self._broken else b"") + msgspec.json.encode(entry) + b"\n")
        self._broken = False


def _read(file: Path) -> dict[str, Kept]:
    """Return the entries that a file keeps, without a line that was being written when the program was killed."""
    if not file.exists():
        return {}
    kept: dict[str, Kept] = {}
    for line in file.read_bytes().split(b"\n")[:-1]:
        try:
            entry = msgspec.json.decode(line, type=Kept)
        except msgspec.DecodeError:
            continue
        kept[entry.key] = entry
    return kept


def _is_broken(file: Path) -> bool:
    """Return True if the last line was not written to its end."""
    if not file.exists():
        return False
    with file.open("rb") as lines:
        size = lines.seek(0, 2)
        lines.seek(max(size - 1, 0))
        return lines.read(1) not in (b"", b"\n")


Watch = Callable[[int, int], object]
"""Hears which assimilation is being played, and how many members of it are done."""

_APART = 1000
"""Seeds between members: each is played with other luck, so that none is fitted to."""
IDLE = 200
"""Parameters that are drawn and moved with the others and never played: what they seem to have learned is chance."""
ABOVE_CHANCE = 0.95
"""Of the idle ones lie so many below the floor: of parameters that do nothing, 1 in 20 is above it all the same."""
_CLOSE = 1e-9
"""How near numbers of a member that is played again are, if nothing has changed but the machine."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How to fit."""

    members: int = 200
    assimilations: int = 4
    lessons: int = 2
    seed: int = 1

    def __post_init__(self) -> None:
        if self.members < 8 or self.assimilations < 1 or self.lessons < 1:
            raise EduverseError(
                "that is too little to fit anything.",
                where="members, assimilations, lessons",
                mend="Give 8 members, 1 assimilation and 1 lesson at least.",
            )


@dataclass(frozen=True, slots=True)
class Fit:
    """The result of a fit."""

    plan: Plan
    names: tuple[str, ...]
    prior: NDArray[np.float64]
    """A row a member, a column a parameter."""
    posterior: NDArray[np.float64]
    history: tuple[pd.DataFrame, ...]
    """Results of the members of each assimilation, and at last those of the posterior: a row a member, a column a
    target, NaN for anything that a member could not show."""
    idle: NDArray[np.float64]
    """Apparent learning of each of the idle parameters."""

    @property
    def floor(self) -> float:
        """Return the most that a parameter that does nothing can seem to have learned in this fit. An ensemble is
        finite: chance correlations between the values drawn and the results played take variance away, too."""
        return float(np.quantile(self.idle, ABOVE_CHANCE))

    @property
    def values(self) -> dict[str, float]:
        """The mean of the posterior: what is shipped."""
        return {name: float(value) for name, value in zip(self.names, self.posterior.mean(axis=0), strict=True)}

    def spread(self) -> pd.DataFrame:
        """Prior and posterior of each parameter, how much of the prior's variance the fit has taken away, and whether
        that is more than chance takes: told."""
        before, after = self.prior, self.posterior
        learned = _learned(before, after)
        return pd.DataFrame(
            {
                "parameter": self.names,
                "prior_mean": before.mean(axis=0),
                "prior_sd": before.std(axis=0, ddof=1),
                "mean": after.mean(axis=0),
                "sd": after.std(axis=0, ddof=1),
                "low": np.quantile(after, 0.025, axis=0),
                "high": np.quantile(after, 0.975, axis=0),
                "learned": learned,
                "told": learned > self.floor,
            }
        )


def fit(
    free: dict[str, Parameter],
    wanted: Sequence[Target],
    plan: Plan | None = None,
    *,
    engine: Engine | None = None,
    folder: Path | None = None,
    watch: Watch | None = None,
    work: Work = WORK,
) -> Fit:
    """Fit parameters to targets. With a folder, what was played is kept there, and the same call goes on from it;
    another one is refused there.

    `work` is what is fitted: it makes what was observed (JSON) of a Member (JSON).
    """
    plan = plan or Plan()
    smoother, covariance = _library()
    rng = np.random.default_rng(plan.seed)
    bounds = np.array([parameter.range for parameter in free.values()])
    start = np.array([parameter.value for parameter in free.values()])
    sds = np.array([prior_sd(parameter) for parameter in free.values()])
    prior = np.clip(start + sds * rng.standard_normal((plan.members, len(free))), bounds[:, 0], bounds[:, 1])
    # Drawn by themselves: what is fitted is the same with them and without.
    idle = np.random.default_rng((plan.seed, IDLE)).standard_normal((plan.members, IDLE))
    history: list[pd.DataFrame] = []
    player = _Player(tuple(free), tuple(wanted), plan, engine or Serial(), work, folder, watch)

    def forward(ensemble: NDArray[np.float64]) -> NDArray[np.float64]:
        table = player.play(len(history), ensemble.T[:, : len(free)])
        history.append(table)
        return np.ascontiguousarray(_filled(table, wanted).to_numpy().T)

    solver = smoother(
        obs=np.array([target.value for target in wanted]),
        m_init=np.ascontiguousarray(np.hstack((prior, idle)).T),
        cov_obs=covariance(np.array([target.sd**2 for target in wanted])),
        forward_model=forward,
        n_assimilations=plan.assimilations,
        m_bounds=np.vstack((bounds, np.tile((-np.inf, np.inf), (IDLE, 1)))),
        random_state=np.random.default_rng(plan.seed + 1),
        is_parallel_analyse_step=False,
    )
    with alone_with(folder, about(plan, free, wanted, work)):
        solver.solve()
    moved = np.asarray(solver.m_posterior).T
    posterior = moved[:, : len(free)]
    return Fit(plan, tuple(free), prior, posterior, tuple(history), _learned(idle, moved[:, len(free) :]))


def _learned(before: NDArray[np.float64], after: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of the variance of each column that is gone."""
    return np.asarray(1.0 - after.var(axis=0) / before.var(axis=0))


class _Player:
    """Plays ensembles, and keeps what they yielded."""

    def __init__(
        self,
        names: tuple[str, ...],
        wanted: tuple[Target, ...],
        plan: Plan,
        engine: Engine,
        work: Work,
        folder: Path | None,
        watch: Watch | None,
    ) -> None:
        self._names = names
        self._wanted = wanted
        self._plan = plan
        self._engine = engine
        self._work = work
        self._folder = folder
        self._watch = watch

    def play(self, number: int, ensemble: NDArray[np.float64]) -> pd.DataFrame:
        """Return the results of the members: a row a member."""
        file = None if self._folder is None else self._folder / f"ensemble-{number}.jsonl"
        kept = Ensemble(file)
        members = {
            f"{number}-{place}": Member(
                dict(zip(self._names, map(float, row), strict=True)),
                self._plan.seed + _APART * (number * self._plan.members + place + 1),
                self._plan.lessons,
            )
            for place, row in enumerate(ensemble)
        }
        found = {key: kept.find(key, member) for key, member in members.items()}
        known = {key: observed for key, observed in found.items() if observed is not None}
        if known and number == 0:
            self._expect_same_rules(members, known)
        tasks = (Task(key, msgspec.json.encode(member)) for key, member in members.items() if key not in known)
        for finished in self._engine.run(self._work, tasks):
            if finished.error:
                raise LessonError(f"member {finished.key} of the ensemble failed: {finished.error}")
            known[finished.key] = msgspec.json.decode(finished.answer, type=Observed)
            kept.keep(Kept(finished.key, members[finished.key], known[finished.key]))
            if self._watch is not None:
                self._watch(number, len(known))
        rows = [known[key] for key in members]
        return pd.DataFrame(rows, columns=[target.name for target in self._wanted], dtype=float)

    def _expect_same_rules(self, members: dict[str, Member], known: dict[str, Observed]) -> None:
        """Play one of those that were played once more: a version under work has other rules from day to day."""
        key = next(iter(known))
        for again in self._engine.run(self._work, [Task(key, msgspec.json.encode(members[key]))]):
            if again.error:
                raise LessonError(f"member {key} of the ensemble failed: {again.error}")
            observed = msgspec.json.decode(again.answer, type=Observed)
            same = observed.keys() == known[key].keys() and all(
                math.isclose(value, known[key][name], rel_tol=_CLOSE, abs_tol=_CLOSE)
                for name, value in observed.items()
            )
            if not same:
                raise EduverseError(
                    "what was played there was played by other rules.",
                    where=str(self._folder),
                    mend="Take another folder, and fit anew.",
                )


def _filled(table: pd.DataFrame, wanted: Sequence[Target]) -> pd.DataFrame:
    """For the smoother, which knows no gaps: what a member could not show (no question of a kind in its few lessons)
    tells nothing, so it is the others' mean; what no member could show moves none of them, and is as if it were met."""
    return table.fillna(table.mean()).fillna({target.name: target.value for target in wanted})


def _library() -> tuple[type, type]:
    try:
        from covmats import CovViaDiagonal
        from pyesmda import ESMDA
    except ImportError as error:
        raise EduverseError(
            "the library that fits is not installed.",
            where="calibration",
            mend='Install it with: pip install "eduverse-mesa[experiments]"',
        ) from error
    return ESMDA, CovViaDiagonal


_DIGITS = 4


def parameters_text(fit: Fit, wanted: Sequence[Target]) -> str:
    """The file as text: YAML, which `eduverse run --parameters FILE` takes."""
    plan = fit.plan
    document = {
        "kind": "parameters",
        "title": "Fitted by eduverse calibrate",
        "provenance": {
            "method": "ensemble smoother with multiple data assimilation (Emerick and Reynolds 2013); posterior means",
            "eduverse": __version__,
            "seed": plan.seed,
            "members": plan.members,
            "assimilations": plan.assimilations,
            "lessons": plan.lessons,
            "targets": len(wanted),
            "targets_digest": digest_of(tuple(wanted)),
        },
        "values": {name: round(value, _DIGITS) for name, value in sorted(fit.values.items())},
    }
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=120)


def write_parameters(fit: Fit, wanted: Sequence[Target], path: Path) -> None:
    """Write the file."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(parameters_text(fit, wanted), encoding="utf-8")
    except OSError as error:
        raise EduverseError(
            f"the parameters cannot be written ({error.strerror}).", where=str(path), mend="Choose another place."
        ) from error
