"""From whatever a user gives to one validated collaboration: problems, peers, seats and rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from eduverse_mesa.scenarios.collaboration import Collaboration
from eduverse_mesa.scenarios.includes import Include, Written, expect_kind, include_all
from eduverse_mesa.scenarios.library import find, is_path, list_names
from eduverse_mesa.scenarios.overrides import Override
from eduverse_mesa.scenarios.parameters import PEER_BOOK, find_problems
from eduverse_mesa.scenarios.plain import Reading, Trail, read_object
from eduverse_mesa.scenarios.posing import load_problem
from eduverse_mesa.scenarios.problems import Problem, refuse
from eduverse_mesa.scenarios.proving import check_kept_problem, check_word_problem
from eduverse_mesa.scenarios.reading import read_file
from eduverse_mesa.scenarios.validating import validate
from eduverse_mesa.scenarios.word_problem import WordProblem

DEFAULT_COLLABORATION = "alice_and_bob"
_IN_LANGUAGES = {"zh": "xiaoyu_and_xiaohang"}
Prove = Callable[[WordProblem, Reading], list[Problem]]
TOP = tuple(Collaboration.model_fields)


def load_collaboration(
    source: Include | Written | None = None,
    *,
    problem: Include | None = None,
    arm: str | None = None,
    seats: Sequence[str] | None = None,
    settings: Mapping[str, object] | None = None,
) -> Collaboration:
    """A collaboration from the name of a built-in one, a path, a mapping, or the default: two peers, nine problems.

    `problem` is the name of one of its problems, or of a built-in one, a path or a mapping: the group works on this
    one. `arm` and `settings` (dotted keys) change the rules, `seats` names who of flesh and blood is there.
    """
    changes: dict[str, object] = dict(settings or {})
    if arm is not None:
        changes["settings.arm"] = arm
    if isinstance(source, Collaboration):
        found = source
    elif source is None:
        found = _default(_language_of(problem))
    else:
        found, changes, seats = _read(source, changes, seats), {}, None
    if changes or seats is not None:
        found = _read(found.model_dump(mode="json"), changes, seats)
    return _with_problem(found, problem)


def kept_collaboration(document: Mapping[str, object]) -> Collaboration:
    """A collaboration that a study keeps. Its problems were proved when they were given."""
    return _read(document, {}, None, prove=check_kept_problem)


def _language_of(problem: Include | None) -> str:
    """The language in which a group talks that nobody has named: that of its problem."""
    if isinstance(problem, WordProblem):
        return problem.language
    if problem is None or any(one.name == problem for one in _default("en").problems):
        return "en"
    return load_problem(problem).language.replace("_", "-").split("-")[0]


@lru_cache(maxsize=4)
def _default(language: str) -> Collaboration:
    """The built-in one, read once: its problems are proved each time they are read."""
    return _read(_IN_LANGUAGES.get(language, DEFAULT_COLLABORATION), {}, None)


def _read(
    source: Include | Written,
    settings: Mapping[str, object],
    seats: Sequence[str] | None,
    *,
    prove: Prove = check_word_problem,
) -> Collaboration:
    file: Path | None = None
    if isinstance(source, Written):
        reading, file = source.copied(), source.file
    elif isinstance(source, Path) or (isinstance(source, str) and is_path(source)):
        file = Path(source)
        reading = read_file(file, list_names("collaboration"))
    elif isinstance(source, str):
        reading = find("collaboration", source).read()
    else:
        reading = read_object(source, "the collaboration")
    expect_kind(reading, "collaboration")
    if seats is not None:
        Override("seats", list(seats), "seats", top=TOP).apply(reading)
    for key, value in settings.items():
        Override(str(key), value, top=TOP).apply(reading)
    include_all(reading, file)
    label = reading.spot(()).label
    found: Collaboration = validate("collaboration", reading, label)
    refuse(_check(found, reading, prove), label)
    return found


def _check(found: Collaboration, reading: Reading, prove: Prove) -> Iterator[Problem]:
    names = [one.name for one in found.problems]
    known = {mistake.id for one in found.problems for mistake in one.misconceptions}
    for index, one in enumerate(found.problems):
        place: Trail = ("problems", index)
        yield from prove(one, reading.part(place))
        if names.index(one.name) < index:
            yield Problem(reading.spot(place), place, f"the problem '{one.name}' is there twice", "Keep one of them.")
    for index, peer in enumerate(found.peers):
        if peer.misconception is not None and peer.misconception not in known:
            place = ("peers", index, "misconception")
            message = f"'{peer.misconception}' is no misconception of these problems"
            yield Problem(reading.spot(place), place, message, f"Known: {', '.join(sorted(known))}.")
    yield from find_problems(found.settings.parameters, reading, PEER_BOOK)


def _with_problem(found: Collaboration, problem: Include | None) -> Collaboration:
    if problem is None:
        return found
    chosen = problem if isinstance(problem, WordProblem) else None
    chosen = chosen or next((one for one in found.problems if one.name == problem), None)
    return found.model_copy(update={"problems": (chosen or load_problem(problem),)})
