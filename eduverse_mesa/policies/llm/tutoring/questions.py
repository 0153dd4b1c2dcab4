"""Questions in words to learners, tutors and judges, and the meaning of the answers: a pair of functions for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from eduverse_mesa.decisions import Decision
from eduverse_mesa.decisions.tutoring import (
    ANSWER_KINDS,
    MOVES,
    TRAITS,
    Consolidate,
    Consolidated,
    Judge,
    Judged,
    Labelled,
    LabelTraits,
    Picked,
    PickUnit,
    Reflect,
    Reflected,
    Replied,
    Reply,
    Taught,
    Teach,
    Utterance,
)
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.llm.answer import Asker, Question, Told
from eduverse_mesa.policies.llm.prompter import TaskPrompter, spoken_in
from eduverse_mesa.policies.llm.prompts.templates import Book, Templates, check_templates, prompt_language
from eduverse_mesa.policies.llm.shape import Many, Number, OneOf, Record, Shape, Words, YesNo
from eduverse_mesa.policies.safe_text import quote
from eduverse_mesa.scenarios.tutoring import METACOGNITION, Learner

_MOST_CONCEPTS = 6


class TutoringPrompter(TaskPrompter):
    """Prompter for learners, tutors and judges, with the blocks that their questions share."""

    def rules(self, name: str, grade: int = 0) -> str:
        """Return the rules that hold for all questions to a role."""
        return self.templates.fill(name, {"grade": str(grade), "language": self.words["language"]})

    def dialogue(self, said: Sequence[Utterance], learner: str) -> str:
        """A dialogue, each line quoted."""
        words = self.words
        lines = [
            words["line"].format(
                speaker=words["tutor"] if one.speaker == "tutor" else words[learner], text=quote(one.text)
            )
            for one in said
        ]
        return "\n".join(lines) or words["nothing_said"]

    def traits(self, person: Learner) -> str:
        """The traits that stand out, in words."""
        told = []
        for trait in TRAITS:
            value = getattr(person.traits, trait)
            if abs(value - 0.5) >= 0.1:
                told.append(self.words["traits"][trait]["high" if value > 0.5 else "low"])
        return " ".join(told)


def _ten(share: float) -> str:
    return str(round(10 * share))


def _list(words: Mapping[str, Any], ideas: Sequence[str]) -> str:
    return "\n".join(words["idea"].format(text=idea) for idea in ideas)


def ask_reply(prompter: TutoringPrompter, decision: Reply) -> Question:
    """Return the question of what the learner says."""
    view, words = decision.view, prompter.words
    memory = view.recollection
    understood = "\n".join(
        words["understood"].format(title=title, mastery=_ten(mastery), text=quote(text) if text else "-")
        for title, mastery, text in memory.understood
    )
    head = prompter.templates.fill(
        "learner",
        {
            "person": words["person"].format(name=quote(view.person.name, 80), grade=view.grade),
            "traits": prompter.traits(view.person),
            "portrait": quote(view.person.portrait) if view.person.portrait else "",
            "level": words["levels"][memory.level],
            "skills": " ".join(quote(skill) for skill in memory.skills if skill),
            "recent": "\n".join(words["recent"].format(text=quote(summary)) for summary in memory.recent),
            "understood": understood,
            "learned": _list(words, memory.learned),
            "unknown": f"{words['unknown']}\n{_list(words, memory.unknown)}" if memory.unknown else "",
        },
    )
    constrained = view.topic is not None and bool(memory.unknown or memory.recent or memory.learned)
    blocks = {
        "dialogue": prompter.dialogue(view.dialogue, "learner"),
        "understanding": words["understanding"].format(grasp=_ten(view.grasp)) if constrained else "",
    }
    fields: dict[str, Shape] = {
        "kind": OneOf(ANSWER_KINDS),
        "hedged": YesNo(),
        "sure": Number(0, 10),
        "words": Words(400),
    }
    rules = prompter.rules("rules_learner", view.grade)
    return prompter.question("reply", decision.at, rules, [head], fields, blocks, view.language)


def read_reply(value: Mapping[str, Any], _: Reply) -> Replied:
    """Return the learner's reply."""
    return Replied(value["words"], value["kind"], value["hedged"], value["sure"] / 10)


