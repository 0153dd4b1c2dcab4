"""Students taken out of a study for good, and dialogues that were kept long enough: first out of the tables, then out
of every byte of the files, which are searched for what had been drawn for them alone."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from eduverse_mesa.errors import StudyError
from eduverse_mesa.runs.erasure.participant import Needle, search_files
from eduverse_mesa.runs.erasure.words import MIN_LABEL, MIN_WIDTH, Phrase, width
from eduverse_mesa.store import AccountRow, Study
from eduverse_mesa.store.accounts import account, account_named, classes_of, students_of
from eduverse_mesa.store.classwork import erase_assignment, erase_student, find_talks
from eduverse_mesa.store.dialogues import Old, Term, find_old, is_said, keep_days, messages_of, take_out_old
from eduverse_mesa.store.purge import Due, files_of, find_due, own_files, purge, put_back, set_aside, settle

_DRAWN = 16
"""Letters that an id has at least, if it was drawn."""


class Taken(NamedTuple):
    """A record of what was taken out of the tables."""

    runs: list[str]
    drawn: list[str]
    """Ids and hashes that stood with every piece of it, and nowhere else."""
    phrases: list[Phrase]
    """Phrases that a language model may have repeated."""
    surveys: int = 0

    @property
    def due(self) -> Due:
        """The part of it that is noted until no byte is left."""
        return _due(self.drawn, self.phrases)


def _due(drawn: Iterable[str], phrases: Iterable[Phrase]) -> Due:
    return Due(tuple(drawn), tuple(phrase.text for phrase in phrases))


def take_out(study: Study, student: str) -> Taken:
    """Take a student out of the tables, with all that they have written and answered."""
    name = account(study, student).name
    found = account_named(study, name)
    drawn = [student, found[1] if found else student]
    runs = [talk.run for talk in find_talks(study, account=student)]
    phrases = _said(study, runs)
    if width(name) >= MIN_LABEL:
        phrases.append(Phrase.of(name))
    gone = erase_student(study, student, _due([*drawn, *runs], phrases))  # what was begun in the meantime goes as well
    return Taken(gone, [*drawn, *dict.fromkeys([*runs, *gone])], phrases)


def take_out_set(study: Study, assignment: str) -> Taken:
    """Take a set of problems out of the tables, with all that was said and answered in it."""
    phrases = _said(study, [talk.run for talk in find_talks(study, assignment=assignment)])
    gone = erase_assignment(study, assignment, _due([assignment], phrases))
    return Taken(gone, [assignment, *gone], phrases)


def _said(study: Study, runs: list[str]) -> list[Phrase]:
    """Return the phrases that people have said there, as far as they are long enough to be known again."""
    said = [row.text for run in runs for row in messages_of(study, run) if row.key]
    return [Phrase.of(text) for text in dict.fromkeys(said) if width(text) >= MIN_WIDTH]


def take_out_kept_long(study: Study, now: float) -> Taken | None:
    """Take out what no teacher keeps any longer; `now` in seconds since 1970. None: there is nothing."""
    terms = [_term(pupils, now, days) for pupils, days in _kept_for(study) if days is not None]
    there = find_old(study, terms)
    if there.is_nothing:
        return None
    phrases = _said(study, there.runs)
    old = take_out_old(study, terms, _due([], phrases))
    return Taken(old.runs, old.runs, phrases, old.surveys)


def find_kept_long(study: Study, now: float, days: int | None, teacher: str) -> Old:
    """Return what would go at once of a teacher's class, if it were kept for so many days."""
    return find_old(study, [] if days is None else [_term(students_of(study, teacher), now, days)])


def _kept_for(study: Study) -> list[tuple[list[AccountRow], int | None]]:
    return [(pupils, keep_days(study, teacher)) for teacher, pupils in classes_of(study).items()]


def _term(pupils: Iterable[AccountRow], now: float, days: int) -> Term:
    return Term(tuple(one.id for one in pupils), _moment(now, days))


def _moment(now: float, days: int) -> str:
    at = datetime.fromtimestamp(now, UTC) - timedelta(days=days)
    return at.isoformat(timespec="seconds")


def make_sure(study: Study, taken: Taken, cache: Path | None = None) -> int:
    """Forget what language models have answered with it, write the files anew without it, and search them. It fails
    where another program reads one of them at that moment; what is due stays noted, and `finish` tries again. Gives the
    answers that were forgotten. `cache`: where those are remembered; None: no language model was asked here."""
    try:
        forgotten = _forget(taken, cache)
    except Exception:
        purge(study)  # whatever is with the cache: of the study only the note is left
        raise
    set_aside(study, taken.due)
    try:
        purge(study)
        _search(study, taken)
    except Exception:
        put_back(study, _due(taken.drawn, ()))
        raise
    settle(study)
    return forgotten


def _search(study: Study, taken: Taken) -> None:
    # A short id was given by hand, and may stand anywhere; one that was drawn may have been told to somebody who said
    # it: there it stays.
    drawn = [one for one in dict.fromkeys(taken.drawn) if len(one) >= _DRAWN and not is_said(study, one)]
    _, found = search_files(own_files(study), [Needle(one, False) for one in drawn])
    if found:
        raise StudyError(
            f"{found[0].where} still holds traces of what was deleted.",
            where=study.path,
            mend="Close the other programs that have it open; it is tried again by itself.",
        )


def _forget(taken: Taken, cache: Path | None) -> int:
    if cache is None or not taken.phrases or not any(path.exists() for path in files_of(cache)):
        return 0
    from eduverse_mesa.policies.llm.calling.cache import forget_answers

    return forget_answers(cache, lambda text: any(phrase.stands_in(text) for phrase in taken.phrases))


def finish(study: Study, cache: Path | None = None) -> bool:
    """Do what an erasing before could not, all of it: whether there was something to do."""
    due = find_due(study)
    if due is None:
        return False
    make_sure(study, Taken([], list(due.drawn), [Phrase.of(text) for text in due.words]), cache)
    return True
