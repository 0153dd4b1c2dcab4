"""A lesson plan while it is put together, and what is filled in where nothing was said."""

from __future__ import annotations

from dataclasses import dataclass, field

from eduverse_mesa.scenarios.drafting.documents import Mapped, entries, mapping, said
from eduverse_mesa.scenarios.drafting.outlines.words import Fillings, bloom_of, keywords_of, press_of, without_because
from eduverse_mesa.scenarios.lesson import PhaseName
from eduverse_mesa.scenarios.plain import Trail

LONGEST = 600
_LONGEST_NOTE = 4000
ORDER: tuple[PhaseName, ...] = ("introduction", "instruction", "consolidation", "practice", "summary")


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
    """How many ideas stood before each question."""
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