def ask_teach(prompter: TutoringPrompter, decision: Teach) -> Question:
    """Return the question of what the tutor says."""
    words, unit = prompter.words, decision.unit
    blocks = {
        "unit": f"{words['unit'].format(id=unit.id, idea=unit.idea)}\n{words['outcome'].format(text=unit.outcome)}",
        "needs": "\n".join(words["need"].format(text=need.idea) for need in decision.needs),
        "items": "\n".join(words["item"].format(ask=item.ask) for item in unit.items),
        "dialogue": prompter.dialogue(decision.dialogue, "the_learner"),
        "turn": str(decision.turn),
        "turns": str(decision.turns),
    }
    fields: dict[str, Shape] = {"move": OneOf(MOVES), "words": Words(600), "done": YesNo()}
    rules = prompter.rules("rules_tutor", decision.grade)
    return prompter.question("teach", decision.at, rules, [], fields, blocks, decision.language)


def read_teach(value: Mapping[str, Any], _: Teach) -> Taught:
    """Return the tutor's words, with the move and whether the unit is done."""
    return Taught(value["words"], value["move"], value["done"])


def ask_pick(prompter: TutoringPrompter, decision: PickUnit) -> Question:
    """Return the question of which unit comes next."""
    notes = "\n".join(
        prompter.words["note"].format(id=note.unit.id, idea=note.unit.idea, taught=note.taught, shown=_ten(note.shown))
        for note in decision.notes
    )
    fields: dict[str, Shape] = {"unit": OneOf(tuple(note.unit.id for note in decision.notes))}
    rules = prompter.rules("rules_tutor", decision.grade)
    return prompter.question("pick_unit", decision.at, rules, [], fields, {"notes": notes}, decision.language)


def read_pick(value: Mapping[str, Any], _: PickUnit) -> Picked:
    """The unit."""
    return Picked(value["unit"])


def ask_consolidate(prompter: TutoringPrompter, decision: Consolidate) -> Question:
    """Return the question of what stays of a session in memory."""
    words = prompter.words
    known = OneOf(tuple(concept.id for concept in decision.concepts))
    seen = Record({"concept": known, "mastery": Number(1, 10), "understanding": Words(240, optional=True)})
    blocks = {
        "concepts": "\n".join(words["concept"].format(id=one.id, title=one.title) for one in decision.concepts),
        "dialogue": prompter.dialogue(decision.dialogue, "the_learner"),
        "most": str(_MOST_CONCEPTS),
    }
    fields: dict[str, Shape] = {
        "summary": Words(400),
        "insights": Words(400),
        "emotion": Number(0, 10),
        "concepts": Many(seen, 0, _MOST_CONCEPTS),
    }
    rules = prompter.rules("rules_memory")
    return prompter.question("consolidate", decision.at, rules, [], fields, blocks, decision.language)


def read_consolidate(value: Mapping[str, Any], _: Consolidate) -> Consolidated:
    """The episode; a concept that is named twice has the better of its two masteries."""
    mastery: dict[str, int] = {}
    understanding: dict[str, str] = {}
    for seen in value["concepts"]:
        concept = seen["concept"]
        mastery[concept] = max(mastery.get(concept, 1), seen["mastery"])
        if seen["understanding"]:
            understanding[concept] = seen["understanding"]
    return Consolidated(value["summary"], value["insights"], value["emotion"] / 10, mastery, understanding)


