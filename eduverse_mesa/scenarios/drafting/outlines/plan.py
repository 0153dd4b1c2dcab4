"""A lesson plan while it is put together, and what is filled in where nothing was said."""

from __future__ import annotations

from dataclasses import dataclass, field

from eduverse_mesa.scenarios.drafting.documents import Mapped, entries, said
from eduverse_mesa.scenarios.drafting.outlines.words import Fillings, bloom_of, keywords_of, press_of
from eduverse_mesa.scenarios.lesson import PhaseName
from eduverse_mesa.scenarios.plain import Trail

LONGEST = 600
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
    made_up: list[Trail] = field(default_factory=list)

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
        """One more question, about the idea that shares most words with it, else about the last one."""
        idea = _closest(text, self.ideas) or (self.ideas[-1] if self.ideas else {})
        question: Mapped = {"id": f"question_{len(self.questions) + 1}", "idea": said(idea, "id"), "ask": text}
        question |= {"bloom": bloom_of(text), "press": press_of(text), "answer": "", "short_answer": ""}
        self.questions.append(question)
        return question

    def enter(self, phase: PhaseName, summary: str) -> None:
        """One more phase, or again one that was there."""
        self.phases.setdefault(phase, {"name": phase, "share": 0.0, "summary": summary[:LONGEST], "activities": []})

    def act(self, phase: PhaseName, activity: Mapped) -> None:
        """One more activity."""
        self.phases[phase]["activities"] = [*entries(self.phases[phase], ("activities",)), activity]

    def shorten(self, text: str) -> str:
        """An answer in at most three words."""
        words = text.split()
        if self.language == "en" and len(words) <= 3:
            return text[:80]
        return " ".join(keywords_of(text, most=1 if self.language == "zh" else 2) or words[:3])[:80] or text[:20]

    # --- what was not said ---

    def complete(self) -> None:
        """Fill in what a lesson needs besides, and remember what it was."""
        first = next((said(one, key) for one, key in self._first()), "")
        self.title = (self.title or first or self.words.title)[:200]
        if not self.goals:
            self.aim(self.words.goal.format(title=self.title)[:LONGEST])
            self.made_up.append(("goals", 0, "text"))
        if not self.ideas:
            self.tell(self.words.idea.format(about=self.title.rstrip("?？"))[:LONGEST])
            self.made_up.append(("ideas", 0, "text"))
        if not self.questions:
            self._ask_something()
        self._fill_ideas()
        self._fill_questions()
        for phase in self.phases.values():
            if not phase["activities"]:
                phase["activities"] = [{"do": "manage", "text": phase["summary"]}]
        self._share_time()

    def _first(self) -> list[tuple[Mapped, str]]:
        return [(self.ideas[0], "text")] if self.ideas else [(one, "ask") for one in self.questions[:1]]

    def _ask_something(self) -> None:
        question = self.ask(self.words.question.format(word=_word(self.ideas[0])))
        self.made_up.append(("questions", 0, "ask"))
        if not self.phases:
            self.enter("introduction", self.title)
        self.act(next(reversed(self.phases)), {"do": "ask", "question": question["id"]})

    def _fill_ideas(self) -> None:
        for index, idea in enumerate(self.ideas):
            idea["goal"] = idea["goal"] or self.goals[-1]["id"]
            for key in ("because", "partial", "misconception"):
                if not idea[key]:
                    idea[key] = getattr(self.words, key).format(word=_word(idea))
                    self.made_up.append(("ideas", index, key))

    def _fill_questions(self) -> None:
        known = {said(idea, "id"): idea for idea in self.ideas}
        for index, question in enumerate(self.questions):
            idea = known.get(said(question, "idea"), self.ideas[0])
            question["idea"] = idea["id"]
            if not question["answer"]:
                question["answer"] = idea["text"]
                self.made_up.append(("questions", index, "answer"))
            if not question["short_answer"]:
                question["short_answer"] = self.shorten(_word(idea))
                self.made_up.append(("questions", index, "short_answer"))

    def _share_time(self) -> None:
        """By the minutes; a phase that says none is as long as the others are on average."""
        names = [name for name in ORDER if name in self.phases]
        known = [self.minutes[name] for name in names if self.minutes.get(name)]
        usual = sum(known) / len(known) if known else 1.0
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
            "phases": [self.phases[name] for name in ORDER if name in self.phases],
        }


def _word(idea: Mapped) -> str:
    return max(map(str, entries(idea, ("keywords",))), key=len)


def _closest(text: str, records: list[Mapped]) -> Mapped | None:
    words = {word.casefold() for word in keywords_of(text, most=20)}
    shared = [
        (len(words & {word.casefold() for word in keywords_of(said(record, "text"), most=20)}), place)
        for place, record in enumerate(records)
    ]
    most, place = max(shared, default=(0, 0))
    return records[place] if most else None
