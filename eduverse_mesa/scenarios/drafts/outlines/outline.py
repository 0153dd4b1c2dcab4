"""A teacher's outline as a lesson plan: headings are phases, questions are asked, sentences are told, tasks are done.

What an outline does not say (a likely misconception, an answer), and what it says so briefly that it had to be guessed,
is listed in the lesson as unconfirmed: until somebody has confirmed it, the lesson cannot be run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.drafts.documents import Mapped, entries, mapping, said
from eduverse_mesa.scenarios.drafts.lessons import confirm, with_marks
from eduverse_mesa.scenarios.drafts.outlines.acts import Act
from eduverse_mesa.scenarios.drafts.outlines.lines import (
    CONTAINERS,
    DOINGS,
    ENDS,
    FILLINGS,
    GOALS,
    HEADINGS,
    PHASE_HEADINGS,
    Fillings,
    Line,
    bloom_of,
    keeps_reason,
    keywords_of,
    language_of,
    press_of,
    read_lines,
    without_because,
)
from eduverse_mesa.scenarios.drafts.outlines.sentences import Piece, read_act, read_sentences
from eduverse_mesa.scenarios.plain import Trail
from eduverse_mesa.vocabulary import PHASES, Doing, PhaseName

_GRADE = re.compile(
    r"\b(?:grade|year|class|form|gr\.|yr\.)\s*\d{1,2}[a-z]?\b|\b\d{1,2}(?:st|nd|rd|th)[ -]grade(?:rs?)?\b|"
    r"\bage[sd]?\s*\d{1,2}(?:\s*[-–]\s*\d{1,2})?\b|"
    r"(?:小学|初中|高中)?(?:[一二三四五六七八九]|\d{1,2})\s*年级(?:[上下][册学期]*)?|[初高][一二三](?![一-鿿])",
    re.IGNORECASE,
)
_MINUTES = re.compile(r"(?<![\d.])(\d{1,3})\s*(?:minutes?\b|mins?\b\.?|分钟)", re.IGNORECASE)
_LOOSE = " \t,;，；、|/·-–—"
_EMPTY = re.compile(r"[(（\[]\s*[,;，；、]*\s*[)）\]]")


class Framed(NamedTuple):
    """A title without the grade and minutes that stood beside it; empty and 0 where it names none."""

    title: str
    grade: str = ""
    minutes: float = 0.0


def read_frame(text: str) -> Framed:
    """`Why leaves fall - grade 5, 45 min`: the title, the grade and the minutes of the whole lesson."""
    grade, minutes = _GRADE.search(text), _MINUTES.search(text)
    rest = _MINUTES.sub("", _GRADE.sub("", text))
    rest = _EMPTY.sub("", rest).strip(_LOOSE)
    if not any(letter.isalpha() for letter in rest):
        return Framed(text)
    return Framed(rest, grade[0] if grade else "", float(minutes[1]) if minutes else 0.0)


LONGEST = 600
_MIDDLE = tuple(one for one in PHASES if one in PHASE_HEADINGS and one not in ("introduction", "summary"))
_LONGEST_NOTE = 4000


@dataclass
class Plan:
    """The parts of a lesson as they come in."""

    words: Fillings
    language: str
    title: str = ""
    goals: list[Mapped] = field(default_factory=list)
    ideas: list[Mapped] = field(default_factory=list)
    questions: list[Mapped] = field(default_factory=list)
    phases: dict[PhaseName, Mapped] = field(default_factory=dict)
    minutes: dict[PhaseName, float] = field(default_factory=dict)
    total: float = 0.0
    """Minutes of the whole lesson; 0 where the outline does not say them."""
    made_up: list[Trail] = field(default_factory=list)
    told_before: list[int] = field(default_factory=list)
    """Number of ideas that stood before each question."""
    remarks: list[str] = field(default_factory=list)
    """Notes and material that stand above the first activity of a phase, and belong to it."""

    def guess(self, *trail: str | int) -> None:
        """A place that the outline says nothing, or too little, about."""
        self.made_up.append(trail)

    def doubt(self, question: Mapped) -> None:
        """The answer of a question that may be none."""
        trail = ("questions", self.questions.index(question), "answer")
        if trail not in self.made_up:
            self.made_up.append(trail)

    def spend(self, phase: PhaseName, minutes: float) -> None:
        """More time for a phase."""
        if minutes:
            self.minutes[phase] = self.minutes.get(phase, 0.0) + minutes

    def aim(self, text: str) -> None:
        """One more goal."""
        self.goals.append({"id": f"goal_{len(self.goals) + 1}", "text": text})

    def tell(self, text: str) -> Mapped:
        """One more idea, of the goal that shares most words with it."""
        idea: Mapped = {"id": f"idea_{len(self.ideas) + 1}", "goal": "", "text": text}
        idea |= {"because": "", "partial": "", "misconception": "", "keywords": [*keywords_of(text)] or [text[:40]]}
        goal = _closest(text, self.goals)
        idea["goal"] = said(goal, "id") if goal else ""
        self.ideas.append(idea)
        return idea

    def ask(self, text: str) -> Mapped:
        """One more question; which idea it is about shows when all of them are known."""
        question: Mapped = {"id": f"question_{len(self.questions) + 1}", "idea": "", "ask": text}
        question |= {"bloom": bloom_of(text), "press": press_of(text), "answer": "", "short_answer": ""}
        self.questions.append(question)
        self.told_before.append(len(self.ideas))
        return question

    def enter(self, phase: PhaseName, summary: str) -> None:
        """One more phase, or again one that was there."""
        self.phases.setdefault(phase, {"name": phase, "share": 0.0, "summary": summary[:LONGEST], "activities": []})

    def act(self, phase: PhaseName, activity: Mapped) -> None:
        """One more activity."""
        self.phases[phase]["activities"] = [*entries(self.phases[phase], ("activities",)), activity]
        self._write_remarks(activity)

    def remark(self, phase: PhaseName | None, text: str) -> None:
        """A note or material: kept with the activity above it, or with the next one where none is above."""
        self.remarks.append(text)
        above = entries(self.phases[phase], ("activities",)) if phase in self.phases else ()
        if above:
            self._write_remarks(mapping(above[-1]))

    def _write_remarks(self, activity: Mapped) -> None:
        if self.remarks:
            lines = [said(activity, "note"), *self.remarks]
            activity["note"] = "\n".join(line for line in lines if line)[:_LONGEST_NOTE]
            self.remarks.clear()

    def shorten(self, text: str) -> str:
        """An answer in at most three words."""
        words = text.split()
        if self.language == "en" and len(words) <= 3:
            return text[:80]
        return " ".join(keywords_of(text, most=1 if self.language == "zh" else 2) or words[:3])[:80] or text[:20]

    # --- what was not said ---

    def complete(self) -> None:
        """Fill in what a lesson needs besides, and remember what it was."""
        about = self.title
        if not self.title:
            self.title = self.words.title
            self.guess("title")
        self.title = self.title[:200]
        self._find_ideas()
        if not self.goals:
            self.aim(self.words.goal.format(title=about).rstrip(" :：")[:LONGEST])
            self.guess("goals", 0, "text")
        if not self.ideas:
            self.tell(self.words.idea.format(about=self.title.rstrip("?？"))[:LONGEST])
            self.guess("ideas", 0, "text")
        if not self.questions:
            asked = self.ask(self.words.question)
            asked["answer"] = self.ideas[0]["text"]
            self.guess("questions", 0, "ask")
            self.guess("questions", 0, "answer")
        self._fill_ideas()
        self._fill_questions()
        if not self.phases:
            self.enter("introduction", self.title)
        for phase in self.phases.values():
            if not phase["activities"]:
                phase["activities"] = [{"do": "manage", "note": phase["summary"]}]
        self._write_remarks(mapping(entries([*self.phases.values()][-1], ("activities",))[-1]))
        self._share_time()

    def _find_ideas(self) -> None:
        """The idea that each question is about; an answer with its own reason, or with none near it, is one itself."""
        for question in self.questions:
            reason, mistake = question.pop("because", ""), question.pop("misconception", "")
            answer = said(question, "answer")
            near = _closest(f"{said(question, 'ask')} {answer}", self.ideas)
            if (answer and near is None) or reason or mistake:
                if not answer:
                    answer = self.words.idea.format(about=said(question, "ask").rstrip("?？"))[:LONGEST]
                    self.guess("ideas", len(self.ideas), "text")
                near = self.tell(without_because(answer))
                near |= {"because": reason, "misconception": mistake}
            question["idea"] = said(near, "id") if near else ""

    def _fill_ideas(self) -> None:
        for index, idea in enumerate(self.ideas):
            idea["goal"] = idea["goal"] or self.goals[-1]["id"]
            filled = {"because": self.words.because}
            filled["partial"] = self.words.partial.format(beginning=_beginning(said(idea, "text")))
            for key, text in filled.items():
                if not idea[key]:
                    idea[key] = text
                    self.guess("ideas", index, key)
            if not idea["misconception"]:  # a wrong belief that nobody holds is worse than none
                self.guess("ideas", index, "misconception")

    def _fill_questions(self) -> None:
        known = {said(idea, "id"): idea for idea in self.ideas}
        for index, question in enumerate(self.questions):
            before = self.told_before[index] if index < len(self.told_before) else 0
            idea = known.get(said(question, "idea"), self.ideas[max(0, before - 1)])
            question["idea"] = idea["id"]
            if not question["answer"]:  # only the author knows it: it stays empty
                self.guess("questions", index, "answer")
            if not question["answer"] or question["short_answer"] != question["answer"]:
                self.guess("questions", index, "short_answer")

    def _share_time(self) -> None:
        """By the minutes; phases that say none share what is left of the lesson's, or are as long as the others are on
        average."""
        names = [*self.phases]
        known = [self.minutes[name] for name in names if self.minutes.get(name)]
        left = self.total - sum(known)
        usual = sum(known) / len(known) if known else 1.0
        if left > 0 and len(known) < len(names):
            usual = left / (len(names) - len(known))
        minutes = {name: self.minutes.get(name) or usual for name in names}
        total, left = sum(minutes.values()), 1.0
        for place, name in enumerate(names):
            share = round(minutes[name] / total, 3)
            share = round(left, 3) if place == len(names) - 1 else share
            self.phases[name]["share"] = max(0.0, share)
            left -= share

    def lesson(self, name: str) -> Mapped:
        """The lesson as a document."""
        return {
            "kind": "lesson",
            "name": name,
            "title": self.title,
            "language": self.language,
            "subject": self.words.subject,
            "genre": self.words.genre,
            "goals": [*self.goals],
            "ideas": [*self.ideas],
            "questions": [*self.questions],
            "phases": [*self.phases.values()],
            "unconfirmed": [self._mark(trail) for trail in self.made_up],
        }

    def _mark(self, trail: Trail) -> str:
        """A place as a lesson lists it: the id of a goal, idea or question, and the key."""
        if len(trail) == 1:
            return str(trail[0])
        records = {"goals": self.goals, "ideas": self.ideas, "questions": self.questions}[str(trail[0])]
        return f"{said(records[int(trail[1])], 'id')}.{trail[2]}"


def _beginning(text: str) -> str:
    """The first half of what an idea says, in its own words: which of them matters nobody but its author knows."""
    words = text.split()
    if len(words) > 1:
        return " ".join(words[: (len(words) + 1) // 2]).rstrip(" ,;:.")
    return text[: (len(text) + 1) // 2].rstrip("，、；：。")


def _closest(text: str, records: list[Mapped]) -> Mapped | None:
    words = {word.casefold() for word in keywords_of(text, most=20)}
    shared = [
        (len(words & {word.casefold() for word in keywords_of(said(record, "text"), most=20)}), place)
        for place, record in enumerate(records)
    ]
    most, place = max(shared, default=(0, 0))
    return records[place] if most else None


_PLAN = re.compile(r"^(?:lesson )?plan:?\s+(?=\S)|[》\s]*(?:教案|教学设计|lesson plan)$", re.IGNORECASE)
"""Words that mark the rest of a first line as the title."""
_LESSON = 20
"""Minutes from which a first line means the lesson, and no part of it."""


class Understood(NamedTuple):
    """Reading of a line of the outline, or of a part of it; `note` is what was done about it, if anything.

    `taken_for` is title, goals (a heading above them), goal, a phase's name with `phase_` before it, one of the
    activities (explain, discuss, read, practise, summarise, manage), teacher (an act of the teacher, not said),
    question, answer, because, misconception, aside (about the lesson, not held in it), note (to oneself) or
    material (a web address, a row of a table), which are kept with an activity, or container (a heading above
    all phases). `note` is by_position (a heading that names no phase), joined (a phase that was there already),
    guessed, no_statement (something is to be explained, and the outline does not say what) or shortened.
    """

    number: int
    text: str
    taken_for: str
    note: str = ""


class Outline(NamedTuple):
    """A lesson plan with an account of how it came about."""

    lesson: Mapped
    lines: tuple[Understood, ...]
    made_up: tuple[Trail, ...]
    """Places in the lesson that the import made up or guessed. They are unconfirmed in the lesson."""
    titled: bool = True
    """The outline has something that reads like a title."""


def read_outline(text: str, name: str = "outline", title: str = "") -> Outline:
    """A lesson from an outline in plain text or as a table; ScenarioError where there is nothing to make one of.

    Without a `title`, and without one in the outline, the lesson has a made-up one, which is unconfirmed.
    """
    lines = read_lines(text)
    language = language_of(text)
    reader = _Reader(Plan(FILLINGS[language], language), lines)
    for line in lines:
        reader.take(line)
    plan = reader.plan
    if not (plan.ideas or plan.questions or any(phase["activities"] for phase in plan.phases.values())):
        raise ScenarioError(
            "there is no activity and no question in it.", mend="Write a heading for each phase and lines below it."
        )
    if title.strip():
        plan.title = title.strip()
        plan.made_up = [trail for trail in plan.made_up if trail != ("title",)]
    titled = bool(plan.title)
    plan.complete()
    return Outline(plan.lesson(name), tuple(reader.understood), tuple(plan.made_up), titled)


def settled(outline: Outline, title: str = "", *, confirmed: bool = False) -> Mapped:
    """The lesson of an outline with the title that its author gives it; confirmed, or what else was made up still
    marked."""
    plan = {**outline.lesson, "title": title[:200]} if title else outline.lesson
    marks = [mark for mark in entries(plan, ("unconfirmed",)) if not (title and mark == "title")]
    return confirm(plan) if confirmed else with_marks(plan, marks)


class _Reader:
    """Goes through the lines."""

    def __init__(self, plan: Plan, lines: list[Line]) -> None:
        self.plan = plan
        self.understood: list[Understood] = []
        self.phase: PhaseName | None = None
        self.section = ""
        """`goals` or `aside` below such a heading."""
        self.last: Mapped = {}
        """The question or the idea above."""
        self.asked_at = 0
        """How far the last question is indented."""
        levels = [line.level for line in lines if line.level]
        self.titled = len(levels) > 1 and levels[0] == 1 and levels.count(1) == 1 and not _names_part(lines)
        """The first heading is above all others."""
        self.first = _title_line(lines, plan.language)
        """The line that is the title, or reads like one."""

    def take(self, line: Line) -> None:
        """Put a line where it belongs."""
        text = line.text[:LONGEST].strip()
        note = "shortened" if len(line.text) > LONGEST else ""
        for taken, more in self._read(line, text):
            self.understood.append(Understood(line.number, line.shown, taken, note or more))

    def _read(self, line: Line, text: str) -> list[tuple[str, str]]:
        if taken := self._labelled(line, text):
            return taken
        if line.number == self.first and not self.plan.title:
            return self._title(line, text)
        if line.level or _is_container(line):
            return self._heading(line, text)
        if line.timed:
            return self._timed(line, text)
        if self.section == "aside":
            return [("aside", "")]
        if self.section == "goals":
            self.plan.aim(text)
            return [("goal", "")]
        if belonging := self._belonging(line, text):
            return [belonging]
        if line.minutes:
            self.plan.spend(self._current(), line.minutes)
        self.asked_at = line.depth
        return self._sentences(text, line.doing)

    def _belonging(self, line: Line, text: str) -> tuple[str, str] | None:
        """Add a line to what is above if it stands deeper than the question there, or gives a reason; return what it
        was taken for, or None if it does not belong there."""
        reason = keeps_reason(text)
        if not self.last or text.endswith(("?", "？")):
            return None
        asked = "ask" in self.last
        if not reason and not (asked and line.depth > self.asked_at):
            return None
        if reason and (not asked or self.last["answer"]):
            self.last["because"] = without_because(text)
            return "because", ""
        act = None if reason else read_act(text, self.plan.language)
        if act is not None and act.doing == "discuss":
            return None
        return "answer", self._answer(text, doubtful=act is not None)

    def _answer(self, text: str, *, doubtful: bool) -> str:
        """The answer, or more of it; to be confirmed where it could also be something to do."""
        joined = "；" if self.plan.language == "zh" else "; "
        answer = joined.join(filter(None, (str(self.last["answer"]), text)))[:LONGEST]
        self.last.update({"answer": answer, "short_answer": self.plan.shorten(without_because(answer))})
        if doubtful:
            self.plan.doubt(self.last)
        return "guessed" if doubtful else ""

    # --- labels ---

    def _labelled(self, line: Line, text: str) -> list[tuple[str, str]]:
        """`Goal: ...`, `Answer: ...` and their like; nothing where the label fits nothing before it."""
        label = line.label
        if label in ("note", "material"):
            self.plan.remark(self.phase, text)
            return [(label, "")]
        if label == "title" and not self.plan.title:
            return self._take_title(text, line.minutes)
        if label == "because" and "ask" in self.last and not self.last["answer"]:
            label = "answer"
        if label == "student":  # `S: ...` after a question is what is expected to be said
            label = "answer" if "ask" in self.last and not self.last["answer"] else "task"
        if label == "idea":
            return self._tell(text, sure=True)
        if label in ("task", "teacher", "homework"):
            return self._sentences(text, "", spoken_of=label)
        if label in ("answer", "because", "misconception"):
            return [(label, "")] if self._note(label, text) else []
        if not label:
            return []
        self.asked_at = line.depth
        return [(self._said_above(line, label, text), "")]

    def _said_above(self, line: Line, label: str, text: str) -> str:
        """A goal or a question, or what is about the lesson."""
        if label == "title":  # there is one
            return "aside"
        if label == "goal":
            for one in text.split("；") if self.plan.language == "zh" else [text]:
                self.plan.aim(one.strip())
        elif label == "question":
            self._question(text)
        elif label == "aside" and line.level:
            self.section = "aside"
        return label

    def _note(self, label: str, text: str) -> bool:
        """Add a note to the question or the statement above; return False if there is none."""
        if label == "answer" and "ask" in self.last:
            self.last.update({"answer": text, "short_answer": self.plan.shorten(text)})
        elif label != "answer" and self.last:
            self.last[label] = text
        else:
            return False
        return True

    # --- headings ---

    def _heading(self, line: Line, text: str) -> list[tuple[str, str]]:
        folded = text.casefold()
        if any(word in folded for word in GOALS):
            self.section = "goals"
            return [("goals", "")]
        if self.titled and line.level == 1 and not self.plan.title:
            return self._take_title(text, line.minutes)
        self.section = ""
        known = _phase_of(folded)
        if known is None and any(word in folded for word in CONTAINERS):
            return [("container", "")]
        return [self._enter(text, known, line.minutes)]

    def _title(self, line: Line, text: str) -> list[tuple[str, str]]:
        """The first line as the title; where it only reads like one, it is to be confirmed."""
        framed = _framed(line)
        sure = line.level > 0 or _PLAN.search(framed.title) is not None or bool(framed.grade)
        if not sure:
            self.plan.guess("title")
        return self._take_title(text, line.minutes, "" if sure else "guessed")

    def _take_title(self, text: str, minutes: float, note: str = "") -> list[tuple[str, str]]:
        """The title, without the grade and the minutes of the lesson that stand beside it."""
        framed = read_frame(text)
        self.plan.title = _PLAN.sub("", framed.title).strip("《》 ") or framed.title
        self.plan.total = minutes or framed.minutes
        return [("title", note), *([("aside", "")] if framed.grade else [])]

    def _enter(self, text: str, known: PhaseName | None, minutes: float) -> tuple[str, str]:
        fits = known is not None and (known not in self.plan.phases or known == self.phase)
        phase = known if fits and known is not None else self._next_phase()
        note = "joined" if phase in self.plan.phases else "" if fits else "by_position"
        self.phase, self.last = phase, {}
        self.plan.enter(phase, text)
        self.plan.spend(phase, minutes)
        return f"phase_{phase}", note

    def _next_phase(self) -> PhaseName:
        """The next phase that is not there yet; the end of a lesson is called so, and else all goes on in one phase."""
        if self.phase is None:
            return "introduction"
        free = [one for one in _MIDDLE if one not in self.plan.phases]
        behind = [one for one in free if PHASES.index(one) > PHASES.index(self.phase)]
        return next(iter(behind or free), self.phase)

    def _timed(self, line: Line, text: str) -> list[tuple[str, str]]:
        """A part of a plan by the clock: its phase by its first words, and what is done in it."""
        self.section = ""
        head, sign, rest = text.partition(":") if ":" in text else text.partition("：")
        known = _phase_of(head.casefold())
        named = bool(sign) or (
            known is not None and len(head.split()) <= 2 and read_act(head, self.plan.language) is None
        )
        entered = self._enter(head if named else text, known, line.minutes)
        body = (rest.strip() if sign else "") if named else text
        self.asked_at = line.depth
        return [entered, *(self._sentences(body, line.doing) if body else [])]

    # --- what is said and done ---

    def _sentences(self, text: str, said: str, spoken_of: str = "") -> list[tuple[str, str]]:
        doing = next((one for one, words in DOINGS.items() if any(word in said.casefold() for word in words)), None)
        return [
            taken
            for piece in read_sentences(text, self.plan.language)
            for taken in self._piece(piece, doing, spoken_of)
        ]

    def _piece(self, piece: Piece, doing: Doing | None, spoken_of: str) -> list[tuple[str, str]]:
        if piece.kind == "question":
            self._question(piece.text)
            return [("question", "")]
        if spoken_of == "teacher" and piece.kind == "idea" and not piece.sure:  # `Teacher: Ms Lin`
            return [("aside", "")]
        if spoken_of in ("task", "homework") or (doing and piece.act is None):
            said = piece.act.said if piece.act is not None and piece.act.said else piece.text
            how: Doing = (
                "manage" if spoken_of == "homework" else doing or (piece.act.doing if piece.act else "practise")
            )
            return [self._act(Act(how if how != "explain" else "practise", said), piece.text)]
        if piece.act is not None and not piece.act.told:
            return [self._act(piece.act, piece.text)]
        return self._tell(piece.text, sure=piece.sure)

    def _tell(self, text: str, *, sure: bool) -> list[tuple[str, str]]:
        phase = self._current()
        self.last = self.plan.tell(text)
        self.plan.act(phase, {"do": "explain", "idea": self.last["id"]})
        if not sure:
            self.plan.guess("ideas", len(self.plan.ideas) - 1, "text")
        return [("explain", "" if sure else "guessed")]

    def _act(self, act: Act, text: str) -> tuple[str, str]:
        self.last = {}
        if act.said:
            self.plan.act(self._current(), {"do": act.doing, "text": act.said[:LONGEST]})
            return act.doing, ""
        self.plan.act(self._current(), {"do": act.doing, "note": text[:LONGEST]})
        return "teacher", act.about

    def _question(self, text: str) -> None:
        phase = self._current()
        self.last = self.plan.ask(text)
        self.plan.act(phase, {"do": "ask", "question": self.last["id"]})

    def _current(self) -> PhaseName:
        if self.phase is None:
            self.phase = "introduction"
            self.plan.enter(self.phase, self.plan.title or self.plan.words.title)
        return self.phase


def _title_line(lines: list[Line], language: str) -> int:
    """The number of a first line that is a title, or reads like one: a few words in which nothing is done, asked or
    said, above the lesson; 0 where there is none."""
    if not lines:
        return 0
    first, *rest = lines
    framed = _framed(first)
    if _PLAN.search(framed.title):
        return first.number
    if first.label or first.timed or not rest or first.doing:
        return 0
    folded = framed.title.casefold()
    if framed.grade:
        return first.number
    if framed.minutes and framed.minutes < _LESSON:
        return 0
    if _phase_of(folded) or any(word in folded for word in (*GOALS, *CONTAINERS)):
        return 0
    above = bool(rest[0].level or rest[0].timed or (rest[0].label and rest[0].label not in ("note", "material")))
    if first.level and not framed.minutes:
        return first.number if above else 0
    text = framed.title
    short = len(text.split()) <= 8 and len(text) <= 60 and not text.endswith((".", "。", "!", "！", ":"))
    asks = text.endswith(("?", "？")) and not above
    pieces = read_sentences(text, language)
    names = len(pieces) == 1 and (pieces[0].kind == "question" or (pieces[0].kind == "idea" and not pieces[0].sure))
    return first.number if short and names and not asks and _stands_out(first, rest) else 0


def _framed(line: Line) -> Framed:
    """A line as a title with its grade and minutes."""
    framed = read_frame(line.text)
    return framed._replace(minutes=line.minutes or framed.minutes)


def _names_part(lines: list[Line]) -> bool:
    """The first heading is one of the parts of the lesson: it has minutes, and the name of a phase."""
    first = next(line for line in lines if line.level)
    return bool(first.minutes and _phase_of(first.text.casefold()))


def _stands_out(first: Line, rest: list[Line]) -> bool:
    """The first line is no point of a list that goes on below it."""
    return first.shown[:1].isalpha() or first.shown[:1] in '《“"' or any(line.level or line.timed for line in rest)


def _phase_of(folded: str) -> PhaseName | None:
    """The phase of a heading: by the word that comes first, in Chinese by the last one, which the others describe."""
    if whole := ENDS.get(folded.removeprefix("the ").strip(" :：.")):
        return whole
    places = [
        (folded.find(word) if word.isascii() else -folded.rfind(word) - len(word), phase)
        for phase, words in HEADINGS.items()
        for word in words
        if word in folded
    ]
    return min(places, key=lambda place: place[0])[1] if places else None


def _is_container(line: Line) -> bool:
    """Return True if a line that is marked as no heading stands above all phases by what it says."""
    return line.shown.strip(" *_:：").casefold() in CONTAINERS