def ask_reflect(prompter: TutoringPrompter, decision: Reflect) -> Question:
    """How does the learner learn?"""
    words = prompter.words
    blocks = {
        "person": words["person"].format(name=quote(decision.person.name, 80), grade=decision.grade),
        "traits": prompter.traits(decision.person),
        "subject": decision.subject,
        "before": decision.before,
        "glimpses": "\n".join(
            words["glimpse"].format(
                summary=quote(one.summary) if one.summary else "-",
                mastery=_ten(one.mastery),
                answers=", ".join(one.answers) or "-",
            )
            for one in decision.glimpses
        ),
    }
    sentence = Words(200)
    fields: dict[str, Shape] = {
        "level": OneOf(METACOGNITION),
        "forethought": sentence,
        "performance": sentence,
        "reflection": sentence,
    }
    rules = prompter.rules("rules_memory")
    return prompter.question("reflect", decision.at, rules, [], fields, blocks, decision.language)


def read_reflect(value: Mapping[str, Any], _: Reflect) -> Reflected:
    """Level and skills."""
    return Reflected(value["level"], value["forethought"], value["performance"], value["reflection"])


def ask_judge(prompter: TutoringPrompter, decision: Judge) -> Question:
    """How much does an answer show?"""
    item = decision.item
    blocks = {
        "question": item.ask,
        "right": item.right,
        "partial": item.partial,
        "wrong": item.wrong,
        "answer": quote(decision.answer),
    }
    fields: dict[str, Shape] = {"reason": Words(240), "score": Number(1, 10)}
    return prompter.question("judge", decision.at, prompter.rules("rules_judge"), [], fields, blocks, decision.language)


def read_judge(value: Mapping[str, Any], _: Judge) -> Judged:
    """Score and reason."""
    return Judged(value["score"], value["reason"])


def ask_traits(prompter: TutoringPrompter, decision: LabelTraits) -> Question:
    """Return the question of which traits the learner of a dialogue shows."""
    fields: dict[str, Shape] = dict.fromkeys(TRAITS, OneOf(("high", "low")))
    blocks = {"dialogue": prompter.dialogue(decision.dialogue, "the_learner")}
    return prompter.question(
        "label_traits", decision.at, prompter.rules("rules_judge"), [], fields, blocks, decision.language
    )


def read_traits(value: Mapping[str, Any], _: LabelTraits) -> Labelled:
    """High or low, trait by trait."""
    return Labelled(**{trait: value[trait] for trait in TRAITS})


Asking = tuple[Callable[[TutoringPrompter, Any], Question], Callable[[Mapping[str, Any], Any], Any]]
QUESTIONS: Mapping[type, Asking] = {
    Reply: (ask_reply, read_reply),
    Teach: (ask_teach, read_teach),
    PickUnit: (ask_pick, read_pick),
    Consolidate: (ask_consolidate, read_consolidate),
    Reflect: (ask_reflect, read_reflect),
    Judge: (ask_judge, read_judge),
    LabelTraits: (ask_traits, read_traits),
}


BOOK = Book("eduverse_mesa.policies.llm.tutoring.prompts")


class TutoringTelling:
    """Asks a model what learners, tutors and judges say."""

    def __init__(self, asker: Asker, own: Mapping[str, str], *, brief: bool = False) -> None:
        check_templates(own, BOOK)  # now, not when the first question is asked
        self._asker = asker
        self._own = own
        self._brief = brief
        self._prompters: dict[str, TutoringPrompter] = {}

    async def tell(self, decision: Decision) -> Told:
        """The outcome of a decision; raises UnansweredError."""
        asking = QUESTIONS.get(type(decision))
        if asking is None:
            raise PolicyError(
                f"a tutoring model is not asked '{decision.kind}'.", mend="Use this policy with a TutoringModel."
            )
        ask, read = asking
        prompter = self._in(spoken_in(decision))
        return await self._asker.ask(ask(prompter, decision), prompter.templates, lambda value: read(value, decision))

    def _in(self, language: str) -> TutoringPrompter:
        """Prompts in a language; English ones where there are none in it."""
        code = prompt_language(language)
        if code not in self._prompters:
            self._prompters[code] = TutoringPrompter(Templates(code, self._own, BOOK), brief=self._brief)
        return self._prompters[code]
