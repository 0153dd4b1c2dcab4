"""From whatever a user gives to one validated tutoring document: curriculum, cohort and settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from eduverse_mesa.scenarios.checks import fold, turning_sign
from eduverse_mesa.scenarios.cohort import Cohort, Learner
from eduverse_mesa.scenarios.includes import Include, Written, expect_kind, include_all, read_given
from eduverse_mesa.scenarios.item_keys import check_curriculum
from eduverse_mesa.scenarios.library import find, is_path, list_names
from eduverse_mesa.scenarios.overrides import Override
from eduverse_mesa.scenarios.parameters import LEARNER_BOOK, find_problems
from eduverse_mesa.scenarios.plain import Reading, Spot, Trail, read_object
from eduverse_mesa.scenarios.problems import Problem, refuse
from eduverse_mesa.scenarios.reading import read_file
from eduverse_mesa.scenarios.sampler import find_mistakes, sample_class
from eduverse_mesa.scenarios.tutoring import EVERY_GRADE, Tutoring
from eduverse_mesa.scenarios.validating import validate

DEFAULT_TUTORING = "growing_up"


def load_tutoring(
    source: Include | Written | None = None,
    *,
    curriculum: Include | None = None,
    cohort: Include | None = None,
    learners: int | None = None,
    settings: Mapping[str, object] | None = None,
) -> Tutoring:
    """A tutoring document from the name of a built-in one, a path, a mapping, or the default, with parts exchanged.

    `curriculum` and `cohort` are names, paths or mappings; a number of `learners` samples that many. `settings` are
    dotted keys into the document or, shorter, into its settings (`memory.law`). Every mistake is a ScenarioError.
    """
    reading, file = _open(source)
    label = reading.spot(()).label
    if curriculum is not None:
        reading.put(("curriculum",), read_given("curriculum", curriculum, "curriculum", file))
    if cohort is not None:
        reading.put(("cohort",), read_given("cohort", cohort, "cohort", file))
    include_all(reading, file)
    if learners is not None:
        _put_sample(reading, learners)
    for key, value in (settings or {}).items():
        Override(str(key), value, top=TOP).apply(reading)
        include_all(reading, file)
    found: Tutoring = validate("tutoring", reading, label)
    refuse(_check(found, reading), label)
    if found.cohort.sample is None:
        return found
    return found.model_copy(update={"cohort": draw_cohort(found.cohort)})


TOP = tuple(Tutoring.model_fields)


def draw_cohort(cohort: Cohort) -> Cohort:
    """The cohort of a sample: the same traits as a sampled class, without what only a classroom has."""
    assert cohort.sample is not None
    drawn = sample_class(cohort.sample, cohort.name)
    learners = tuple(
        Learner(
            name=student.name,
            gender=student.gender,
            traits=student.traits,
            ability=student.ability,
            motivation=student.motivation,
        )
        for student in drawn.students
    )
    return cohort.model_copy(update={"learners": learners, "sample": None, "title": cohort.title or drawn.title})


def _open(source: Include | Written | None) -> tuple[Reading, Path | None]:
    file: Path | None = None
    if isinstance(source, Written):
        reading, file = source.copied(), source.file
    elif isinstance(source, Path) or (isinstance(source, str) and is_path(source)):
        file = Path(source)
        reading = read_file(file, list_names("tutoring"))
    elif source is None or isinstance(source, str):
        reading = find("tutoring", source or DEFAULT_TUTORING).read()
    else:
        reading = read_object(source, "the tutoring document")
    expect_kind(reading, "tutoring")
    return reading, file


def _put_sample(reading: Reading, size: int) -> None:
    """A cohort of a size, as the document samples it if it does."""
    data = reading.data
    assert isinstance(data, dict)
    cohort = data.get("cohort")
    sample = cohort.get("sample") if isinstance(cohort, dict) else None
    given = {**(sample if isinstance(sample, dict) else {}), "size": size}
    reading.put(("cohort",), Reading({"name": f"sample_{size}", "sample": given}, {(): Spot(f"learners={size}")}))


def _check(found: Tutoring, reading: Reading) -> Iterator[Problem]:
    yield from check_cohort(found.cohort, reading, ("cohort",))
    yield from check_curriculum(found.curriculum, reading, ("curriculum",))
    first, last = found.settings.grades
    place: Trail = ("settings", "grades")
    grades = found.curriculum.grades
    beyond = [grade for grade in (first, last) if not grades[0] <= grade <= grades[-1]]
    nothing = not any(first <= grade <= last for grade in grades)
    # Grades that nobody has named are those that the curriculum has of the usual ones.
    named = "grades" in found.settings.model_fields_set and found.settings.grades != EVERY_GRADE
    if nothing or (beyond and named):
        taught = ", ".join(map(str, grades))
        missing = f"grades {first} to {last}" if nothing else " and ".join(f"grade {grade}" for grade in beyond)
        message = f"the curriculum '{found.curriculum.name}' has nothing for {missing}"
        yield Problem(reading.spot(place), place, message, f"It has units for grades {taught}.")
    yield from find_problems(found.settings.parameters, reading, LEARNER_BOOK)


def check_cohort(cohort: Cohort, reading: Reading, at: Trail = ()) -> Iterator[Problem]:
    """Names that could be mixed up, and samples that cannot be drawn."""
    taken: dict[str, str] = {}
    for index, learner in enumerate(cohort.learners):
        place: Trail = (*at, "learners", index, "name")
        folded = fold(learner.name)
        if folded in taken:
            message = f"the name '{learner.name}' cannot be told from {taken[folded]}"
            yield Problem(reading.spot(place), place, message, "Rename one: learners are spoken to by their names.")
        if len(learner.name.splitlines()) > 1:
            yield Problem(reading.spot(place), place, "the name goes over several lines", "Write it in one line.")
        if turning := turning_sign(learner.name):
            yield Problem(
                reading.spot(place), place, f"the name holds {turning}, which turns words round", "Remove it."
            )
        taken.setdefault(folded, f"learner {index + 1}, '{learner.name}'")
    if cohort.sample is not None:
        for trail, message, mend in find_mistakes(cohort.sample):
            place = (*at, "sample", *trail)
            yield Problem(reading.spot(place), place, message, mend)
